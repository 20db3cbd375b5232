"""The bench of graph actions knows the true distances in its graph, and measures every kind of action."""

from __future__ import annotations

from collections import Counter

import networkx as nx
import pytest

from evaluation.performance import graph_actions
from evaluation.services.population import (
    PERSON,
    PLACE,
    TOO_FAR,
    graph_read,
    pairs_by_distance,
    planned_with_hubs,
    some_supersede,
    space_fill,
)
from evaluation.services.spaces import temporary_space
from memory.models import Space, TripleRecord

pytestmark = pytest.mark.django_db


def test_the_plan_has_its_hubs():
    plan = list(planned_with_hubs(1000))
    assert Counter(item.subject for item in plan).most_common(1) == [(PERSON, 500)]
    assert Counter(item.object for item in plan).most_common(1) == [(PLACE, 200)]
    assert 990 <= len(plan) <= 1000
    assert plan == list(planned_with_hubs(1000))


def test_pairs_are_as_far_apart_as_they_are_said_to_be(small_engine):
    with temporary_space(title="hubs") as space:
        space_fill(space=space, plan=list(planned_with_hubs(400)), quiet=True)
        some_supersede(space)
        active = TripleRecord.objects.filter(space=space, superseded_at=None)
        assert 0.85 < active.count() / TripleRecord.objects.filter(space=space).count() < 0.95
        whole = nx.Graph(list(active.values_list("subject_id", "object_id")))
        pairs = pairs_by_distance(graph_read(space), 8, most=4)
    assert set(pairs) == {2, 3, 4, TOO_FAR}
    assert all(5 < len(chosen) <= 8 for chosen in pairs.values())
    for distance, chosen in pairs.items():
        for start, end in chosen:
            if distance == TOO_FAR:
                assert not nx.has_path(whole, start, end) or nx.shortest_path_length(whole, start, end) > 4
            else:
                assert nx.shortest_path_length(whole, start, end) == distance


def test_every_kind_of_action_is_measured_and_nothing_is_left_behind(small_engine):
    rows = graph_actions.measure({"triples": (400,), "actions": 12, "quiet": True})
    found = {(row.name, row.metric): row for row in rows}
    names = {"expansion", "expansion x9", "path", "path x9", "path 2", "path 3", "path 4", f"path {TOO_FAR}"}
    assert {name for name, _ in found} == names
    assert all({(name, "p50_ms"), (name, "p95_ms"), (name, "queries")} <= set(found) for name in names)
    assert found["expansion", "queries"].value == 3
    distances = [found[f"path {distance}", "shortest"] for distance in (2, 3, 4, TOO_FAR)]
    assert found["path", "p95_ms"].n == sum(row.n for row in distances)
    assert all(row.n > 5 for row in distances)
    assert all(row.value == 1 for row in distances)
    assert not Space.objects.exists()


def test_a_graph_too_small_for_paths_says_so(small_engine):
    rows = graph_actions.measure({"triples": (20,), "actions": 2, "quiet": True})
    assert all(row.value is not None or row.why for row in rows)

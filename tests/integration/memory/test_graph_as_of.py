"""The graph as of any turn and what changed between two: on a scripted sequence of rounds, in a bounded number of queries."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from memory.core.types import Role
from memory.models import Round, Space, TripleRecord, Turn
from memory.selectors import graph_as_of, graph_difference
from memory.services import space_create, space_maintain
from tests.fakes.engines import small_models
from tests.integration.memory.api import address, client_of, results
from tests.integration.memory.dialogues import new_session, say

pytestmark = pytest.mark.django_db

SAID = ("I live in Paris.", "It rains.", "I live in Lyon.", "I do not live in Lyon.", "I live in Nice. I live in Bonn.")


@pytest.fixture(scope="module")
def told(module_db) -> int:
    """Rounds that were remembered one after the other, and another memory beside them, made once."""
    with module_db.unblock(), pytest.MonkeyPatch.context() as patch:
        small_models(patch)
        space = space_create(name="Ana's memory", owner=User.objects.create_user("ana", first_name="Ana"))
        say(new_session(space, key="s"), *SAID)
        say(new_session(space_create(name="Other", owner=space.members.get())), "I live in Oslo.", speaker="Ben")
        for each in Space.objects.all():
            space_maintain(space_id=each.pk)
    return space.pk


@pytest.fixture
def space(told: int, db, extractor) -> Space:
    return Space.objects.get(pk=told)


@pytest.fixture
def ana(space: Space) -> User:
    return space.members.get()


@pytest.fixture
def turns(space: Space) -> list[Turn]:
    """The user's turns."""
    return list(Turn.objects.filter(space=space, role=Role.USER).select_related("round").order_by("pk"))


def values(rows) -> list[str]:
    return sorted(f"{'' if row.polarity == 'positive' else 'not '}{row.value}" for row in rows)


def test_graph_is_what_was_believed_after_each_round(space, turns):
    assert [values(graph_as_of(space, turn)) for turn in turns] == [
        ["Paris"],
        ["Paris"],
        ["Lyon"],
        ["not Lyon"],
        values(TripleRecord.objects.filter(space=space, superseded_at=None)),
    ]
    assert values(graph_as_of(space, turns[-1]))[0] == "Bonn"


def test_reply_of_a_round_sees_what_its_round_taught(space, turns):
    reply = Turn.objects.select_related("round").get(round=turns[2].round, role="assistant")
    assert values(graph_as_of(space, reply)) == ["Lyon"]


def test_difference_names_what_came_and_what_went(space, turns):
    between = graph_difference(space, turns[0], turns[2])
    assert (values(between.added), values(between.superseded)) == (["Lyon"], ["Paris"])
    back = graph_difference(space, turns[2], turns[0])
    assert (values(back.added), values(back.superseded)) == (["Paris"], ["Lyon"])
    nothing = graph_difference(space, turns[0], turns[1])
    assert (values(nothing.added), values(nothing.superseded)) == ([], [])
    over_lyon = graph_difference(space, turns[1], turns[3])
    assert (values(over_lyon.added), values(over_lyon.superseded)) == (["not Lyon"], ["Paris"])


def test_difference_is_that_of_the_two_graphs_for_any_two_turns(space, turns):
    for first in turns:
        for second in turns:
            before, after = set(graph_as_of(space, first)), set(graph_as_of(space, second))
            between = graph_difference(space, first, second)
            assert (set(between.added), set(between.superseded)) == (after - before, before - after)
            assert {(row.pk, row.change) for row in between.changes} == {
                *((row.pk, "added") for row in after - before),
                *((row.pk, "superseded") for row in before - after),
            }


def test_time_decides_where_no_round_is_known(space, turns):
    """A round that replaced a triple may have been forgotten since."""
    TripleRecord.objects.filter(value="Paris").update(superseded_in=None)
    maintained = Round.objects.filter(turns__in=turns).order_by("pk")
    now = timezone.now()
    for number, round in enumerate(maintained):
        Round.objects.filter(pk=round.pk).update(maintained_at=now + timedelta(minutes=number))
    TripleRecord.objects.filter(value="Paris").update(superseded_at=now + timedelta(minutes=1, seconds=30))
    fresh = [Turn.objects.select_related("round").get(pk=turn.pk) for turn in turns]
    assert ["Paris" in values(graph_as_of(space, turn)) for turn in fresh] == [True, True, False, False, False]


def test_another_space_is_never_in_it(space, turns):
    other = Space.objects.get(name="Other")
    turn = Turn.objects.select_related("round").filter(space=other).latest("pk")
    assert values(graph_as_of(other, turn)) == ["Oslo"]
    assert "Oslo" not in values(graph_as_of(space, turn))


def test_api_lists_the_graph_at_a_turn(space, turns, ana):
    api = client_of(ana)
    rows = results(api.get(address("graph-at", space.pk, turns[0].pk)))
    assert [(row["value"], row["is_active"]) for row in rows] == [("Paris", False)]
    rows = results(api.get(address("graph-at", space.pk, turns[2].pk)))
    assert [(row["value"], row["source"]["text"]) for row in rows] == [("Lyon", "I live in Lyon.")]


def test_api_lists_a_difference(space, turns, ana):
    api = client_of(ana)
    ends = {"from": turns[0].pk, "to": turns[2].pk}
    path = address("graph-difference", space.pk)
    rows = results(api.get(path, ends))
    assert [(row["value"], row["change"]) for row in rows] == [("Lyon", "added"), ("Paris", "superseded")]
    assert [row["value"] for row in results(api.get(path, ends | {"change": "added"}))] == ["Lyon"]
    assert [row["value"] for row in results(api.get(path, ends | {"change": "superseded"}))] == ["Paris"]


@pytest.mark.parametrize("asked", [{}, {"from": "x", "to": "1"}, {"from": "1"}, {"change": "all"}])
def test_api_refuses_a_difference_of_nothing(space, turns, ana, asked):
    assert client_of(ana).get(address("graph-difference", space.pk), asked).status_code == 400


def test_api_knows_no_turn_of_another_space(space, turns, ana, django_user_model):
    other = Turn.objects.filter(space__name="Other").first()
    api, stranger = client_of(ana), client_of(django_user_model.objects.create_user("ben"))
    ends = {"from": turns[0].pk, "to": other.pk}
    assert api.get(address("graph-at", space.pk, other.pk)).status_code == 404
    assert api.get(address("graph-difference", space.pk), ends).status_code == 404
    assert stranger.get(address("graph-at", space.pk, turns[0].pk)).status_code == 404


def test_pages_cost_the_same_at_any_size(space, turns, ana, django_assert_num_queries):
    api = client_of(ana)
    session = new_session(space, key="s")
    ends = {"from": turns[0].pk, "to": turns[-1].pk}
    for _ in range(2):
        newest = Turn.objects.filter(space=space).latest("pk")
        with django_assert_num_queries(3):
            api.get(address("graph-at", space.pk, newest.pk))
        with django_assert_num_queries(4):
            api.get(address("graph-difference", space.pk), ends | {"to": newest.pk})
        say(session, *[f"I live in Town{number}." for number in range(12)])
        space_maintain(space_id=space.pk)


def test_difference_is_paged(space, turns, ana):
    for _ in range(5):
        copy = TripleRecord.objects.filter(space=space, superseded_at=None).earliest("pk")
        copy.pk = None
        copy.save(force_insert=True)
    page = (
        client_of(ana)
        .get(address("graph-difference", space.pk), {"from": turns[0].pk, "to": turns[-1].pk, "limit": 2})
        .json()
    )
    assert len(page["results"]) == 2 and page["next"]
    seen = page["results"]
    while page["next"]:
        page = client_of(ana).get(page["next"]).json()
        seen += page["results"]
    total = graph_difference(space, turns[0], turns[-1]).changes.count()
    assert len({row["id"] for row in seen}) == len(seen) == total > 2

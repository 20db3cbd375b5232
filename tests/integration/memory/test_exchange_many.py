"""Many facts of a file are brought in together as each would be by itself, in a few queries a hundred."""

from __future__ import annotations

import random

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from evaluation.performance.imports import chained, document, starred
from memory.core.knowledge_graph.rdf.terms import GraphFormat
from memory.models import ConflictRecord, EntityRecord, HeldFragmentRecord, SentenceRecord, Space, TripleRecord
from memory.services import space_create
from memory.services.coherence import Neighbourhood
from memory.services.exchange import graph_import

pytestmark = pytest.mark.django_db

THINGS = "Ana Bela Cora Paris Lyon Rome Acme Globex tea".split()
KINDS = "Person Place Organization Animal".split()
PREDICATES = (
    "livesIn spouse bornIn likes dislikes knows parentOf locatedIn worksFor isA childOf owns capitalOf founded".split()
)


def made_up(seed: int) -> bytes:
    """Facts about few things, so that many replace, contradict or break something."""
    chooser = random.Random(seed)
    kinds, label = "http://schema.org", "http://www.w3.org/2000/01/rdf-schema#label"
    lines = [
        f"<http://e/{thing}> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <{kinds}/{chooser.choice(KINDS)}> ."
        for thing in THINGS
        if chooser.random() < 0.5
    ]
    lines += [f'<http://e/{thing}> <{label}> "{thing.upper()}" .' for thing in THINGS if chooser.random() < 0.3]
    for _ in range(130):
        subject, thing = chooser.choice(THINGS), chooser.choice(THINGS)
        predicate = f"https://dsmart.example/ontology#{chooser.choice(PREDICATES)}"
        lines.append(f"<http://e/{subject}> <{predicate}> <http://e/{thing}> .")
    return "\n".join(lines).encode()


def stored(space: Space) -> dict[str, list[object]]:
    """Return the graph of a space with numbers that count from its first row."""
    triples = list(TripleRecord.objects.filter(space=space).select_related("subject", "sentence").order_by("pk"))
    place = {triple.pk: number for number, triple in enumerate(triples)}
    return {
        "entities": list(
            EntityRecord.objects.filter(space=space).order_by("pk").values_list("label", "kind", "aliases__key")
        ),
        "triples": [
            (
                triple.subject.label, triple.predicate, triple.value, triple.polarity, triple.sentence.text,
                triple.superseded_at is not None, place.get(triple.superseded_by_id),
            )
            for triple in triples
        ],
        "conflicts": sorted(
            (place[old], place[new], rule, decision)
            for old, new, rule, decision in ConflictRecord.objects.filter(space=space).values_list(
                "old", "new", "rule", "decision"
            )
        ),
        "held": list(HeldFragmentRecord.objects.filter(space=space).order_by("pk").values_list("reason", flat=True)),
    }  # fmt: skip


@pytest.mark.parametrize("seed", range(4))
def test_index_of_all_passes_over_no_fact_that_breaks_something(ana, seed, monkeypatch):
    """The graph is the same where each fact is checked against the triples about the same things."""
    graphs = []
    for is_checked_each in (False, True):
        if is_checked_each:
            monkeypatch.setattr(Neighbourhood, "_may_break", lambda *parts: True)
        space = space_create(name=f"Imported {is_checked_each}", owner=ana)
        for part in (seed, seed + 100):
            graph_import(space=space, content=made_up(part), form=GraphFormat.N_QUADS)
        graphs.append(stored(space))
    assert graphs[0] == graphs[1]
    assert graphs[0]["held"] and graphs[0]["conflicts"], "a file without clashes shows nothing"


@pytest.mark.parametrize("lines_of", [chained, starred])
def test_queries_grow_with_the_hundreds_of_facts_only(ana, lines_of):
    counts = []
    for count in (20, 100, 200):
        space = space_create(name=f"Of {count}", owner=ana)
        with CaptureQueriesContext(connection) as queries:
            graph_import(space=space, content=document(lines_of(count)), form=GraphFormat.N_QUADS)
        counts.append(len(queries))
        assert TripleRecord.objects.filter(space=space).count() == count
    assert counts[1] - counts[0] <= 1 and counts[2] - counts[1] < 25
    assert not SentenceRecord.objects.exclude(embedding=None).exists(), "vectors are made afterwards"

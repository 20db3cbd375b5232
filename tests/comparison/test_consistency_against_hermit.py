"""The in-process check against HermiT: what the one finds inconsistent the other does too, and the other way round.

Every run of HermiT starts a Java; that graphs are consistent is therefore asked of many graphs at once, which share nothing.
"""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from memory.adapters.owl_reasoner import OwlReasoner
from memory.core.knowledge_graph.consistency.checker import find_violations
from memory.core.knowledge_graph.ontology import predicate_named
from memory.core.knowledge_graph.rdf.ontology_graph import current_graph
from memory.core.knowledge_graph.rdf.terms import SpaceNames
from memory.core.types import Triple
from tests.unit.memory.core.knowledge_graph.current_graphs import NOW, ONTOLOGY, Names

pytestmark = pytest.mark.slow

KINDS = {"p": "Person", "q": "Person", "r": "Person", "x": "Place", "y": "Place", "o": "Organization", "d": "Animal"}
PREDICATES = (
    "livesIn", "bornIn", "spouse", "hasMother", "hasParent", "hasChild", "hasSister", "hasSibling", "hasGrandmother",
    "hasGrandchild", "likes", "dislikes", "locatedIn", "hasDog", "worksFor", "age", "birthDate", "hasName", "lookAfter",
)  # fmt: skip
VALUES = ("1990", "7 May 1990", "34", "35 years old", "purple", "in his thirties")
GRAPHS = 120
INCONSISTENT = (
    ["p livesIn x", "p livesIn y"],
    ["p age 34", "p age 35"],
    ["p spouse x"],
    ["p hasSister p"],
    ["p hasMother q", "p hasChild q"],
    ["p likes x", "p dislikes x"],
    ["p worksFor o", "not p worksFor o"],
    ["p spouse q", "not q spouse *"],
    ["x locatedIn y", "y locatedIn o", "not x locatedIn o"],
    ["p age purple"],
)


def random_graph(seed: int) -> list[Triple]:
    chooser = random.Random(seed)
    said = []
    for _ in range(chooser.randint(2, 9)):
        predicate = chooser.choice(PREDICATES)
        is_value = predicate_named(predicate).range == "Literal"
        is_denial = chooser.random() < 0.2
        value = "*" if is_denial and chooser.random() < 0.3 else chooser.choice(VALUES if is_value else list(KINDS))
        said.append(f"{'not ' if is_denial else ''}{chooser.choice(list(KINDS))} {predicate} {value}")
    return Names(**KINDS).graph(*said)


def moved(triples: list[Triple], number: int) -> list[Triple]:
    """Return a graph with entities of its own, so that graphs can be joined."""
    shift = 100 * number
    return [
        replace(
            triple,
            id=triple.id + shift,
            subject=replace(triple.subject, id=triple.subject.id + shift),
            object_id=triple.object_id and triple.object_id + shift,
        )
        for triple in triples
    ]


def is_consistent(triples: list[Triple]) -> bool:
    graph = current_graph(triples, ontology=ONTOLOGY, names=SpaceNames(1), now=NOW)
    return OwlReasoner().check(graph).is_consistent


def own_verdict(triples: list[Triple]) -> bool:
    return not find_violations(triples, ontology=ONTOLOGY, now=NOW)


def test_graphs_without_a_violation_are_consistent() -> None:
    clean = [graph for graph in map(random_graph, range(GRAPHS)) if own_verdict(graph)]
    assert len(clean) >= GRAPHS // 4
    assert is_consistent([triple for number, graph in enumerate(clean) for triple in moved(graph, number)])


@pytest.mark.parametrize("said", INCONSISTENT, ids=" & ".join)
def test_every_kind_of_violation_is_an_inconsistency(said: list[str]) -> None:
    graph = Names(**KINDS).graph(*said)
    assert (own_verdict(graph), is_consistent(graph)) == (False, False)


@pytest.mark.parametrize("seed", range(2))
def test_violations_of_random_graphs_are_inconsistencies_by_themselves(seed: int) -> None:
    graphs = (random_graph(1000 * (seed + 1) + number) for number in range(GRAPHS))
    graph = next(one for one in graphs if not own_verdict(one))
    [violation, *_] = find_violations(graph, ontology=ONTOLOGY, now=NOW)
    assert not is_consistent([triple for triple in violation.triples if isinstance(triple, Triple)])

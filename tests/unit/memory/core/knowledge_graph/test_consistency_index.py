"""The incremental check says the same as one from scratch, whatever was added and removed before."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from memory.core.knowledge_graph.consistency.assertions import assertions_of_triples, facets_of
from memory.core.knowledge_graph.consistency.checker import find_violations
from memory.core.knowledge_graph.consistency.index import ConsistencyIndex
from memory.core.knowledge_graph.ontology import are_compatible, predicate_named
from tests.hypothesis_profiles import examples
from tests.unit.memory.core.knowledge_graph.current_graphs import NOW, ONTOLOGY, Names

KINDS = {"a": "Person", "b": "Person", "c": "Place", "d": "Animal", "e": ""}
PREDICATES = (
    "livesIn", "spouse", "hasMother", "hasChild", "hasSister", "hasSibling", "likes", "dislikes", "locatedIn", "hasDog",
    "age", "birthDate", "speaks",
)  # fmt: skip
VALUES = ("1990", "7 May 1990", "34", "35 years old", "purple")


@st.composite
def sayings(draw: st.DrawFn) -> str:
    predicate = draw(st.sampled_from(PREDICATES))
    is_value = predicate_named(predicate).range == "Literal"
    value = draw(st.sampled_from((*VALUES, "*") if is_value else (*KINDS, "*")))
    is_denial = value == "*" or draw(st.integers(0, 4)) == 0
    return f"{'not ' if is_denial else ''}{draw(st.sampled_from(list(KINDS)))} {predicate} {value}"


@settings(max_examples=examples(200))
@given(
    said=st.lists(sayings(), min_size=1, max_size=14),
    steps=st.lists(st.tuples(st.booleans(), st.integers(0, 13)), max_size=30),
    data=st.data(),
)
def test_incremental_check_equals_a_check_from_scratch(
    said: list[str], steps: list[tuple[bool, int]], data: st.DataObject
) -> None:
    triples = Names(**KINDS).graph(*said)
    index = ConsistencyIndex(ONTOLOGY)
    held: dict[int, object] = {}
    for is_added, place in steps:
        triple = triples[place % len(triples)]
        change = assertions_of_triples([triple], ontology=ONTOLOGY)
        if is_added:
            index.add(change)
            held[triple.id] = triple
        else:
            index.remove(change)
            held.pop(triple.id, None)
        if data.draw(st.booleans()):
            index.violations()
    from_scratch = find_violations(held.values(), ontology=ONTOLOGY, now=NOW)  # type: ignore[arg-type]
    assert index.violations() == from_scratch


@settings(max_examples=examples(100))
@given(said=st.lists(sayings(), min_size=2, max_size=10, unique=True), seed=st.randoms(use_true_random=False))
def test_order_of_the_triples_changes_nothing(said: list[str], seed: object) -> None:
    triples = Names(**KINDS).graph(*said)
    shuffled = list(triples)
    seed.shuffle(shuffled)  # type: ignore[attr-defined]
    assert find_violations(shuffled, ontology=ONTOLOGY, now=NOW) == find_violations(triples, ontology=ONTOLOGY, now=NOW)


def test_removing_everything_leaves_nothing_behind() -> None:
    triples = Names(**KINDS).graph("a likes b", "a dislikes b", "a locatedIn c", "not a locatedIn c", "a age 3")
    index = ConsistencyIndex(ONTOLOGY)
    assertions = assertions_of_triples(triples, ontology=ONTOLOGY)
    index.add(assertions)
    assert len(index.violations()) == 2
    index.remove(assertions)
    assert index.violations() == []
    assert index._groups == {}


@given(
    predicate=st.sampled_from(["livesIn", "birthDate", "bornIn", "spouse", "phoneNumber"]),
    first=st.sampled_from(["Paris", "France", "Spain", "1990", "7 May 1990", "May 1991", "7 June", "Lyon", "the USA"]),
    second=st.sampled_from(["Paris", "France", "Spain", "1990", "7 May 1990", "May 1991", "7 June", "Lyon", "the USA"]),
)
def test_facets_clash_only_where_values_are_incompatible(predicate: str, first: str, second: str) -> None:
    known = predicate_named(predicate)
    parts = {facet.name: facet.value for facet in facets_of(known, first)}
    clash = any(parts.get(facet.name, facet.value) != facet.value for facet in facets_of(known, second))
    if first == second or are_compatible(predicate, first, second):
        assert not clash
    elif parts and facets_of(known, second):
        assert clash

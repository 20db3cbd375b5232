"""What the in-process check finds, what it leaves alone, and how it says so."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memory.core.knowledge_graph.consistency.checker import find_violations, neighbourhood_of, would_break
from memory.core.knowledge_graph.consistency.explanation import explain
from memory.core.knowledge_graph.ontology import Ontology
from memory.core.types import Axiom, Fact, Modality, Tense, Triple, Violation
from tests.unit.memory.core.knowledge_graph.current_graphs import NOW, ONTOLOGY, Names
from tests.unit.memory.core.knowledge_graph.graphs import Graph, day, fact

KINDS = {"Ana": "Person", "Bo": "Person", "Paris": "Place", "Lyon": "Place", "Airbus": "Organization"}


def found(*said: str, ontology: Ontology = ONTOLOGY, **kinds: str) -> list[Violation]:
    return find_violations(Names(**{**KINDS, **kinds}).graph(*said), ontology=ontology, now=NOW)


CONFLICTS = [
    ("functional object", ["Ana livesIn Paris", "Ana livesIn Lyon"], Axiom.FUNCTIONAL, ("livesIn",)),
    ("functional both ways", ["Ana spouse Bo", "Cy spouse Bo"], Axiom.FUNCTIONAL, ("spouse",)),
    ("functional number", ["Ana age 34", "Ana age 35 years old"], Axiom.FUNCTIONAL, ("age",)),
    ("range clash", ["Ana livesIn Bo"], Axiom.DISJOINT_CLASSES, ("Person", "Lifeless")),
    ("domain clash", ["Paris hasSister Bo"], Axiom.DISJOINT_CLASSES, ("Place", "LivingBeing")),
    ("irreflexive", ["Ana hasSister Ana"], Axiom.IRREFLEXIVE, ("hasSister",)),
    ("asymmetric", ["Ana hasMother Bo", "Bo hasMother Ana"], Axiom.ASYMMETRIC, ("hasMother",)),
    ("asymmetric by inverse", ["Ana hasFather Bo", "Ana hasSon Bo"], Axiom.ASYMMETRIC, ("hasChild",)),
    ("disjoint properties", ["Ana likes tea", "Ana dislikes tea"], Axiom.DISJOINT_PROPERTIES, ("dislikes", "likes")),
    ("negative assertion", ["Ana speaks Thai", "not Ana speaks Thai"], Axiom.NEGATIVE_ASSERTION, ("speaks",)),
    ("denied of a broader one", ["Ana hasSister Bo", "not Bo hasSibling Ana"], Axiom.NEGATIVE_ASSERTION,
     ("hasSibling",)),
    ("denied altogether", ["not Bo spouse *", "Ana spouse Bo"], Axiom.NEGATIVE_ASSERTION, ("spouse",)),
    ("denied of a chain", ["a locatedIn b", "b locatedIn c", "not a locatedIn c"], Axiom.NEGATIVE_ASSERTION,
     ("locatedIn",)),
    ("bad number", ["Ana age purple"], Axiom.DATATYPE, ("age", "number")),
    ("bad date", ["Ana birthDate next summer"], Axiom.DATATYPE, ("birthDate", "date")),
]  # fmt: skip


@pytest.mark.parametrize(("said", "axiom", "terms"), [row[1:] for row in CONFLICTS], ids=[row[0] for row in CONFLICTS])
def test_conflict_is_found_with_its_axiom_and_all_its_triples(
    said: list[str], axiom: Axiom, terms: tuple[str, ...]
) -> None:
    [violation] = found(*said)
    assert (violation.axiom, violation.terms) == (axiom, terms)
    assert len(violation.triples) == len(said)


@pytest.mark.parametrize("said", [row[1] for row in CONFLICTS], ids=[row[0] for row in CONFLICTS])
def test_conflict_is_gone_without_any_one_of_its_triples(said: list[str]) -> None:
    for left_out in range(len(said)):
        assert found(*(one for place, one in enumerate(said) if place != left_out)) == []


def test_two_stated_kinds_that_exclude_each_other_clash() -> None:
    names = Names(Max="Person")
    person = names.triple("Max likes tea")
    names._kinds["Max"] = "Event"
    event = names.triple("Max likes jam")
    [violation] = find_violations([person, event], ontology=ONTOLOGY, now=NOW)
    assert (violation.axiom, violation.terms) == (Axiom.DISJOINT_CLASSES, ("Event", "Person"))


@pytest.mark.parametrize(
    "said",
    [
        ["Ana livesIn Paris", "Ana livesIn France"],
        ["Ana bornIn Paris", "Ana livesIn Lyon"],
        ["Ana birthDate 1990", "Ana birthDate 7 May 1990", "Ana birthDate 7 May"],
        ["Ana age 34", "Ana age 34 years old", "Ana age mid-thirties"],
        ["Ana birthDate Christmas Eve"],
        ["Ana worksFor Airbus", "Ana worksFor Siemens", "Ana hasSister Bo", "Ana hasSister Cy"],
        ["Ana hasSister Bo", "Bo hasSister Ana"],
        ["Ana hasBoss Ana"],
        ["Ana likes tea", "Ana dislikes coffee", "not Ana likes milk"],
        ["a locatedIn b", "b locatedIn a"],
        ["Ana livesIn Paris", "Ana livesIn paris"],
        ["not Ana livesIn Paris", "not Ana livesIn *"],
        ["Ana hasNumberOfSisters two", "Bo hasName 007"],
        ["Ana hasMother Bo", "Bo hasDaughter Ana"],
    ],
    ids=" & ".join,
)
def test_what_can_be_true_together_is_no_conflict(said: list[str]) -> None:
    assert found(*said) == []


@pytest.mark.parametrize(
    "said",
    [
        ["Ana worksFor Paris"],
        ["Ana livesIn Airbus"],
        ["Airbus hasNeighbor Paris"],
        ["Airbus hasParent Siemens"],
        ["Rex hasMother Luna", "Ana hasDog Rex"],
        ["Ana hasDoctor Airbus"],
    ],
    ids=" & ".join,
)
def test_a_kind_is_weak_evidence(said: list[str]) -> None:
    assert found(*said, Rex="Animal", Luna="Animal", Siemens="Organization") == []


def test_what_people_declare_of_a_predicate_is_an_axiom() -> None:
    said = ("Ana drives Volvo", "Ana drives Fiat")
    assert found(*said) == []
    [violation] = found(*said, ontology=Ontology(declared={"drives": True}))
    assert (violation.axiom, violation.terms) == (Axiom.FUNCTIONAL, ("drives",))
    assert found("Ana livesIn Paris", "Ana livesIn Lyon", ontology=Ontology(declared={"livesIn": False})) == []


@pytest.mark.parametrize(
    "fields",
    [
        {"tense": Tense.PAST},
        {"tense": Tense.FUTURE},
        {"modality": Modality.HYPOTHETICAL},
        {"modality": Modality.REPORTED},
        {"modality": Modality.ASKED},
        {"valid_to": NOW},
        {"valid_from": NOW + timedelta(days=1)},
        {"superseded_at": NOW - timedelta(days=1)},
    ],
    ids=str,
)
def test_only_what_holds_now_is_checked(fields: dict[str, object]) -> None:
    names = Names(**KINDS)
    out = names.triple("Ana livesIn Lyon", **fields)  # type: ignore[arg-type]
    assert find_violations([names.triple("Ana livesIn Paris"), out], ontology=ONTOLOGY, now=NOW) == []


def test_running_example_of_a_move_raises_no_alarm() -> None:
    graph = Graph()
    graph.say(fact("Ana", "livesIn", "Paris"), at=1)
    change = graph.say(fact("Ana", "livesIn", "Lyon", phrase="move to", valid_from=day(8)), at=9)
    replaced = {item.old.id for item in change.superseded}
    before = [triple for triple in graph.triples if triple.object == "Paris" and triple.id not in replaced]
    assert would_break(before, change.added, entity_of=Names().of_node, ontology=ONTOLOGY, now=day(10)) == []
    assert find_violations(graph.triples, ontology=ONTOLOGY, now=day(10)) == []


def test_update_that_breaks_an_axiom_names_the_old_triple_and_the_new_fact() -> None:
    names = Names(**KINDS)
    [old] = names.graph("Ana hasMother Bo")
    new = names.fact("Bo hasMother Ana")
    [violation] = would_break([old], [new], entity_of=names.of_node, ontology=ONTOLOGY, now=NOW)
    assert violation == Violation(Axiom.ASYMMETRIC, ("hasMother",), (old, new))


def test_update_is_not_blamed_for_what_was_broken_before() -> None:
    names = Names(**KINDS)
    broken = names.graph("Ana likes tea", "Ana dislikes tea")
    added = [names.fact("Ana likes tea"), names.fact("Ana likes jam")]
    assert would_break(broken, added, entity_of=names.of_node, ontology=ONTOLOGY, now=NOW) == []


def test_facts_of_one_fragment_can_clash_with_each_other() -> None:
    names = Names(**KINDS)
    added = [names.fact("Ana speaks Thai"), names.fact("not Ana speaks Thai")]
    [violation] = would_break([], added, entity_of=names.of_node, ontology=ONTOLOGY, now=NOW)
    assert violation.triples == tuple(added)


def test_fact_that_is_over_or_only_reported_breaks_nothing() -> None:
    names = Names(**KINDS)
    [old] = names.graph("Ana livesIn Paris")
    added = [
        names.fact("Ana livesIn Lyon", modality=Modality.REPORTED),
        names.fact("Ana livesIn Lyon", valid_to=NOW - timedelta(days=1)),
        names.fact("Ana livesIn Lyon", tense=Tense.PAST),
    ]
    assert would_break([old], added, entity_of=names.of_node, ontology=ONTOLOGY, now=NOW) == []


@pytest.mark.parametrize("said", [row[1] for row in CONFLICTS if len(row[1]) == 2], ids=lambda said: " & ".join(said))
def test_neighbourhood_holds_what_the_last_fact_clashes_with(said: list[str]) -> None:
    for old_said, new_said in (said, reversed(said)):
        names = Names(**KINDS)
        old, new = names.triple(old_said), names.fact(new_said)
        unrelated = names.triple("Dora likes jazz")
        near = [triple for triple in (old, unrelated) if is_near(triple, new, names)]
        assert near == [old]
        assert would_break(near, [new], entity_of=names.of_node, ontology=ONTOLOGY, now=NOW)


def is_near(triple: Triple, new: Fact, names: Names) -> bool:
    """Return whether a store that follows `Neighbourhood` to the letter reads the triple."""
    needed = neighbourhood_of([new], ontology=ONTOLOGY)
    ends = {names.entity(node.label).id for node in (new.subject, new.object) if not node.is_literal}
    is_met = triple.object_id in ends or triple.object == new.object.label or triple.is_any
    by_subject = triple.subject.id in ends and (
        triple.predicate in needed.slots or (triple.predicate in needed.pairs and is_met)
    )
    return by_subject or (triple.object_id in ends and triple.predicate in needed.reverse)


def test_neighbourhood_of_a_long_list_is_the_pair_alone() -> None:
    needed = neighbourhood_of([Names().fact("Ana likes tea")], ontology=ONTOLOGY)
    assert needed.slots == needed.reverse == frozenset()
    assert needed.pairs == {"likes", "dislikes"}


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        (["Maya hasSister Maya"], "Maya cannot be her own sister: siblings are two people."),
        (["Bo spouse Bo"], "Bo cannot be their own spouse: a marriage takes two people."),
        (["Ana hasUncle Ana"], "Ana cannot be his own uncle: that takes two."),
        (
            ["Ana livesIn Paris", "Ana livesIn Lyon"],
            "Ana lives in Paris. Ana lives in Lyon. Only one of them can be true at a time.",
        ),
        (
            ["Ana hasMother Bo", "Bo hasMother Ana"],
            "Ana's mother is Bo. Bo's mother is Ana. It cannot be so both ways round.",
        ),
        (["Ana likes tea", "Ana dislikes tea"], "Ana likes tea. Ana dislikes tea. Both cannot be true at once."),
        (
            ["Ana spouse Paris"],
            "Ana is married to Paris. Nothing can be both a place and a living being.",
        ),
        (
            ["Ana speaks Thai", "not Ana speaks Thai"],
            "Ana speaks Thai. Ana does not speak Thai. One denies what the other says.",
        ),
        (["Ana age purple"], "Ana is purple. But 'purple' is not a number."),
    ],
)
def test_violation_is_explained_in_plain_words(said: list[str], sentence: str) -> None:
    [violation] = found(*said)
    assert explain(violation) == sentence

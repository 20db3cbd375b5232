"""The reasoners run apart, give verdicts, and fail in a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest
from rdflib import Graph

from memory.adapters.owl_reasoner import OwlReasoner, explanation_lines
from memory.core.errors import ReasonerFailed
from memory.core.knowledge_graph.consistency.explanation import explanation_in_words
from memory.core.knowledge_graph.rdf.ontology_graph import current_graph
from memory.core.knowledge_graph.rdf.terms import SpaceNames
from tests.unit.memory.core.knowledge_graph.current_graphs import NOW, ONTOLOGY, Names


def owl(names: Names, *said: str) -> Graph:
    return current_graph(names.graph(*said), ontology=ONTOLOGY, names=SpaceNames(1), now=NOW)


def fake_java(folder: Path, script: str) -> Path:
    path = folder / "java"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def test_hermit_and_pellet_find_the_running_example_consistent() -> None:
    graph = owl(
        Names(Paris="Place"), "Ana livesIn Paris", "Ana livesIn France", "Ana birthDate 7 May 1990", "Ana age 34"
    )
    assert OwlReasoner().check(graph).is_consistent
    assert OwlReasoner().explain(graph).is_consistent


def test_pellet_explains_with_the_triples_and_the_axiom_in_words() -> None:
    names = Names()
    triples = names.graph("Maya hasSister Maya", "Ana likes tea")
    graph = current_graph(triples, ontology=ONTOLOGY, names=SpaceNames(1), now=NOW)
    verdict = OwlReasoner().explain(graph)
    assert not verdict.is_consistent
    words = explanation_in_words(verdict.explanation, triples, ontology=ONTOLOGY)
    assert set(words) == {
        "Maya's sister is Maya.",
        "“has sibling” takes two.",
        "“has sister” is a case of “has sibling”.",
    }


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("echo 'java.lang.OutOfMemoryError: Java heap space'; exit 1", "more than 64 MB"),
        ("echo 'Exception in thread main'; exit 1", "gave no verdict: Exception in thread main"),
        ("exit 0", "gave no verdict: it said nothing"),
        ("exec sleep 30", "no verdict after 0.3 seconds"),
    ],
)
@pytest.mark.parametrize("verb", ["check", "explain"])
def test_run_without_a_verdict_is_a_failure_that_says_why(tmp_path: Path, script: str, message: str, verb: str) -> None:
    timeout_s = 0.3 if "sleep" in script else 30
    reasoner = OwlReasoner(java=fake_java(tmp_path, script), timeout_s=timeout_s, memory_mb=64)
    with pytest.raises(ReasonerFailed, match=message):
        getattr(reasoner, verb)(owl(Names(), "Ana likes tea"))


def test_missing_java_is_named(tmp_path: Path) -> None:
    reasoner = OwlReasoner(java=tmp_path / "no" / "java")
    with pytest.raises(ReasonerFailed, match=r"needs Java, and '.*no/java' cannot be started"):
        reasoner.check(owl(Names(), "Ana likes tea"))


def test_first_of_several_explanations_is_taken() -> None:
    text = "\n1)   Irreflexive p\n     a p a\n\n2)   Functional q\n     a q b\n"
    assert explanation_lines(text) == ("Irreflexive p", "a p a")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("1 livesInTown 2", "Ana lives in Paris."),
        ("NOT (1 speaks 3)", "Ana does not speak Thai."),
        ("1 type not spouse some Thing", "Ana is not married to anyone."),
        ('1 birthDateYear "1990"^^string', "Ana's birthday is 7 May 1990."),
        ("Functional livesInTown", "“lives in” has one value at a time."),
        ("likes propertyDisjointWith dislikes", "“likes” excludes “dislikes”."),
        ("2 type Place", "Paris is a place."),
        ("spouse domain LivingBeing", "Only a living being can come before “spouse”."),
        ("ageValue range integer", "Only a number can come after “age value”."),
        ("some new form of words", "some new form of words"),
    ],
)
def test_line_of_an_explanation_is_put_in_words(line: str, words: str) -> None:
    names = Names(Paris="Place")
    triples = names.graph("Ana livesIn Paris", "not Ana speaks Thai", "not Ana spouse *", "Ana birthDate 7 May 1990")
    assert explanation_in_words([line], triples, ontology=ONTOLOGY) == [words]


def test_names_that_tell_things_apart_are_not_told() -> None:
    triples = Names().graph("Ana livesIn Paris")
    assert explanation_in_words(['2 uid "paris"^^string', "Functional uid"], triples, ontology=ONTOLOGY) == []

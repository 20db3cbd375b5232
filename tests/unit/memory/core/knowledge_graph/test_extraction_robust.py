"""Classes of sentences that the parser gets wrong, or that need what was said before."""

from __future__ import annotations

import pytest

from memory.core.types import Modality
from tests.unit.memory.core.knowledge_graph.conftest import Read, asserted

SENTENCES = [
    ("My friend Mia lives in Lyon.", "Sam hasFriend Mia; Mia livesIn Lyon"),
    ("My friend Rob works for Airbus.", "Sam hasFriend Rob; Rob worksFor Airbus"),
    ("My cousin Vic studies law.", "Sam hasCousin Vic; Vic studies law"),

    ("My ex-wife Rita lives in Bonn.", "Sam hasEx Rita; Rita livesIn Bonn"),
    ("My wife Julia and I have a dog called Rex.", "Sam spouse Julia; Sam hasDog Rex; Julia hasDog Rex; Rex isA dog"),
    ("I got married to Paul in 2019.", "Sam spouse Paul; Sam maritalStatus married"),



    ("We divorced last year.", "Sam maritalStatus divorced; not Sam spouse anything"),







    ("I'm reading Dune.", "Sam reads Dune"),
    ("I have two brothers, Xan and Yul, and no sisters.",
     "Sam hasBrother Xan; Sam hasBrother Yul; not Sam hasSister anything"),
    ("I've been one 'cause I like it.", ""),
    ("Losing my job was a bummer.", ""),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), SENTENCES)
def test_sentence_is_read_whatever_the_parse(read: Read, text: str, expected: str) -> None:
    assert asserted(read(text)) == set(filter(None, expected.split("; ")))


@pytest.mark.parametrize(
    ("before", "text", "expected"),
    [
        ("My neighbour Karl has a dog.", "He plays the violin.", "Karl plays violin"),
        ("My name is Sara. I live in Rome.", "Actually, it's Sarah, not Sara.", "Sam hasName Sarah"),
    ],
)
def test_sentence_is_read_with_what_came_before(read: Read, before: str, text: str, expected: str) -> None:
    assert set(expected.split("; ")) == asserted(read(text, *before.split(". ")))


def test_contrast_to_a_report_is_the_speakers_own(read: Read) -> None:
    facts = read("My brother says I live in Madrid, but I live in Seville.")
    assert {"Sam livesIn Seville"} <= asserted(facts) and "Sam livesIn Madrid" not in asserted(facts)


def test_date_stays_in_its_clause(read: Read) -> None:
    home = next(fact for fact in read("I live in Rome and my birthday is on 7 May.") if fact.predicate == "livesIn")
    assert home.valid_from is None


def test_reported_fact_names_nobody(read: Read) -> None:
    facts = read('My neighbour said: "I have a dog called Bruno."')
    assert facts and all(fact.modality is Modality.REPORTED and not fact.object.aliases for fact in facts)

"""Classes of sentences that the parser gets wrong, or that need what was said before."""

from __future__ import annotations

import pytest

from memory.core.knowledge_graph.extraction.repairs import is_tree
from memory.core.types import Modality, Token
from tests.unit.memory.core.knowledge_graph.conftest import Read, asserted

SENTENCES = [
    ("My friend Mia lives in Lyon.", "Sam hasFriend Mia; Mia livesIn Lyon"),
    ("My friend Rob works for Airbus.", "Sam hasFriend Rob; Rob worksFor Airbus"),
    ("My cousin Vic studies law.", "Sam hasCousin Vic; Vic studies law"),
    ("My sister Maya is a nurse and lives in Berlin.", "Sam hasSister Maya; Maya worksAs nurse; Maya livesIn Berlin"),
    ("My ex-wife Rita lives in Bonn.", "Sam hasEx Rita; Rita livesIn Bonn"),
    ("My wife Julia and I have a dog called Rex.", "Sam spouse Julia; Sam hasDog Rex; Julia hasDog Rex; Rex isA dog"),
    ("I got married to Paul in 2019.", "Sam spouse Paul; Sam maritalStatus married"),
    ("Adrian enjoys reading and exploring different genres.", "Adrian likes reading; Adrian likes exploring"),
    ("I love hiking and reading.", "Sam likes hiking; Sam likes reading"),
    ("I like cooking, painting and long walks.", "Sam likes cooking; Sam likes painting; Sam likes long walks"),
    ("We divorced last year.", "Sam maritalStatus divorced; not Sam spouse anything"),
    ("I'm moving to Oslo next month.", "will Sam livesIn Oslo"),
    ("We relocated to Antwerp two weeks ago.", "Sam livesIn Antwerp"),
    ("I moved back to Split last week.", "Sam livesIn Split"),
    ("My phone number is 555-1234 and my email is kim@x.org.", "Sam phoneNumber 555-1234; Sam email kim@x.org"),
    ("I have two hobbies: chess and judo.", "Sam hasHobby chess; Sam hasHobby judo"),
    ("I changed my name to Alex.", "Sam hasName Alex"),
    ("I was diagnosed with asthma.", "Sam hasCondition asthma"),
    ("I'm reading Dune.", "Sam reads Dune"),
    ("I have two brothers, Xan and Yul, and no sisters.",
     "Sam hasBrother Xan; Sam hasBrother Yul; Sam hasNumberOfBrothers 2; not Sam hasSister anything"),
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
        (
            "My friends Al and Bo are married.",
            "They have three kids.",
            "Bo hasNumberOfChildren 3; Al hasNumberOfChildren 3",
        ),
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


@pytest.mark.parametrize(("heads", "expected"), [((1, 1, 1), True), ((1, 2, 0), False), ((0, 0, 1), True)])
def test_tree_has_no_circle(heads: tuple[int, ...], expected: bool) -> None:
    tokens = [Token(i, "a", "a", "X", "X", "dep", head, i, i + 1) for i, head in enumerate(heads)]
    assert is_tree(tokens) is expected

"""What a sentence means after others: pronouns, corrections, dates, and the shape of nodes."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memory.core.knowledge_graph.extraction.rule_based import RuleBasedExtractor
from memory.core.types import Fact, Role, Utterance
from tests.unit.memory.core.knowledge_graph.conftest import SAID_AT, Read, asserted


def fact_of(facts: list[Fact], predicate: str) -> Fact:
    return next(fact for fact in facts if fact.predicate == predicate)


@pytest.mark.parametrize(
    ("before", "text", "expected"),
    [
        ("My sister lives in Oslo.", "She works for Equinor.", "Sam's sister worksFor Equinor"),
        (
            "My sister Maya lives in Rome.",
            "Her husband is a pilot.",
            "Maya's husband worksAs pilot; Maya spouse Maya's husband",
        ),
        ("My brother Dan is a chef.", "He lives in Cork.", "Dan livesIn Cork"),
        ("I live in Paris.", "No, it's Lyon, not Paris.", "Sam livesIn Lyon"),
        ("I live in Paris.", "Not Paris, Lyon.", "Sam livesIn Lyon"),
        ("My sister's name is Ana.", "No, her name is Anna.", "Ana hasName Anna"),
        ("I speak French.", "Sorry, I meant Spanish.", "not Sam speaks French; Sam speaks Spanish"),
    ],
)
def test_sentence_is_read_after_the_one_before(read: Read, before: str, text: str, expected: str) -> None:
    assert set(expected.split("; ")) == asserted(read(text, before))


def test_pronoun_without_anyone_in_focus_is_nobody(read: Read) -> None:
    assert asserted(read("She works for Equinor.")) == set()


def test_pronoun_does_not_mean_a_person_of_another_gender(read: Read) -> None:
    facts = asserted(read("He works for Equinor.", "My brother lives in Oslo.", "My sister lives in Bergen."))
    assert facts == {"Sam's brother worksFor Equinor"}


@pytest.mark.parametrize(
    ("text", "predicate", "start", "end"),
    [
        ("I moved to Lyon last week.", "livesIn", datetime(2023, 5, 1, tzinfo=UTC), None),
        ("I've lived in Madrid since 2019.", "livesIn", datetime(2019, 1, 1, tzinfo=UTC), None),
        ("I joined Spotify in 2021.", "worksFor", datetime(2021, 1, 1, tzinfo=UTC), None),
        ("I have been learning the piano for three years.", "learns", datetime(2020, 1, 1, tzinfo=UTC), None),
        ("I used to live in Paris.", "livesIn", None, SAID_AT),
        ("I went to Japan last year.", "wentTo", datetime(2022, 1, 1, tzinfo=UTC), datetime(2023, 1, 1, tzinfo=UTC)),
        ("I'm moving to Berlin next month.", "livesIn", datetime(2023, 6, 1, tzinfo=UTC), None),
        ("I live in Paris.", "livesIn", None, None),
    ],
)
def test_fact_holds_in_the_time_that_the_words_give(
    read: Read, text: str, predicate: str, start: datetime | None, end: datetime | None
) -> None:
    fact = fact_of(read(text), predicate)
    assert (fact.valid_from, fact.valid_to) == (start, end)


def test_speaker_node_is_the_speaker(read: Read) -> None:
    subject = fact_of(read("I live in Paris."), "livesIn").subject
    assert (subject.label, subject.kind, subject.is_speaker) == ("Sam", "Person", True)


def test_named_relation_answers_to_its_role(read: Read) -> None:
    maya = fact_of(read("My older sister Maya works at Airbus."), "hasSister").object
    assert (maya.label, maya.kind) == ("Maya", "Person")
    assert {"Sam's sister", "Sam's older sister"} <= set(maya.aliases)


def test_place_employer_and_pet_have_their_kinds(read: Read) -> None:
    assert fact_of(read("I live in Paris."), "livesIn").object.kind == "Place"
    assert fact_of(read("I work for Airbus."), "worksFor").object.kind == "Organization"
    assert fact_of(read("I have a dog called Rex."), "hasDog").object.kind == "Animal"


def test_age_is_a_literal_and_a_denied_everything_is_marked(read: Read) -> None:
    assert fact_of(read("My sister is 34."), "age").object.is_literal
    assert fact_of(read("I quit my job."), "worksFor").object.is_any


def test_with_whom_something_was_shared_once_is_not_told(read: Read) -> None:
    assert asserted(read("I shared the news with Paolo.")) == set()
    assert asserted(read("I shared my lunch with Paolo.")) == set()


def test_batch_reads_as_its_sentences_after_each_other(extractor: RuleBasedExtractor, read: Read) -> None:
    said = [Utterance("Sam", Role.USER, text, SAID_AT) for text in ("My mother lives in Graz.", "She is a doctor.")]
    in_batch = [asserted(fragment.facts) for fragment in extractor.extract_many(said)]
    assert in_batch == [asserted(read(said[0].text)), asserted(read(said[1].text, said[0].text))]
    assert "Sam's mother worksAs doctor" in in_batch[1]


def test_a_pronoun_within_the_phrase_that_it_may_mean_has_another_antecedent(read: Read) -> None:
    text = (
        "My flatmate Oyuna is from Ulaanbaatar, her girlfriend Petra is from Kladno, and between them they cook the "
        "strangest dumplings I have ever eaten."
    )
    assert asserted(read(text)) == {"Sam hasRoommate Oyuna", "Petra comesFrom Kladno"}

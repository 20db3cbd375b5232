"""What the message reader tells by its own weights, for which there is no rule."""

from __future__ import annotations

import pytest

from memory.core.knowledge_graph.extraction.learned.extractor import LearnedExtractor
from memory.core.types import Role, Utterance
from tests.fakes.language import real_extractor
from tests.unit.memory.core.knowledge_graph.conftest import SAID_AT, asserted


@pytest.fixture(scope="module")
def built_in() -> LearnedExtractor:
    return real_extractor()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("we don't have the boat any more, sold it in May.", "not Sam owns boat"),
        ("I own no car.", "not Sam owns car"),
        ("I don't have a driving licence.", "not Sam owns driving licence"),
        ("Trust me, I own a boat.", "Sam owns boat"),
        ("I bought a Tesla last month.", "Sam owns Tesla"),
        ("My sister has a boat.", "Sam's sister owns boat"),
        ("My boss doesn't have a car.", "not Sam's boss owns car"),
        ("I lost my job at DoorDash.", "was Sam worksFor DoorDash"),
    ],
)
def test_what_somebody_has_is_read_without_a_rule(built_in: LearnedExtractor, text: str, expected: str) -> None:
    [fragment] = built_in.extract_many([Utterance("Sam", Role.USER, text, SAID_AT)])
    assert expected in asserted(fragment.facts)


@pytest.mark.parametrize(
    ("text", "homes"),
    [
        ("My uncle Luca lives in Siena and his wife Elena teaches Latin.", {("Luca", "Siena")}),
        ("We live in Tromsø and my cousin Ingvild sells boats.", {("Sam", "Tromsø")}),
        ("Our neighbour Ravi lives in number nine with his son Arjun.", set()),
    ],
)
def test_nobody_lives_in_a_person(built_in: LearnedExtractor, text: str, homes: set[tuple[str, str]]) -> None:
    [fragment] = built_in.extract_many([Utterance("Sam", Role.USER, text, SAID_AT)])
    lived = {(fact.subject.label, fact.object.label) for fact in fragment.facts if fact.predicate == "livesIn"}
    assert homes <= lived and not {place for _, place in lived} & {"Elena", "Ingvild", "Arjun"}


def test_correction_has_its_predicate_from_what_was_said_before(built_in: LearnedExtractor) -> None:
    said = [("My rabbit Clover is 3.", 10), ("Oops, I meant 4.", 11)]
    first, second = [Utterance("Sam", Role.USER, text, SAID_AT.replace(hour=hour)) for text, hour in said]
    [fragment] = built_in.extract_many([second], context=[first])
    assert "Clover age 4" in asserted(fragment.facts)
    assert not any(fact.predicate == "mean" for fact in fragment.facts)

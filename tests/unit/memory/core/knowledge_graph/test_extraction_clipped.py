"""Clipped answers that say nothing."""

from __future__ import annotations

import pytest

from memory.core.knowledge_graph.extraction.rule_based import RuleBasedExtractor
from memory.core.types import Role, Utterance
from tests.unit.memory.core.knowledge_graph.conftest import SAID_AT, asserted


def answered(extractor: RuleBasedExtractor, asked: str, answer: str, *before: str) -> set[str]:
    """Return what an answer to the assistant's question asserts, after what the user said before that."""
    said = [Utterance("Sam", Role.USER, text, SAID_AT.replace(minute=place)) for place, text in enumerate(before)]
    said.append(Utterance("Assistant", Role.ASSISTANT, asked, SAID_AT.replace(minute=30)))
    turn = Utterance("Sam", Role.USER, answer, SAID_AT.replace(minute=31))
    return asserted(extractor.extract_many([turn], context=said)[0].facts)


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("Do you live in Rome?", "Sometimes."),
        ("Do you live in Rome?", "Lol why"),
        ("Do you have a dog?", "Thanks"),
        ("Do you have a dog?", "Maybe."),
        ("Any allergies?", "Not that I know of."),
        ("Any questions?", "Yes."),
        ("Do you want me to remind you?", "Every day."),
        ("Can you see it?", "A little."),
        ("Do you prefer tea or coffee?", "Neither."),
        ("How long will it take?", "Ten minutes."),
        ("What should I call you?", "Whatever you like."),
        ("Are you from Spain?", "Great question!"),
    ],
)
def test_an_answer_that_says_nothing_teaches_nothing(asked: str, answer: str, extractor: RuleBasedExtractor) -> None:
    assert answered(extractor, asked, answer) == set()


def test_there_is_no_place_that_was_only_visited(extractor: RuleBasedExtractor) -> None:
    said = [Utterance("Sam", Role.USER, text, SAID_AT) for text in ("I visited Rome.", "My cousin lives there.")]
    facts = [fact for fragment in extractor.extract_many(said) for fact in fragment.facts]
    assert not any(fact.predicate == "livesIn" for fact in facts)

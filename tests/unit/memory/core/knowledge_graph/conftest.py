"""The built-in extractor over the shipped parser, and a short notation for what it reads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import pytest

from memory.core.knowledge_graph.extraction.learned.extractor import LearnedExtractor
from memory.core.types import Fact, Modality, Polarity, Role, Tense, Utterance
from tests.fakes.language import real_extractor

# A Wednesday.
SAID_AT = datetime(2023, 5, 10, 15, 0, tzinfo=UTC)

Read = Callable[..., list[Fact]]


@pytest.fixture(scope="session")
def extractor() -> LearnedExtractor:
    return real_extractor()


@pytest.fixture
def read(extractor: LearnedExtractor) -> Read:
    """Return the facts of a sentence that Sam says, after what Sam said before."""

    def facts(text: str, *before: str, role: Role = Role.USER) -> list[Fact]:
        said = [Utterance("Sam", Role.USER, earlier, SAID_AT.replace(hour=10 + i)) for i, earlier in enumerate(before)]
        sentence = Utterance("Sam", role, text, SAID_AT)
        return list(extractor.extract_many([sentence], context=said)[0].facts)

    return facts


def notation(fact: Fact) -> str:
    """Return a fact as "Sam livesIn Paris", with "not", "was" or "will" before it where it is denied, past or planned."""
    marks = ["not"] if fact.polarity is Polarity.NEGATIVE else []
    marks += {Tense.PAST: ["was"], Tense.FUTURE: ["will"]}.get(fact.tense, [])
    return " ".join([*marks, fact.subject.label, fact.predicate, fact.object.label])


def asserted(facts: Sequence[Fact]) -> set[str]:
    return {notation(fact) for fact in facts if fact.modality is Modality.ASSERTED}

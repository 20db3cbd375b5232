"""What the extractor reads of several people at once, and of chat without capitals."""

from __future__ import annotations

import pytest

from memory.core.types import Polarity
from tests.unit.memory.core.knowledge_graph.conftest import Read

PEOPLE = (("My cousin Isla drives a Mini.", "Sam hasCousin Isla; Isla drives Mini"),)
SILENT = (
    "Is my exam on 3 May?",
    "They might move my exam to 3 May.",
    "I met Tom at the party on 3 May.",
    "We had dinner on 3 May.",
)


def told(read: Read, text: str, *before: str) -> set[str]:
    return {
        f"{fact.subject.label} {fact.predicate} {fact.object.label}"
        for fact in read(text, *before)
        if fact.polarity is Polarity.POSITIVE
    }


@pytest.mark.parametrize(("text", "expected"), PEOPLE)
def test_each_person_keeps_what_is_said_of_them(read: Read, text: str, expected: str) -> None:
    assert set(expected.split("; ")) == told(read, text)


@pytest.mark.parametrize("text", SILENT)
def test_no_day_is_read_where_none_is_told(read: Read, text: str) -> None:
    assert not any(fact.endswith("3 May") for fact in told(read, text))


def test_a_period_keeps_both_its_ends(read: Read) -> None:
    [lived] = [fact for fact in read("I lived in Rome from 2015 to 2018.") if fact.predicate == "livesIn"]
    assert (lived.valid_from.year, lived.valid_to.year) == (2015, 2018)  # type: ignore[union-attr]

"""What a correction is about, by what its speaker told before, and what it takes back."""

from __future__ import annotations

import pytest

from memory.core.knowledge_graph.extraction.learned.righting import corrected_by, shape_of, taken_back
from memory.core.types import Fact, Modality, Node, Polarity, Span, Tense

WHERE = Span(0, 4)


def fact(predicate: str, value: str, *, subject: str = "Ana", **how: object) -> Fact:
    return Fact(Node(subject), predicate, Node(value), WHERE, **how)  # type: ignore[arg-type]


EARLIER = (fact("hasBrother", "Rohan"), fact("age", "9", subject="Pickle"), fact("livesIn", "Rome"))


@pytest.mark.parametrize(
    ("value", "denied", "predicate"),
    [("Rohit", ["Rohan"], "hasBrother"), ("", ["rohan"], "hasBrother"), ("ten", [], "age"), ("Lyon", [], "livesIn")],
)
def test_correction_is_of_the_value_it_denies_else_of_the_latest_of_its_shape(
    value: str, denied: list[str], predicate: str
) -> None:
    wrong = corrected_by(value, denied, EARLIER)
    assert wrong is not None
    assert wrong.predicate == predicate


@pytest.mark.parametrize(("value", "denied"), [("blue", []), ("", ["Porto"]), ("", [])])
def test_correction_of_nothing_that_was_told_is_of_none(value: str, denied: list[str]) -> None:
    assert corrected_by(value, denied, EARLIER) is None


@pytest.mark.parametrize(
    "how", [{"polarity": Polarity.NEGATIVE}, {"tense": Tense.PAST}, {"modality": Modality.REPORTED}]
)
def test_only_what_stood_is_corrected(how: dict[str, object]) -> None:
    assert corrected_by("8", [], [fact("age", "9", **how)]) is None


def test_corrected_value_takes_back_the_only_other_of_its_slot() -> None:
    right = fact("hasCat", "Mokka")
    mocha, felix = fact("hasCat", "Mocha"), fact("hasCat", "Felix")
    [denial] = taken_back(right, [mocha, fact("hasCat", "Mokka"), fact("hasCat", "Tom", subject="Bo")])
    assert (denial.object.label, denial.polarity) == ("Mocha", Polarity.NEGATIVE)
    assert not list(taken_back(right, [mocha, felix]))
    assert not list(taken_back(fact("livesIn", "Lyon"), [fact("livesIn", "Rome")]))


@pytest.mark.parametrize(
    ("value", "shape"),
    [("9", "number"), ("four", "number"), ("5 May", "date"), ("the 6th", "date"), ("Lyon", "name"), ("tea", "word")],
)
def test_shape_is_that_of_the_value(value: str, shape: str) -> None:
    assert shape_of(value) == shape

"""Measures whether a memory superseded what it had to, and nothing else.

Precision: the share of superseded triples whose value had to go. Recall: the share of values that had to go and that a
superseded triple had. Wrongly retired: the share of values that had to stay and were stored, but were superseded and not
stated again. Only believed triples count: asserted and not denied.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from evaluation.core.answer_match import states
from evaluation.core.folding import contains_words
from evaluation.core.interval_rows import grouped, ratio_row
from evaluation.core.report import Row
from evaluation.core.types import CaseQuestion

NAME = "updates"
NUMBERS = {
    word: str(number)
    for number, word in enumerate("zero one two three four five six seven eight nine ten eleven twelve".split())
}


@dataclass(frozen=True)
class StoredTriple:
    """A believed triple of a memory: its slot, its words, whether it was superseded, and whether it is about the past."""

    subject: str
    predicate: str
    value: str
    is_superseded: bool
    is_past: bool = False


@dataclass(frozen=True)
class Expectation:
    """The values of a case that must be `retired` and those that must be `kept`.

    `is_whole` says that nothing else may be retired; otherwise what it does not name is not judged.
    """

    retired: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    is_whole: bool = True


@dataclass(frozen=True)
class Judgement:
    """The observations that a case adds to each of the three figures; true where an observation counts."""

    case: str
    category: str
    superseded_rightly: tuple[bool, ...]
    expected_found: tuple[bool, ...]
    kept_lost: tuple[bool, ...]


FIGURES: tuple[tuple[str, Callable[[Judgement], tuple[bool, ...]], str], ...] = (
    ("supersession_precision", lambda one: one.superseded_rightly, "nothing was given up"),
    ("supersession_recall", lambda one: one.expected_found, "nothing had to go"),
    ("wrongly_retired", lambda one: one.kept_lost, "nothing that must stay was stored"),
)


def judge(case: str, category: str, expected: Expectation, stored: Sequence[StoredTriple]) -> Judgement:
    """Compare what was superseded in a case with what had to be."""
    given_up = [triple for triple in stored if triple.is_superseded and not is_said_again(triple, stored)]
    return Judgement(
        case=case,
        category=category,
        superseded_rightly=tuple(
            names_any(expected.retired, triple.value)
            for triple in given_up
            if expected.is_whole or names_any((*expected.retired, *expected.kept), triple.value)
        ),
        expected_found=tuple(any(names(old, triple.value) for triple in given_up) for old in expected.retired),
        kept_lost=tuple(
            any(names(value, triple.value) for triple in given_up)
            for value in expected.kept
            if any(names(value, triple.value) for triple in stored)
        ),
    )


def is_said_again(triple: StoredTriple, stored: Sequence[StoredTriple]) -> bool:
    """Return whether another active row states the same fact, so that only a row was replaced."""
    return any(
        (other.subject, other.predicate) == (triple.subject, triple.predicate) and names(triple.value, other.value)
        for other in stored
        if not other.is_superseded
    )


def expectation_from_questions(questions: Sequence[CaseQuestion], stored: Sequence[StoredTriple]) -> Expectation:
    """Return what questions alone tell, for a file that does not say what must go.

    A value that a question forbids had to go where the same subject and predicate later got one of its answers; "not"
    holds other people's values too, which the slot tells apart. What was said of the past never had to go. An answer
    that no question forbids had to stay.
    `stored` is in the order of recording.
    """
    retired = dict.fromkeys(
        old
        for question in questions
        for old in question.forbidden
        if any(
            names(old, before.value) and any(names(answer, after.value) for answer in question.answers or ())
            for index, after in enumerate(stored)
            for before in stored[:index]
            if not before.is_past and (before.subject, before.predicate) == (after.subject, after.predicate)
        )
    )
    forbidden = [value for question in questions for value in question.forbidden]
    kept = dict.fromkeys(
        answer for question in questions for answer in question.answers or () if not names_any(forbidden, answer)
    )
    return Expectation(retired=tuple(retired), kept=tuple(kept), is_whole=False)


def names(wanted: str, value: str) -> bool:
    """Return whether a stored value is the meant one: the words of either include the other's ("boat", "a sailing boat").

    Dates and small numbers are compared by meaning ("three", "3").
    """
    wanted, value = in_digits(wanted), in_digits(value)
    return states(value, wanted) or contains_words(wanted, value)


def in_digits(text: str) -> str:
    return " ".join(NUMBERS.get(word.casefold(), word) for word in text.split())


def names_any(wanted: Sequence[str], value: str) -> bool:
    return any(names(one, value) for one in wanted)


def supersession_rows(judgements: Sequence[Judgement]) -> list[Row]:
    """Return the three figures for all cases, then for each category that has something to count."""
    groups = grouped((one for one in judgements if one.category), lambda one: one.category)
    by_category = [row for category, group in groups.items() for row in group_rows(group, category)]
    return [*group_rows(judgements, ""), *(row for row in by_category if row.value is not None)]


def group_rows(judgements: Sequence[Judgement], group: str) -> list[Row]:
    return [
        ratio_row(NAME, metric, {one.case: observed(one) for one in judgements}, group=group, none=none)
        for metric, observed, none in FIGURES
    ]

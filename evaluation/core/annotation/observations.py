"""Counts what two sides said of the same items, so that a weight for each distinct sum of labels gives all the counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation.core.annotation.answers import NO_FACTS, SOME_FACTS
from evaluation.core.annotation.patterns import FINAL, MACHINE, Pattern
from evaluation.core.annotation.types import Question, QuestionForm

Floats = NDArray[np.float64]
PEOPLE_AND_MACHINE = ("people", "machine")
Names = tuple[str, str]


class Meeting(NamedTuple):
    """Two labels of one item, by whom, with the facts that they share and that they have in all. `of` are all of the item."""

    names: Names
    labels: Names
    shared: int = 0
    facts: int = 0
    of: int = 2


@dataclass(frozen=True)
class Counts:
    """What was counted, or what is drawn, over leading axes.

    `tables` are (pair, label of the one, label of the other); `coincidences` (label, label) over both orders, where all
    labels of an item weigh as much as there are of them (Krippendorff); `facts` are (pair, shared or in all).
    """

    tables: Floats
    coincidences: Floats
    facts: Floats


@dataclass(frozen=True)
class Observations:
    """The items of which two sides said something: how many have which meetings, and what each adds to which count."""

    labels: tuple[str, ...]
    pairs: tuple[Names, ...]
    weights: NDArray[np.int64]
    rows: NDArray[np.int64]
    cells: NDArray[np.int64]
    values: Floats

    def counted(self, drawn: NDArray[np.int64]) -> Counts:
        """Return the counts for weights (draw, distinct items)."""
        size, pairs = len(self.labels), len(self.pairs)
        of_tables, of_both = pairs * size**2, size**2
        totals = np.stack(
            [
                np.bincount(self.cells, weights[self.rows] * self.values, of_tables + of_both + 2 * pairs)
                for weights in drawn
            ],
            dtype=np.float64,
        )
        return Counts(
            totals[:, :of_tables].reshape(-1, pairs, size, size),
            totals[:, of_tables : of_tables + of_both].reshape(-1, size, size),
            totals[:, of_tables + of_both :].reshape(-1, pairs, 2),
        )


def labels_asked(question: Question) -> tuple[str, ...]:
    if question.form is QuestionForm.FACTS:
        return (NO_FACTS, SOME_FACTS)
    return tuple(label.name for label in question.labels)


def people_met(question: Question, pattern: Pattern) -> Iterator[Meeting]:
    """Yield the meetings of each two people, by name."""
    said = people_said(question, pattern)
    for (one, name, label), (other, second, another) in combinations(said, 2):
        yield Meeting((name, second), (label, another), *facts_met(question, pattern, one, other), of=len(said))


def machine_met(question: Question, pattern: Pattern) -> Iterator[Meeting]:
    """Yield the meeting of the final answer and the machine's or, while there is none, those of each person's and it."""
    if (machine := pattern.machine.get(question.name)) is None:
        return
    final = pattern.final.get(question.name)
    said = people_said(question, pattern) if final is None else [(FINAL, "", final)]
    for side, _, label in said:
        yield Meeting(PEOPLE_AND_MACHINE, (label, machine), *facts_met(question, pattern, side, MACHINE))


def people_said(question: Question, pattern: Pattern) -> list[tuple[int, str, str]]:
    """Return the place, the name and the label of each person; a pattern has them in order."""
    return [
        (place, name, labels[question.name])
        for place, (name, labels) in enumerate(pattern.people.items())
        if question.name in labels
    ]


def facts_met(question: Question, pattern: Pattern, one: int, other: int) -> tuple[int, int]:
    for overlap in pattern.overlaps.get(question.name, ()):
        if (overlap.one, overlap.other) == (one, other):
            return overlap.shared, overlap.of_one + overlap.of_other
    return 0, 0


def observed(
    question: Question,
    counts: Counter[Pattern],
    meetings_of: Callable[[Question, Pattern], Iterator[Meeting]],
) -> Observations | None:
    """Return what there is to compare, None where there is nothing. Items alike in all that meets are one."""
    alike: Counter[tuple[Meeting, ...]] = Counter()
    for pattern, count in counts.items():
        if meetings := tuple(meetings_of(question, pattern)):
            alike[meetings] += count
    if not alike:
        return None
    kinds = sorted(alike)
    met = [meeting for meetings in kinds for meeting in meetings]
    asked = labels_asked(question)
    labels = (*asked, *sorted({label for one in met for label in one.labels} - set(asked)))
    pairs = tuple(sorted({one.names for one in met}))
    rows, cells, values = zip(*entries(kinds, labels, pairs), strict=True)
    return Observations(
        labels, pairs, np.array([alike[one] for one in kinds]), np.array(rows), np.array(cells), np.array(values, float)
    )


def entries(
    kinds: Sequence[Sequence[Meeting]], labels: Sequence[str], pairs: Sequence[Names]
) -> Iterator[tuple[int, int, float]]:
    """Yield what an item of each kind adds: its row, the cell of `Counts` laid out flat, and how much."""
    place = {label: at for at, label in enumerate(labels)}
    pair_at = {names: at for at, names in enumerate(pairs)}
    size = len(labels)
    of_tables, of_both = len(pairs) * size**2, size**2
    for row, meetings in enumerate(kinds):
        for one in meetings:
            left, right = (place[label] for label in one.labels)
            pair = pair_at[one.names]
            yield row, pair * size**2 + left * size + right, 1
            yield row, of_tables + left * size + right, 1 / (one.of - 1)
            yield row, of_tables + right * size + left, 1 / (one.of - 1)
            if one.facts:
                yield row, of_tables + of_both + 2 * pair, one.shared
                yield row, of_tables + of_both + 2 * pair + 1, one.facts

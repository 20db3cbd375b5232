"""Sums up who said what of an item, so that all figures of agreement come from how often each sum occurs.

    {"final": {"verdict": "true"}, "machine": {"verdict": "false"}, "people": {"ana": {"verdict": "true"}, "ben": {...}}}

A side that said nothing is absent. For a question of facts the label tells whether there are any, and "facts" how many two
sides have in common: [one, other, shared, facts of the one, facts of the other]. A side is the place of a person among the
names in order, or `MACHINE` or `FINAL`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import combinations
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt, ValidationError

from evaluation.core.annotation.answers import NO_FACTS, SOME_FACTS, fact_keys, label_said
from evaluation.core.annotation.types import Answer, ProjectKind, Question, QuestionForm
from evaluation.core.errors import MalformedAnnotation
from memory.core.plain_text import storable

MACHINE, FINAL = -1, -2
# An index holds patterns, and its rows are short: longer names are cut, and told apart by a digest.
NAME_LONGEST = 40
DIGEST = 8

Labels = Mapping[str, str]
Side = Annotated[int, Field(ge=FINAL)]


@dataclass(frozen=True)
class Overlap:
    """How many facts two sides have in common, and how many each has. A side is a place among the people, or not a person."""

    one: int
    other: int
    shared: int
    of_one: int
    of_other: int


@dataclass(frozen=True)
class Pattern:
    """Who said what: the labels by question of each person, by name in order, of the machine, and the final ones.

    Its text is its identity.
    """

    text: str
    people: Mapping[str, Labels] = field(default_factory=dict, compare=False)
    machine: Labels = field(default_factory=dict, compare=False)
    final: Labels = field(default_factory=dict, compare=False)
    overlaps: Mapping[str, tuple[Overlap, ...]] = field(default_factory=dict, compare=False)


class Written(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    people: dict[str, dict[str, str]] = {}
    machine: dict[str, str] = {}
    final: dict[str, str] = {}
    facts: dict[str, list[tuple[Side, Side, NonNegativeInt, NonNegativeInt, NonNegativeInt]]] = {}


def pattern_of(kind: ProjectKind, *, people: Mapping[str, Answer], machine: Answer | None, final: Answer | None) -> str:
    """Return the pattern of an item as text: the same for all items of which the same was said by the same."""
    named = dict(sorted((short_name(name), answer) for name, answer in people.items()))
    parts = {
        "people": {name: labels_of(kind, answer) for name, answer in named.items()},
        "machine": labels_of(kind, machine or {}),
        "final": labels_of(kind, final or {}),
        "facts": {
            question.name: found
            for question in kind.questions
            if question.form is QuestionForm.FACTS
            and (found := list(overlaps_of(question, list(named.values()), machine, final)))
        },
    }
    written = {name: part for name, part in parts.items() if part}
    return json.dumps(written, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def read_pattern(text: str) -> Pattern:
    """Return the pattern that a text writes. Raises `MalformedAnnotation` for one that `pattern_of` cannot have written."""
    try:
        written = Written.model_validate_json(text)
    except ValidationError as error:
        raise MalformedAnnotation(f"This sums up no labels: {text[:100]!r}. {error.errors()[0]['msg']}.") from error
    overlaps = {name: tuple(Overlap(*one) for one in found) for name, found in written.facts.items()}
    for one in (one for found in overlaps.values() for one in found):
        if one.shared > min(one.of_one, one.of_other) or max(one.one, one.other) >= len(written.people):
            raise MalformedAnnotation(f"This sums up no labels: {text[:100]!r}. Its facts cannot be so.")
    return Pattern(text, dict(sorted(written.people.items())), written.machine, written.final, overlaps)


def labels_of(kind: ProjectKind, answer: Answer) -> dict[str, str]:
    return {question.name: label for question in kind.questions if (label := label_said(question, answer)) is not None}


def overlaps_of(
    question: Question, people: list[Answer], machine: Answer | None, final: Answer | None
) -> Iterator[tuple[int, ...]]:
    sides = [*enumerate(people), *((side, said) for side, said in ((FINAL, final), (MACHINE, machine)) if said)]
    said = [(side, fact_keys(answer[question.name])) for side, answer in sides if question.name in answer]
    for (one, left), (other, right) in combinations(said, 2):
        if other >= 0 or other == MACHINE:
            yield one, other, len(left & right), len(left), len(right)


def short_name(name: str) -> str:
    """Return a name of at most `NAME_LONGEST` characters, of which two that differ stay two."""
    plain = storable(name)
    if len(plain) <= NAME_LONGEST:
        return plain
    return f"{plain[: NAME_LONGEST - DIGEST - 1]}…{sha256(plain.encode()).hexdigest()[:DIGEST]}"


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

"""Sums up who said what of an item, so that all figures of agreement come from how often each sum occurs.

    {"final": {"verdict": "true"}, "machine": {"verdict": "false"}, "people": {"ana": {"verdict": "true"}, "ben": {...}}}

A side that said nothing is absent. For a question of facts the label tells whether there are any, and "facts" how many two
sides have in common: [one, other, shared, facts of the one, facts of the other]. A side is the place of a person among the
names in order, or `MACHINE` or `FINAL`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import combinations
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt, ValidationError

from evaluation.core.annotation.answers import fact_keys, label_said
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

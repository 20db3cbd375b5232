"""Compares systems on the items that both have: figures side by side, paired differences, and where they differ.

A score of an item is the mean over its repetitions. What one side lacks or has unscored is left out of the difference.
P-values of one table are adjusted together (Holm, 1979).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from statistics import fmean
from typing import Any

from evaluation.core.naming import KEY_LIMIT, fitted
from evaluation.core.paired import Difference, holm, paired_difference
from evaluation.core.runs.metrics import EffectiveScore

Place = tuple[str, str]


@dataclass(frozen=True)
class Side:
    """A system of a run, as one column of a comparison."""

    run: int
    system: str


@dataclass(frozen=True)
class Cell:
    """A side's mean over `n` items, and how it differs from the baseline; without a difference where no item is in both.

    `p_adjusted` is None also where the difference has no p-value, being of too few dialogues.
    """

    value: float | None
    n: int
    difference: Difference | None = None
    p_adjusted: float | None = None


@dataclass(frozen=True)
class ComparedRow:
    """One line of a table: a metric or a category, with a cell for each side, the baseline first."""

    name: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class ComparedItem:
    """One item with the scores of all sides, the baseline first; None where a side lacks it or has it unscored.

    `items` are the ids of the first repetitions.
    """

    place: Place
    category: str
    values: tuple[float | None, ...]
    items: tuple[int | None, ...]
    is_overridden: bool

    @property
    def differs(self) -> bool:
        return len(set(self.values)) > 1

    @property
    def change(self) -> float | None:
        """The largest step of any side away from the baseline; None where there are not two scores."""
        first, *others = self.values
        steps = [value - first for value in others if value is not None] if first is not None else []
        return max(steps, key=abs) if steps else None


def compared_items(scores: Iterable[EffectiveScore], sides: Sequence[Side]) -> list[ComparedItem]:
    """Return the items of one metric that any side has, in the order of the scores."""
    columns = {(side.run, side.system): place for place, side in enumerate(sides)}
    taken: dict[Place, list[list[EffectiveScore]]] = {}
    for score in scores:
        column = columns.get((score.run, score.system))
        if column is not None:
            by_side = taken.setdefault((score.case_key, score.key), [[] for _ in sides])
            by_side[column].append(score)
    return [
        ComparedItem(
            place=place,
            category=next(some[0].category for some in by_side if some),
            values=tuple(map(mean_of, by_side)),
            items=tuple(some[0].item if some else None for some in by_side),
            is_overridden=any(one.is_overridden for some in by_side for one in some),
        )
        for place, by_side in taken.items()
    ]


def mean_of(scores: Sequence[EffectiveScore]) -> float | None:
    values = [score.value for score in scores if score.value is not None]
    return sum(values) / len(values) if values else None


def compared_row(name: str, items: Sequence[ComparedItem]) -> ComparedRow:
    """Return the means of the items and their differences from the baseline, clustered by case."""
    sides = range(len(items[0].values))
    cells = []
    for side in sides:
        values = [value for item in items if (value := item.values[side]) is not None]
        difference = difference_of(items, side) if side else None
        cells.append(Cell(fmean(values) if values else None, len(values), difference))
    return ComparedRow(name, tuple(cells))


def difference_of(items: Sequence[ComparedItem], side: int) -> Difference | None:
    pairs: dict[str, list[tuple[float, float]]] = {}
    for item in items:
        baseline, candidate = item.values[0], item.values[side]
        if baseline is not None and candidate is not None:
            pairs.setdefault(item.place[0], []).append((baseline, candidate))
    return paired_difference(pairs) if pairs else None


def rows_by_category(items: Sequence[ComparedItem]) -> list[ComparedRow]:
    """Return a row for each category, in the order of their names."""
    ordered = sorted(items, key=lambda item: item.category)
    return [compared_row(name, list(some)) for name, some in groupby(ordered, key=lambda item: item.category)]


def adjusted(rows: Sequence[ComparedRow]) -> list[ComparedRow]:
    """Return the rows with their p-values adjusted for all of the table."""
    found = {
        (row, place): cell.difference.p_value
        for row, one in enumerate(rows)
        for place, cell in enumerate(one.cells)
        if cell.difference is not None
    }
    values = dict(zip(found, holm(list(found.values())), strict=True))
    return [
        replace(
            one,
            cells=tuple(replace(cell, p_adjusted=values.get((row, place))) for place, cell in enumerate(one.cells)),
        )
        for row, one in enumerate(rows)
    ]


@dataclass(frozen=True)
class EvidenceWords:
    """A piece of evidence that the file names, and whether the system rests on it. Without words it is not in the case."""

    key: str
    is_found: bool
    speaker: str = ""
    text: str = ""
    said_at: str = ""


def evidence_words(content: Mapping[str, Any], evidence: Sequence[str], found: Collection[str]) -> list[EvidenceWords]:
    """Return the evidence in the order of the file, with its words. A session is found where one of its turns is."""
    sessions = {fitted(session["key"], KEY_LIMIT): session for session in content.get("sessions", ())}
    turns = {fitted(turn["key"], KEY_LIMIT): turn for session in sessions.values() for turn in session["turns"]}
    pieces = []
    for key in evidence:
        if key in turns:
            turn = turns[key]
            pieces.append(EvidenceWords(key, key in found, turn["speaker"], turn["text"], turn["said_at"]))
        elif key in sessions:
            inside = {fitted(turn["key"], KEY_LIMIT) for turn in sessions[key]["turns"]}
            is_found = key in found or not inside.isdisjoint(found)
            pieces.append(EvidenceWords(key, is_found, said_at=sessions[key]["started_at"]))
        else:
            pieces.append(EvidenceWords(key, key in found))
    return pieces

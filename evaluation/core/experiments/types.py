"""Experiments of papers as data: what is measured, on what, and the figures that the paper prints."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

ENGINE = "engine"
_NUMBER = re.compile(r"[-+]?\d+(?:\.(\d+))?")


class Need(StrEnum):
    """What an experiment needs besides data and the product itself, in words that can follow "its figures take"."""

    MODEL = "an engine with a language model"
    JUDGE = "a judge"
    GRAPHS = "an engine that reads graphs (graph:PATH, trained on a GPU)"
    KNOWLEDGE = "the knowledge base of the dialogues (--triples)"
    READER = "a causal language model that reads the replies (--perplexity)"
    PEOPLE = "people who rate the replies"


class FigureKind(StrEnum):
    """How the figures are drawn: as lines over an ordered group, as bars, or as a plane of two with a third as size."""

    LINES = "lines"
    BARS = "bars"
    PLANE = "plane"


@dataclass(frozen=True)
class Measure:
    """What one part of an experiment measures with: a measurement of `evaluate`, a bench, or a run.

    `what` is "evaluate NAME", "bench NAME" or "run KIND"; `options` are given to it. `as_name` is put before the names of
    its rows, with a slash, where one measurement is taken with several settings. `vary` are options with the values that each
    is given in turn, the others as they are.
    """

    what: str
    options: Mapping[str, str | int | float | bool] = field(default_factory=dict)
    as_name: str = ""
    vary: Mapping[str, Sequence[str | int | float]] = field(default_factory=dict)

    def settings(self) -> Iterator[Measure]:
        """Yield the measure as it is taken: itself, or once for each value of each option that varies."""
        if not self.vary:
            yield self
        for name, values in self.vary.items():
            for value in values:
                yield replace(self, options={**self.options, name: value}, as_name=f"{name}={value}", vary={})


@dataclass(frozen=True)
class Column:
    """A column of a paper's table, and where ours stand: metric, group and name, each with {} for the row's `ours`.

    Ours are multiplied by `scale` to be in the paper's unit. Where nothing here measures it, `lacking` says so.
    """

    label: str
    metric: str = ""
    group: str = ""
    name: str = "{}"
    model: str = ""
    data: str = ""
    scale: float = 1.0
    lacking: str = ""


@dataclass(frozen=True)
class PaperRow:
    """A system of a paper's table with its figures as printed; `ours` is our name of it, empty where it is not built."""

    label: str
    ours: str
    printed: tuple[str, ...]
    model: str = ""
    data: str = ""


@dataclass(frozen=True)
class PaperTable:
    """What a paper prints: rows by columns. `said` are further figures that its text states, or why there are none."""

    columns: tuple[Column, ...] = ()
    rows: tuple[PaperRow, ...] = ()
    judge: str = ""
    said: tuple[str, ...] = ()

    @property
    def models(self) -> tuple[str, ...]:
        named = [*(column.model for column in self.columns), *(row.model for row in self.rows)]
        return tuple(dict.fromkeys(filter(None, named)))


@dataclass(frozen=True)
class Figure:
    """What is drawn of the rows: `metrics` of all names, by groups that begin with `along`; a plane of x, y, size."""

    kind: FigureKind
    metrics: tuple[str, ...]
    along: str = ""


@dataclass(frozen=True)
class Experiment:
    """One experiment. `data` are the formats of files that it is taken on, `differs` what is always other than there.

    `summary` are the metrics of a table with a line a system, where one says more than a line a figure.
    `judges` are the kinds of judges whose figure stands in its table; `ENGINE` where the measure asks an engine itself.
    """

    name: str
    title: str
    paper: str
    place: str
    data: tuple[str, ...]
    measures: tuple[Measure, ...]
    table: PaperTable = PaperTable()
    judges: tuple[str, ...] = ()
    summary: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    needs: tuple[Need, ...] = ()
    differs: tuple[str, ...] = ()


def decimals_of(printed: str) -> int:
    """Return how many decimals a cell is printed with, so that ours is shown beside it in the same way."""
    found = _NUMBER.search(printed)
    return len(found[1] or "") if found else 3

"""A paper's figures beside the measured ones, cell by cell."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from evaluation.core.experiments.types import Column, Experiment, PaperRow, decimals_of
from evaluation.core.report import Row

NOT_BUILT = "not built here"
NOT_MEASURED = "this run has no such figure"
NO_JUDGE = "it takes a judge (--judge)"
# Figures that a judge gives.
JUDGED = ("judged", "gpt_score")
# The metric of a row that says why a system, or a measure, has no figures at all.
MEASURED = "measured"
Key = tuple[str, str, str]


@dataclass(frozen=True)
class Cell:
    """A figure that a paper prints, and the measured row that stands for it; `why` says why there is none."""

    row: PaperRow
    column: Column
    printed: str
    ours: Row | None
    why: str = ""

    @property
    def model(self) -> str:
        return self.column.model or self.row.model

    @property
    def value(self) -> str:
        return "-" if self.ours is None or self.ours.value is None else self._shown(self.ours.value)

    @property
    def count(self) -> str:
        return "" if self.ours is None or self.ours.n is None else str(self.ours.n)

    @property
    def interval(self) -> str:
        if self.ours is None or self.ours.low is None or self.ours.high is None:
            return ""
        return f"{self._shown(self.ours.low)} to {self._shown(self.ours.high)}"

    def _shown(self, value: float) -> str:
        """Return a figure of ours as the paper prints its own, with as many decimals."""
        mark = "%" if self.printed.endswith("%") else ""
        scale = 100 if mark else self.column.scale
        return f"{scale * value:.{decimals_of(self.printed)}f}{mark}"


def compared(experiment: Experiment, rows: Sequence[Row], *, data: str) -> list[Cell]:
    """Return the cells of a table that are about this format of data, each with our row or why there is none."""
    known: Mapping[Key, Row] = {(row.name, row.metric, row.group): row for row in reversed(rows)}
    return [
        cell(row, column, printed, known)
        for row in experiment.table.rows
        for column, printed in zip(experiment.table.columns, row.printed, strict=True)
        if {row.data, column.data} <= {"", data}
    ]


def cell(row: PaperRow, column: Column, printed: str, known: Mapping[Key, Row]) -> Cell:
    if column.lacking or not row.ours:
        return Cell(row, column, printed, None, column.lacking or NOT_BUILT)
    name, metric, group = (part.format(row.ours) for part in (column.name, column.metric, column.group))
    ours = known.get((name, metric, group))
    if ours is None:
        return Cell(row, column, printed, None, why_lacking(name, metric, known.values()))
    return Cell(row, column, printed, ours, ours.why)


def why_lacking(name: str, metric: str, rows: Iterable[Row]) -> str:
    """Return why a system has no figure: what it lacks as a whole, what the measure lacks, or a judge."""
    known = list(rows)
    own = [row for row in known if row.name == name]
    if own and all(row.value is None for row in own):
        return own[0].why
    whole = next((row.why for row in known if row.metric == MEASURED and " " in row.name), "")
    return whole or (NO_JUDGE if metric in JUDGED else NOT_MEASURED)


def besides(rows: Sequence[Row], cells: Sequence[Cell]) -> list[Row]:
    """Return the measured rows that no cell shows."""
    shown = {id(one.ours) for one in cells}
    return [row for row in rows if id(row) not in shown]


def named(rows: Sequence[Row], prefix: str) -> Iterator[Row]:
    """Yield rows under the name of the setting that they were taken with."""
    for row in rows:
        yield replace(row, name=f"{prefix}/{row.name}") if prefix else row

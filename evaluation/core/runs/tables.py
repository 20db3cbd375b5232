"""The rows of a run as tables for people: systems below each other, metrics or categories side by side."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluation.core.report import Report, Row, shown, table
from evaluation.core.runs.plan import ANSWERS, DIALOGUES, RETRIEVAL

TURN = re.compile(r"turn (\d+)")
COSTS = ("items", "failed", "seconds", "p50_ms", "p95_ms", "first_token_p50_ms", "calls", "tokens")
# Rows that tell of other rows, and times that are no column.
APART = ("_unscored", "_ms")
EMPTY = Row("", "", None)


@dataclass(frozen=True)
class FigureTable:
    """A line for each name, with a figure for each column; where there is none, a row without a value."""

    columns: tuple[str, ...]
    lines: tuple[tuple[str, tuple[Row, ...]], ...]


@dataclass(frozen=True)
class ChartRow:
    """One place on the axis of a chart with a figure for each line; `link` leads to what it counts."""

    x: float
    title: str
    cells: tuple[Row, ...]
    link: str = ""
    says: str = ""


@dataclass(frozen=True)
class Chart:
    """Lines over an axis, as a picture and as a table. `is_time` where places are seconds since 1970."""

    id: str
    title: str
    axis: str
    lines: tuple[str, ...]
    rows: tuple[ChartRow, ...]
    is_time: bool = False
    says: str = ""


def figure_table(rows: Sequence[Row], metrics: Sequence[str]) -> FigureTable:
    """Return the figures of all items: systems by metrics, and by what is told of all their items together."""
    systems = {row.name for row in rows if row.metric in metrics}
    together = [row.metric for row in rows if row.name in systems and not row.metric.endswith(APART)]
    return table_of(
        [row for row in rows if row.name in systems],
        [*dict.fromkeys((*metrics, *(metric for metric in together if metric not in COSTS)))],
    )


def category_table(rows: Sequence[Row], metric: str) -> FigureTable | None:
    """Return one metric: categories by systems. None where items have no categories."""
    inside = [row for row in rows if row.metric == metric and row.group and not TURN.fullmatch(row.group)]
    systems = tuple(dict.fromkeys(row.name for row in inside))
    known = {(row.group, row.name): row for row in inside}
    groups = sorted({row.group for row in inside})
    lines = tuple((group, tuple(known.get((group, name), EMPTY) for name in systems)) for group in groups)
    return FigureTable(systems, lines) if lines else None


def turn_chart(rows: Sequence[Row], metric: str, *, title: str) -> Chart | None:
    """Return one metric by the turns of dialogues, a line for each system. None where there are no turns."""
    known = {
        (int(found[1]), row.name): row for row in rows if row.metric == metric and (found := TURN.fullmatch(row.group))
    }
    if not known:
        return None
    systems = tuple(dict.fromkeys(name for _, name in known))
    places = sorted({place for place, _ in known})
    lines = tuple(
        ChartRow(place, str(place), tuple(known.get((place, name), EMPTY) for name in systems)) for place in places
    )
    return Chart("by-turn", title, "Turn", systems, lines)


def cost_table(rows: Sequence[Row]) -> FigureTable:
    """Return what items took: systems by costs."""
    return table_of(rows, COSTS)


def table_of(rows: Sequence[Row], metrics: Sequence[str]) -> FigureTable:
    known = {(row.name, row.metric): row for row in rows if not row.group and row.metric in metrics}
    columns = tuple(metric for metric in metrics if any(metric == one for _, one in known))
    names = tuple(dict.fromkeys(name for name, _ in known))
    return FigureTable(
        columns, tuple((name, tuple(known.get((name, one), EMPTY) for one in columns)) for name in names)
    )


COLUMNS: Mapping[str, tuple[str, ...]] = {
    ANSWERS: ("accuracy", "token_f1", "refused", "evidence_recall", "calls", "tokens", "seconds", "failed"),
    DIALOGUES: (
        "cs",
        "entailed",
        "solved",
        "class_accuracy",
        "constraint_satisfaction",
        "calls",
        "tokens",
        "seconds",
        "failed",
    ),
    RETRIEVAL: ("session_recall", "turn_recall", "mrr", "seconds", "failed"),
}
NO_VALUE = "-"
UNSCORED = "_unscored"


@dataclass(frozen=True)
class RunReport(Report):
    """The report of a run. Its table has the figures of all items; the JSON has those of categories and turns too."""

    kind: str = ANSWERS
    judged: str = ""

    def as_table(self) -> str:
        whole = [row for row in self.rows if not row.group]
        names = list(dict.fromkeys(row.metric for row in whole))
        wanted = [*((self.judged,) if self.judged else ()), *COLUMNS[self.kind]]
        figures_only = [name for name in names if not name.endswith(UNSCORED)]
        columns = [name for want in wanted for name in figures_only if name.partition("@")[0] == want]
        figures = {(row.name, row.metric): row for row in whole}
        systems = [name for name in dict.fromkeys(row.name for row in whole) if (name, columns[-1]) in figures]
        lines = [("system", *columns)]
        lines += [(system, *(cell(figures.get((system, column))) for column in columns)) for system in systems]
        return "\n".join([table(lines, figures=set(range(1, len(columns) + 1))), *notes(whole, systems)])


def cell(row: Row | None) -> str:
    """Return a figure with its interval."""
    if row is None or row.value is None:
        return NO_VALUE
    if row.low is None or row.high is None or row.low == row.high:
        return shown(row.value)
    return f"{shown(row.value)} [{shown(row.low)}, {shown(row.high)}]"


def notes(rows: Sequence[Row], systems: Sequence[str]) -> list[str]:
    """Return a line for each system that could not be played, and for all that failed or is not scored."""
    lacking = [
        row for row in rows if row.why and (row.name not in systems or row.metric.endswith(("failed", UNSCORED)))
    ]
    return [
        f"{row.name}, {row.metric}: {'' if row.value is None else f'{shown(row.value)}. '}{row.why}" for row in lacking
    ]

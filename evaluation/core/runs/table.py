"""The table of a run: one line a system, a figure with its interval a column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluation.core.report import Report, Row, shown, table
from evaluation.core.runs.metrics import AUDITED
from evaluation.core.runs.plan import ANSWERS, DIALOGUES, RETRIEVAL

COLUMNS: Mapping[str, tuple[str, ...]] = {
    ANSWERS: ("accuracy", "token_f1", "refused", "evidence_recall", "calls", "tokens", "cost", "seconds", "failed"),
    DIALOGUES: (
        "cs",
        "entailed",
        "solved",
        "class_accuracy",
        "constraint_satisfaction",
        "calls",
        "tokens",
        "cost",
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
        wanted = [one for name in wanted for one in (name, f"{AUDITED}{name}")]
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

"""The one form of every measurement: rows and the identity of the run, as a table and as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence, Set
from dataclasses import asdict, dataclass, field
from typing import Any

from evaluation.core.errors import MalformedReport

ALL = "all"


@dataclass(frozen=True)
class Row:
    """One figure. `name` is what was measured, `metric` is in snake case; `group` is empty for all groups together.

    A figure that could not be measured has the value None and the reason in `why`.
    """

    name: str
    metric: str
    value: float | None
    unit: str = ""
    n: int | None = None
    low: float | None = None
    high: float | None = None
    group: str = ""
    why: str = ""

    def as_json(self) -> dict[str, object]:
        """Return the row's fields without empty ones; `value` is always there."""
        fields = asdict(self)
        return {key: value for key, value in fields.items() if key == "value" or value not in (None, "")}


@dataclass(frozen=True)
class Identity:
    """What a measurement was made with: digests of code, data and configuration, the seed, the machine."""

    code: str
    data: Mapping[str, str]
    config: str
    seed: int
    machine: str


@dataclass(frozen=True)
class Report:
    """What one command measured."""

    command: str
    identity: Identity
    rows: Sequence[Row] = field(default_factory=tuple)

    def as_json(self) -> str:
        content = {
            "command": self.command,
            "identity": {**asdict(self.identity), "data": dict(self.identity.data)},
            "rows": [row.as_json() for row in self.rows],
        }
        return json.dumps(content, ensure_ascii=False, indent=2) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Report:
        """Return the report that `as_json` wrote. Raises `MalformedReport`."""
        try:
            content: Any = json.loads(text)
            rows = [Row(**row) for row in content["rows"]]
            return cls(content["command"], Identity(**content["identity"]), rows)
        except (ValueError, KeyError, TypeError) as error:
            raise MalformedReport(f"This is no report of a measurement, as --json writes one: {error}.") from error

    def as_table(self) -> str:
        """Return the rows in columns, figures to the right."""
        heads = ("name", "metric", "group", "value", "unit", "n", "95% interval")
        return table([heads, *(cells(row) for row in self.rows)], figures={3, 5})


def table(lines: Sequence[Sequence[str]], *, figures: Set[int]) -> str:
    """Return lines of cells in columns; those of the columns `figures` are to the right."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if column in figures else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def cells(row: Row) -> tuple[str, ...]:
    value = shown(row.value) if row.value is not None else "-"
    interval = f"{shown(row.low)} to {shown(row.high)}" if row.low is not None and row.high is not None else ""
    count = str(row.n) if row.n is not None else ""
    return (row.name, row.metric, row.group or ALL, value, row.unit, count, row.why or interval)


def shown(value: float) -> str:
    """Return a figure as text: counts whole, small figures with three decimals, large ones with one."""
    if isinstance(value, int) or (value == int(value) and abs(value) >= 10):
        return str(int(value))
    return f"{value:.3f}" if abs(value) < 10 else f"{value:.1f}"

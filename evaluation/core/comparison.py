"""A report beside an earlier one: each figure as a ratio to what it was, and whether the two may be compared at all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from evaluation.core.report import ALL, Report, Row, shown, table

# Where one of these differs, a ratio says little. The code is what a comparison is made for.
UNLIKE = {"machine": "The machine differs", "data": "The data differ", "config": "The configuration differs"}
Key = tuple[str, str, str]


@dataclass(frozen=True)
class Pair:
    """A figure as it was and as it is; None on the side that did not measure it."""

    before: Row | None
    now: Row | None

    @property
    def ratio(self) -> float | None:
        """How many times the earlier value the later one is, or None where there are not two values to divide."""
        if self.before is None or self.now is None or self.now.value is None or not self.before.value:
            return None
        return self.now.value / self.before.value


@dataclass(frozen=True)
class Comparison:
    """Two reports of the same command, figure by figure."""

    before: Report
    now: Report

    @property
    def pairs(self) -> list[Pair]:
        """Return a pair for each figure of either report: in the order of the later, then what only the earlier has."""
        earlier = {key_of(row): row for row in self.before.rows}
        later = {key_of(row): row for row in self.now.rows}
        return [Pair(earlier.get(key), later.get(key)) for key in dict.fromkeys([*later, *earlier])]

    @property
    def differences(self) -> list[str]:
        """Return what the two were not measured alike in, in sentences, and at last of which code each speaks."""
        before, now = self.before.identity, self.now.identity
        said = [
            f"{sentence}: {getattr(before, name)} before, {getattr(now, name)} now."
            for name, sentence in UNLIKE.items()
            if getattr(before, name) != getattr(now, name)
        ]
        return [*said, *self._one_sided(), f"Code: {before.code} before, {now.code} now."]

    def _one_sided(self) -> Iterator[str]:
        for words, rows in (
            ("Measured only before", [pair.before for pair in self.pairs if pair.now is None]),
            ("Measured only now", [pair.now for pair in self.pairs if pair.before is None]),
        ):
            names = [f"{row.name} {row.metric} ({row.group or ALL})" for row in rows if row is not None]
            if names:
                yield f"{words}: {', '.join(names)}."

    def as_table(self) -> str:
        """Return the figures in columns, and below them what the two runs differ in."""
        heads = ("name", "metric", "group", "before", "now", "unit", "ratio")
        return "\n".join([table([heads, *map(cells, self.pairs)], figures={3, 4, 6}), *self.differences])


def key_of(row: Row) -> Key:
    return (row.name, row.metric, row.group)


def cells(pair: Pair) -> tuple[str, ...]:
    row = pair.now or pair.before
    assert row is not None
    ratio = f"{pair.ratio:.2f}" if pair.ratio is not None else "-"
    return (row.name, row.metric, row.group or ALL, value_of(pair.before), value_of(pair.now), row.unit, ratio)


def value_of(row: Row | None) -> str:
    return shown(row.value) if row is not None and row.value is not None else "-"

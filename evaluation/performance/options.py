"""The interface of a bench: a name, its options, and a function that measures and returns rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from evaluation.core.costs import percentile
from evaluation.core.report import Row


@dataclass(frozen=True)
class BenchOption:
    """An option of a bench, `--name`. Benches that share one declare it with the same `parse`; the default is their own."""

    name: str
    parse: Callable[[str], Any]
    default: object
    help: str


class Bench(Protocol):
    HELP: str
    OPTIONS: tuple[BenchOption, ...]

    def measure(self, options: Mapping[str, Any]) -> list[Row]:
        """Measure and return the rows. `options` has a value for each of OPTIONS, and `quiet`."""


def whole_numbers(text: str) -> tuple[int, ...]:
    """Return the numbers of a list with commas, such as "1000,10000"."""
    return tuple(int(part) for part in text.split(","))


def cost_rows(name: str, values_ms: Sequence[float], *, group: str = "", prefix: str = "") -> list[Row]:
    """Return median and 95th percentile of measured times as `p50_ms` and `p95_ms` with a prefix."""
    return [
        Row(name, f"{prefix}p{rank}_ms", percentile(values_ms, rank), unit="ms", n=len(values_ms), group=group)
        for rank in (50, 95)
    ]

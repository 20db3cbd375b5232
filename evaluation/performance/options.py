"""The interface of a bench: a name, its options, and a function that measures and returns rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

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


def sizes(name: str, default: tuple[int, ...], *, what: str = "the space holds") -> BenchOption:
    """Return the option of how many of something a bench is measured with, one number or several."""
    shown = ",".join(map(str, default))
    return BenchOption(name, whole_numbers, default, f"how many {name} {what}, several with commas (default: {shown})")


def whole_numbers(text: str) -> tuple[int, ...]:
    """Return the numbers of a list with commas, such as "1000,10000"."""
    return tuple(int(part) for part in text.split(","))

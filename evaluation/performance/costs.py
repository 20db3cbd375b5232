"""The interface of a bench (name, options, `measure`), and what an action costs: wall time, processor time, queries."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any, Protocol

from django.db import connection

from evaluation.core.costs import cost_rows
from evaluation.core.report import Row


@dataclass
class ActionCosts:
    """The costs of one kind of action, one entry a time. The first `warm_up` entries are left out of the rows."""

    name: str
    warm_up: int = 0
    milliseconds: list[float] = field(default_factory=list)
    cpu_ms: list[float] = field(default_factory=list)
    queries: list[int] = field(default_factory=list)

    @contextmanager
    def one(self) -> Iterator[None]:
        asked: list[str] = []

        def count(execute: Any, statement: str, *rest: Any) -> Any:
            asked.append(statement)
            return execute(statement, *rest)

        cpu_began, began = processor_ms(), time.perf_counter()
        with connection.execute_wrapper(count):
            yield
        self.milliseconds.append((time.perf_counter() - began) * 1000)
        self.cpu_ms.append(processor_ms() - cpu_began)
        self.queries.append(len(asked))

    @property
    def measured(self) -> list[float]:
        """The milliseconds of each time after the warm-up."""
        return self.milliseconds[self.warm_up :]

    def rows(self, group: str) -> list[Row]:
        """Return median and 95th percentile, with processor time and queries, which other load does not change."""
        count = len(self.measured)
        return [
            *cost_rows(self.name, self.measured, group=group),
            Row(self.name, "cpu_ms", fmean(self.cpu_ms[self.warm_up :]), unit="ms", n=count, group=group),
            Row(self.name, "queries", fmean(self.queries[self.warm_up :]), unit="queries", n=count, group=group),
        ]


def processor_ms() -> float:
    """Return the processor time of this process and, on Linux, of its database session's process."""
    here = time.process_time() * 1000
    stat = Path(f"/proc/{connection.connection.info.backend_pid}/stat") if connection.connection is not None else None
    if stat is None or not stat.exists():
        return here
    fields = stat.read_text().rpartition(")")[2].split()
    return here + sum(map(int, fields[11:13])) * 1000 / os.sysconf("SC_CLK_TCK")


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

"""`bench graph-actions`: what the reasoning tree's two graph actions cost in a space that holds many triples and hubs.

Half of the triples have one person as their subject, a fifth one place as their object, and one in ten was superseded. Path
searches are between entities whose distance is known from the whole graph: 2, 3 or 4 apart, or too far. `shortest` is the
share of the searches that found paths of that very length, or none where none is short enough; `capped` is the share of the
results that say that something may have been left out. A batch of 9 is what a level of the search asks for at most.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from django.db import connection

from evaluation.core.report import Row
from evaluation.performance.hub_graph import (
    TOO_FAR,
    Graph,
    graph_read,
    pairs_by_distance,
    planned_with_hubs,
    some_supersede,
    starts,
)
from evaluation.performance.options import BenchOption, cost_rows, whole_numbers
from evaluation.services.population import space_fill
from evaluation.services.spaces import temporary_space
from memory import bootstrap
from memory.core.ports import GraphWalker

HELP = "expansions and paths of the reasoning tree, at a number of triples in a space with hubs"
OPTIONS: tuple[BenchOption, ...] = (
    BenchOption(
        "triples", whole_numbers, (10_000,), "how many triples the space holds, several with commas (default: 10000)"
    ),
    BenchOption("actions", int, 200, "how many actions of each kind are measured (default: 200)"),
)
HOPS = 2
MAX_EDGES = 4
BATCH = 9
WARM_UP = 10


@dataclass
class Costs:
    """The costs of actions of one kind and whether a limit cut them, one entry an action."""

    milliseconds: list[float] = field(default_factory=list)
    queries: list[int] = field(default_factory=list)
    capped: list[bool] = field(default_factory=list)

    @contextmanager
    def action(self) -> Iterator[None]:
        asked: list[str] = []

        def count(execute: Any, statement: str, *rest: Any) -> Any:
            asked.append(statement)
            return execute(statement, *rest)

        began = time.perf_counter()
        with connection.execute_wrapper(count):
            yield
        self.milliseconds.append((time.perf_counter() - began) * 1000)
        self.queries.append(len(asked))

    def add(self, other: Costs) -> None:
        self.milliseconds += other.milliseconds
        self.queries += other.queries
        self.capped += other.capped

    def rows(self, name: str, group: str) -> list[Row]:
        if not self.milliseconds:
            return [Row(name, "p50_ms", None, unit="ms", group=group, why="the graph is too small for such pairs")]
        rows = [
            *cost_rows(name, self.milliseconds, group=group),
            Row(name, "queries", fmean(self.queries), unit="queries", n=len(self.queries), group=group),
        ]
        if self.capped:
            rows.append(Row(name, "capped", fmean(self.capped), unit="ratio", n=len(self.capped), group=group))
        return rows


def measure(options: Mapping[str, Any]) -> list[Row]:
    """Return times, queries and what was cut short, of expansions and of paths, for each size."""
    return [row for triples in options["triples"] for row in measure_at(triples, options)]


def measure_at(triples: int, options: Mapping[str, Any]) -> list[Row]:
    with temporary_space(title="bench graph-actions") as space:
        space_fill(space=space, plan=list(planned_with_hubs(triples)), quiet=options["quiet"])
        some_supersede(space)
        graph = graph_read(space)
        walker = bootstrap.graph_walker(space.pk)
        return [
            *expansion_rows(walker, graph, count=options["actions"], group=str(triples)),
            *path_rows(walker, graph, count=options["actions"], group=str(triples)),
        ]


def expansion_rows(walker: GraphWalker, graph: Graph, *, count: int, group: str) -> list[Row]:
    single, batched = Costs(), Costs()
    chosen = [[start] for start in starts(graph, count)]
    walker.expand_many(chosen[:WARM_UP], hops=HOPS)
    for start in chosen:
        with single.action():
            [found] = walker.expand_many([start], hops=HOPS)
        single.capped.append(found.is_capped)
    for batch in (chosen[at : at + BATCH] for at in range(0, len(chosen), BATCH)):
        with batched.action():
            walker.expand_many(batch, hops=HOPS)
    return single.rows("expansion", group) + batched.rows(f"expansion x{BATCH}", group)


def path_rows(walker: GraphWalker, graph: Graph, *, count: int, group: str) -> list[Row]:
    """Return the rows of all path searches together, of batches of them, and of each distance."""
    every, batched, rows = Costs(), Costs(), []
    pairs = pairs_by_distance(graph, count, most=MAX_EDGES)
    mixed = [pair for same_place in zip(*pairs.values(), strict=False) for pair in same_place]
    walker.find_paths_many(mixed[:WARM_UP], max_edges=MAX_EDGES)
    for distance, chosen in pairs.items():
        costs, shortest = Costs(), []
        for pair in chosen:
            with costs.action():
                [search] = walker.find_paths_many([pair], max_edges=MAX_EDGES)
            costs.capped.append(search.is_capped)
            shortest.append({len(path.triples) for path in search.paths} == ({distance} - {TOO_FAR}))
        every.add(costs)
        if chosen:
            rows += costs.rows(f"path {distance}", group)
            rows.append(
                Row(f"path {distance}", "shortest", fmean(shortest), unit="ratio", n=len(shortest), group=group)
            )
    for batch in (mixed[at : at + BATCH] for at in range(0, min(count, len(mixed)), BATCH)):
        with batched.action():
            walker.find_paths_many(batch, max_edges=MAX_EDGES)
    return [*every.rows("path", group), *batched.rows(f"path x{BATCH}", group), *rows]

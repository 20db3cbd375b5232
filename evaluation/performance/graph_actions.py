"""`bench graph-actions`: what the reasoning tree's two graph actions cost in a space that holds many triples and hubs.

Half of the triples have one person as their subject, a fifth one place as their object, and one in ten was superseded. Path
searches are between entities whose distance is known from the whole graph: 2, 3 or 4 apart, or too far. `shortest` is the
share of the searches that found paths of that very length, or none where none is short enough; `capped` is the share of the
results that say that something may have been left out. A batch of 9 is what a level of the search asks for at most.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from evaluation.core.report import Row
from evaluation.performance.costs import ActionCosts, BenchOption, sizes
from evaluation.services.population import (
    TOO_FAR,
    Graph,
    graph_read,
    pairs_by_distance,
    planned_with_hubs,
    some_supersede,
    space_fill,
    starts,
)
from evaluation.services.spaces import temporary_space
from memory import bootstrap
from memory.core.ports import GraphWalker

HELP = "expansions and paths of the reasoning tree, at a number of triples in a space with hubs"
OPTIONS: tuple[BenchOption, ...] = (
    sizes("triples", (10_000,)),
    BenchOption("actions", int, 200, "how many actions of each kind are measured (default: 200)"),
)
HOPS = 2
MAX_EDGES = 4
BATCH = 9
WARM_UP = 10


@dataclass
class WalkCosts(ActionCosts):
    """The costs of expansions or path searches of one kind, and whether a limit cut them."""

    capped: list[bool] = field(default_factory=list)

    def add(self, other: WalkCosts) -> None:
        self.milliseconds += other.milliseconds
        self.cpu_ms += other.cpu_ms
        self.queries += other.queries
        self.capped += other.capped

    def rows(self, group: str) -> list[Row]:
        if not self.milliseconds:
            why = "the graph is too small for such pairs"
            return [Row(self.name, "p50_ms", None, unit="ms", group=group, why=why)]
        rows = super().rows(group)
        if self.capped:
            rows.append(Row(self.name, "capped", fmean(self.capped), unit="ratio", n=len(self.capped), group=group))
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
    single, batched = WalkCosts("expansion"), WalkCosts(f"expansion x{BATCH}")
    chosen = [[start] for start in starts(graph, count)]
    walker.expand_many(chosen[:WARM_UP], hops=HOPS)
    for start in chosen:
        with single.one():
            [found] = walker.expand_many([start], hops=HOPS)
        single.capped.append(found.is_capped)
    for batch in (chosen[at : at + BATCH] for at in range(0, len(chosen), BATCH)):
        with batched.one():
            walker.expand_many(batch, hops=HOPS)
    return [*single.rows(group), *batched.rows(group)]


def path_rows(walker: GraphWalker, graph: Graph, *, count: int, group: str) -> list[Row]:
    """Return the rows of all path searches together, of batches of them, and of each distance."""
    every, batched, rows = WalkCosts("path"), WalkCosts(f"path x{BATCH}"), []
    pairs = pairs_by_distance(graph, count, most=MAX_EDGES)
    mixed = [pair for same_place in zip(*pairs.values(), strict=False) for pair in same_place]
    walker.find_paths_many(mixed[:WARM_UP], max_edges=MAX_EDGES)
    for distance, chosen in pairs.items():
        costs, shortest = WalkCosts(f"path {distance}"), []
        for pair in chosen:
            with costs.one():
                [search] = walker.find_paths_many([pair], max_edges=MAX_EDGES)
            costs.capped.append(search.is_capped)
            shortest.append({len(path.triples) for path in search.paths} == ({distance} - {TOO_FAR}))
        every.add(costs)
        if chosen:
            rows += costs.rows(group)
            rows.append(Row(costs.name, "shortest", fmean(shortest), unit="ratio", n=len(shortest), group=group))
    for batch in (mixed[at : at + BATCH] for at in range(0, min(count, len(mixed)), BATCH)):
        with batched.one():
            walker.find_paths_many(batch, max_edges=MAX_EDGES)
    return [*every.rows(group), *batched.rows(group), *rows]

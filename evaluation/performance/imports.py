"""`bench import`: what it costs to bring facts in from an RDF file, from the bytes of the file to the stored graph.

The facts are made up, about people who know one another and where they live: `chained` people each know the next one, so that
every fact shares a person with the one before it; `starred` ones all know one person, whose slot each fact falls into.
`facts_per_s` counts the whole of an import, until the facts are in the graph; vectors of the sentences are made afterwards,
by the task that completes a memory's indexes, and are no part of it. `ratio` is the time a fact over that at the smallest
size, and `cpu_ms` the processor time of this process and the database's, which other load moves less.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from evaluation.adapters.progress import progress_bar
from evaluation.core.report import Row
from evaluation.performance.costs import BenchOption, processor_ms, sizes
from evaluation.services.spaces import temporary_space
from memory.core.knowledge_graph.rdf.terms import GraphFormat
from memory.services.exchange import graph_import

HELP = "bringing facts in from an RDF file"
OPTIONS: tuple[BenchOption, ...] = (sizes("facts", (600, 6_000, 60_000), what="the file has"),)
PERSON = "<http://example.org/person/{}>"
KNOWS = "<http://xmlns.com/foaf/0.1/knows>"
PEOPLE = "Ana Bela Cora Dana Elin Fred Gust Hana Iris Jona Karl Lena Mara Nils Olga Paul".split()


def measure(options: Mapping[str, Any]) -> list[Row]:
    """Return how many facts a second were brought in at each size, for each shape of the graph."""
    rows: list[Row] = []
    with temporary_space(title="bench import") as space:
        graph_import(space=space, content=document(chained(50)), form=GraphFormat.N_QUADS)
    for shape, lines_of in SHAPES.items():
        first: float | None = None
        for count in sorted(options["facts"]):
            content = document(lines_of(count))
            with (
                temporary_space(title="bench import") as space,
                progress_bar(count, title=f"{shape} {count}", unit="facts", hidden=options["quiet"]) as bar,
            ):
                cpu_began, began = processor_ms(), time.perf_counter()
                added = graph_import(space=space, content=content, form=GraphFormat.N_QUADS)
                seconds, cpu_ms = time.perf_counter() - began, processor_ms() - cpu_began
                bar.update(added.triples)
            first = first or seconds / count
            group = str(count)
            rows += [
                Row(shape, "facts_per_s", added.triples / seconds, unit="facts/s", n=added.triples, group=group),
                Row(shape, "cpu_ms", cpu_ms / count, unit="ms a fact", n=added.triples, group=group),
                Row(shape, "ratio", seconds / count / first, unit="times", group=group),
            ]
    return rows


def document(lines: Iterator[str]) -> bytes:
    return "".join(lines).encode()


def chained(count: int) -> Iterator[str]:
    for number in range(count):
        yield f"{person(number)} {KNOWS} {person(number + 1)} .\n"


def starred(count: int) -> Iterator[str]:
    for number in range(count):
        yield f"{person(0)} {KNOWS} {person(number + 1)} .\n"


def person(number: int) -> str:
    return PERSON.format(f"{PEOPLE[number % len(PEOPLE)]}_{number}")


SHAPES: dict[str, Callable[[int], Iterator[str]]] = {"chained": chained, "starred": starred}

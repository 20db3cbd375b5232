"""OpenDialKG with its gold triples, as the RHO project published it (Moon et al., 2019; Ji et al., 2023; CC BY-NC 4.0).

A row of the file has the triples that its response was written from before the turns of its history:

    Given the knowledge: A<sep> written by<sep> B<triple>C<sep> ...<user> Do you know A?<assistant> Yes.<user> Who wrote it?

Its knowledge base is read by `memory.adapters.knowledge_files.opendialkg`.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from evaluation.core.errors import MalformedBenchmark
from memory.core.grounded_generation.knowledge import KnowledgeTriple, knowledge_triple

LONGEST_FIELD = 10_000_000
_KNOWLEDGE = re.compile(r"Given the knowledge:(?P<triples>.*?)(?=<user>|<assistant>)", re.DOTALL)
_TURN = re.compile(r"<(?:user|assistant)>\s*(?P<text>.*?)\s*(?=<user>|<assistant>|$)", re.DOTALL)


@dataclass(frozen=True)
class GroundedTurn:
    """The utterances before a response, the triples that it was written from, and the response."""

    line: int
    dialogue: tuple[str, ...]
    gold: tuple[KnowledgeTriple, ...]
    response: str


def read_grounded_turns(path: Path) -> Iterator[GroundedTurn]:
    """Yield the turns of a file. Raises `MalformedBenchmark` that names the row."""
    csv.field_size_limit(LONGEST_FIELD)
    with path.open(encoding="utf-8", newline="") as file:
        for number, row in enumerate(csv.DictReader(file), start=1):
            yield grounded_turn(row, number)


def grounded_turn(row: dict[str, str], number: int) -> GroundedTurn:
    """Return the turn of a row. Raises `MalformedBenchmark` that names it."""
    history = row.get("history") or ""
    found = _KNOWLEDGE.match(history)
    if found is None:
        raise MalformedBenchmark(f"row {number}, history: expected 'Given the knowledge: ...', got {history[:60]!r}")
    parts = [triple.split("<sep>") for triple in found["triples"].split("<triple>")]
    turns = tuple(one["text"] for one in _TURN.finditer(history, found.end()))
    if any(len(triple) != 3 for triple in parts) or not turns:
        raise MalformedBenchmark(f"row {number}, history: expected triples of three parts and a turn")
    response = (row.get("response") or "").removeprefix("<assistant>").strip()
    return GroundedTurn(number, turns, tuple(knowledge_triple(*triple) for triple in parts), response)

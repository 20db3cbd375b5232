"""OpenDialKG with its gold triples, as the RHO project published it (Moon et al., 2019; Ji et al., 2023; CC BY-NC 4.0).

A row of the file has the triples that its response was written from before the turns of its history:

    Given the knowledge: A<sep> written by<sep> B<triple>C<sep> ...<user> Do you know A?<assistant> Yes.<user> Who wrote it?

The knowledge base is `valid2id.txt` (head, tail, relation by number), with `entity2id.txt` and `relation2id.txt` beside it.
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


def read_knowledge(path: Path) -> Iterator[KnowledgeTriple]:
    """Yield the triples of `valid2id.txt` in words. Raises `MalformedBenchmark` that names the file and the line."""
    entities, relations = (_named(path.with_name(f"{name}2id.txt")) for name in ("entity", "relation"))
    for number, line in _lines(path):
        try:
            head, tail, relation = (int(part) for part in line.split())
            yield knowledge_triple(entities[head], relations[relation], entities[tail])
        except (ValueError, KeyError):
            raise MalformedBenchmark(
                f"{path.name}, line {number}: expected three known numbers, got {line!r}"
            ) from None


def _named(path: Path) -> dict[int, str]:
    named = {}
    for number, line in _lines(path):
        name, _, key = line.rpartition("\t")
        if not key.strip().isdigit():
            raise MalformedBenchmark(f"{path.name}, line {number}: expected a name and its number, got {line!r}")
        named[int(key)] = name
    return named


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines behind the first, which counts them, with their numbers."""
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            if number > 1 and line.strip():
                yield number, line.rstrip("\n")

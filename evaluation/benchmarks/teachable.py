"""Dialogues for a teacher, with triples that may fit them: OpenDialKG's turns, or a JSONL of one's own.

    {"dialogue": ["Do you know Blinky Bill?", "Yes, a koala.", "Who wrote it?"],
     "triples": [["Blinky Bill", "author", "Dorothy Wall"], ...]}

`triples` may be left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluation.benchmarks.opendialkg import grounded_turn
from evaluation.benchmarks.reading import Field, columns_of, parse, read_rows, read_text
from evaluation.core.errors import MalformedBenchmark, UnknownFormat
from memory.core.grounded_generation.knowledge import KnowledgeTriple, knowledge_triple


@dataclass(frozen=True)
class TeachableDialogue:
    """Utterances, oldest first, and triples that may fit what is said next."""

    dialogue: tuple[str, ...]
    triples: tuple[KnowledgeTriple, ...] = ()


def read_teachable(path: Path) -> Iterator[TeachableDialogue | MalformedBenchmark]:
    """Yield the dialogues of a file, in place of those that cannot be read their errors. Raises `UnknownFormat`."""
    rows, read = _rows_of(path)
    for number, row in enumerate(rows, start=1):
        try:
            yield read(row, number)
        except MalformedBenchmark as error:
            yield error


def _rows_of(path: Path) -> tuple[Iterable[Any], Callable[[Any, int], TeachableDialogue]]:
    text = read_text(path)
    if not text.strip() or text.lstrip().startswith("{"):
        return [line for line in text.split("\n") if line.strip()], _of_json
    if "history" not in columns_of(text.partition("\n")[0]):
        raise UnknownFormat(f"{path} holds neither OpenDialKG's turns nor one dialogue a line as JSON.")
    return read_rows(path), _of_turn


def _of_turn(row: Mapping[str | None, Any], number: int) -> TeachableDialogue:
    turn = grounded_turn(row, number)
    return TeachableDialogue(turn.dialogue, turn.gold)


def _of_json(line: str, number: int) -> TeachableDialogue:
    record = Field(parse(line, where=f"record {number}"), number)
    said = record.need("dialogue")
    turns = tuple(one.text().strip() for one in said.items())
    if not turns or not all(turns):
        said.fail("utterances, none of them empty")
    given = record.find("triples")
    return TeachableDialogue(turns, tuple(map(_triple, given.items() if given else ())))


def _triple(field: Field) -> KnowledgeTriple:
    parts = [one.name() for one in field.items()]
    if len(parts) != 3:
        field.fail("a subject, a relation and an object")
    return knowledge_triple(*parts)

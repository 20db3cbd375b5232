"""Triples as lines of subject, relation and object with tabs between them; a relation that begins with ~ is an inverse."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memory.adapters.knowledge_files.lines import Lines
from memory.adapters.knowledge_files.records import StatedName, StatedTriple
from memory.core.grounded_generation.knowledge import knowledge_triple

HEADER = ["subject", "relation", "object"]


def read_tsv(lines: Lines, beside: Path | None = None) -> Iterator[StatedTriple]:
    for number, line in lines:
        parts = line.split("\t")
        if number == 1 and [part.strip().lower() for part in parts] == HEADER:
            continue
        if len(parts) != 3 or not all(part.strip(" ~") for part in parts):
            raise lines.refusal(number, "expected a subject, a relation and an object with tabs between them", line)
        triple = knowledge_triple(*parts)
        yield StatedTriple(number, triple.subject, triple.relation, triple.object)


def read_aliases(lines: Lines) -> Iterator[StatedName]:
    """Yield the other names of things, from lines of name and alias."""
    for number, line in lines:
        parts = [" ".join(part.split()) for part in line.split("\t")]
        if len(parts) != 2 or not all(parts):
            raise lines.refusal(number, "expected a name and an alias with a tab between them", line)
        yield StatedName(number, parts[0], parts[1])

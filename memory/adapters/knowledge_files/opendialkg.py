"""The knowledge base of OpenDialKG as the RHO project published it (Moon et al., 2019; Ji et al., 2023; CC BY-NC 4.0).

`valid2id.txt` has head, tail and relation by number, with `entity2id.txt` and `relation2id.txt` beside it. The first line of
each file counts the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memory.adapters.knowledge_files.lines import KnowledgeFileRefused, Lines
from memory.adapters.knowledge_files.records import StatedTriple
from memory.core.grounded_generation.knowledge import KnowledgeTriple, knowledge_triple


def read_opendialkg(lines: Lines, beside: Path | None = None) -> Iterator[StatedTriple]:
    if beside is None:
        raise KnowledgeFileRefused("OpenDialKG is three files. Import it with `manage.py import_knowledge`.")
    entities, relations = (_named(beside / f"{name}2id.txt") for name in ("entity", "relation"))
    for number, line in lines:
        if number == 1:
            continue
        try:
            head, tail, relation = (int(part) for part in line.split())
            triple = knowledge_triple(entities[head], relations[relation], entities[tail])
        except (ValueError, KeyError):
            raise lines.refusal(number, "expected three known numbers", line) from None
        yield StatedTriple(number, triple.subject, triple.relation, triple.object)


def read_knowledge(path: Path) -> Iterator[KnowledgeTriple]:
    """Yield the triples of `valid2id.txt` in words. Raises `KnowledgeFileRefused` that names the file and the line."""
    with path.open("rb") as stream:
        for one in read_opendialkg(Lines(stream, path.name), path.parent):
            yield KnowledgeTriple(one.subject, one.relation, one.object)


def _named(path: Path) -> dict[int, str]:
    named = {}
    try:
        stream = path.open("rb")
    except OSError as error:
        raise KnowledgeFileRefused(f"{path.name} must lie beside the file: {error.strerror}.") from error
    with stream:
        lines = Lines(stream, path.name)
        for number, line in lines:
            if number == 1:
                continue
            name, _, key = line.rpartition("\t")
            if not key.strip().isdigit():
                raise lines.refusal(number, "expected a name and its number", line)
            named[int(key)] = name
    return named

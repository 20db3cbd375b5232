"""The formats of knowledge by name, and which of them a file has."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from memory.adapters.knowledge_files.lines import KnowledgeFileRefused, Lines
from memory.adapters.knowledge_files.ntriples import read_ntriples, readable
from memory.adapters.knowledge_files.opendialkg import read_opendialkg
from memory.adapters.knowledge_files.passages import read_passages
from memory.adapters.knowledge_files.records import StatedRecord
from memory.adapters.knowledge_files.tsv import read_tsv

# So many lines tell a format: what comes before them are comments.
READ_TO_TELL = 20


@dataclass(frozen=True)
class KnowledgeForm:
    """A format: how its lines are read, whether a line looks like one of its, and how a thing without a name is called."""

    read: Callable[[Lines, Path | None], Iterator[StatedRecord]]
    fits: Callable[[str], bool]
    name_of: Callable[[str], str] = str


def fits_tsv(line: str) -> bool:
    return line.count("\t") == 2


def fits_ntriples(line: str) -> bool:
    return line.lstrip().startswith(("<", "_:")) and "<" in line[1:]


def fits_opendialkg(line: str) -> bool:
    parts = line.split()
    return len(parts) in (1, 3) and all(part.isdecimal() for part in parts)


def fits_passages(line: str) -> bool:
    return line.lstrip().startswith("{") and '"text"' in line


FORMS: Mapping[str, KnowledgeForm] = {
    "tsv": KnowledgeForm(read_tsv, fits_tsv),
    "ntriples": KnowledgeForm(read_ntriples, fits_ntriples, readable),
    "opendialkg": KnowledgeForm(read_opendialkg, fits_opendialkg),
    "passages": KnowledgeForm(read_passages, fits_passages),
}


def form_told(lines: Lines) -> str:
    """Return the name of the format that the first lines of a file have. Raises `KnowledgeFileRefused` where none has."""
    first = [line for _, line in islice(lines, READ_TO_TELL) if not line.lstrip().startswith("#")]
    if not first:
        raise KnowledgeFileRefused(f"{lines.name} is empty.")
    # Three numbers with tabs could be a line of either; OpenDialKG's first line is a count alone.
    order = sorted(FORMS, key=lambda name: name != "opendialkg" or not first[0].strip().isdigit())
    for name in order:
        if all(FORMS[name].fits(line) for line in first):
            return name
    raise KnowledgeFileRefused(
        f"{lines.name} has none of the formats {', '.join(FORMS)}. Its first line is {first[0][:80]!r}."
    )

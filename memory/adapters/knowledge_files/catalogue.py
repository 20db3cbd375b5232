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

# A file begins with at most so many comments.
READ_TO_TELL = 20


@dataclass(frozen=True)
class KnowledgeForm:
    """A format: how its lines are read, whether a first line is one of its, and what a thing without a name is called."""

    read: Callable[[Lines, Path | None], Iterator[StatedRecord]]
    fits: Callable[[str], bool]
    name_of: Callable[[str], str] = str


def fits_tsv(line: str) -> bool:
    return line.count("\t") == 2


def fits_ntriples(line: str) -> bool:
    return line.lstrip().startswith(("<", "_:")) and "<" in line[1:]


def fits_opendialkg(line: str) -> bool:
    """Return whether a line is a count alone, as its first one is."""
    return line.strip().isdecimal()


def fits_passages(line: str) -> bool:
    return line.lstrip().startswith("{") and '"text"' in line


FORMS: Mapping[str, KnowledgeForm] = {
    "tsv": KnowledgeForm(read_tsv, fits_tsv),
    "ntriples": KnowledgeForm(read_ntriples, fits_ntriples, readable),
    "opendialkg": KnowledgeForm(read_opendialkg, fits_opendialkg),
    "passages": KnowledgeForm(read_passages, fits_passages),
}


def form_told(lines: Lines) -> str:
    """Return the name of the format that the first line of a file has. Raises `KnowledgeFileRefused` where none has."""
    first = next((line for _, line in islice(lines, READ_TO_TELL) if not line.lstrip().startswith("#")), None)
    if first is None:
        raise KnowledgeFileRefused(f"{lines.name} is empty.")
    for name, form in FORMS.items():
        if form.fits(first):
            return name
    raise KnowledgeFileRefused(
        f"{lines.name} has none of the formats {', '.join(FORMS)}. It begins with {first[:80]!r}."
    )

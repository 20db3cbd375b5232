"""Tells the form of a file of items by its beginning, whatever the file is called."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from evaluation.benchmarks.catalogue import first_record
from evaluation.benchmarks.reading import Field, columns_of, unreadable
from evaluation.core.annotation.catalogue import kind_named, kinds
from evaluation.core.annotation.drafts import ItemRecord
from evaluation.core.annotation.types import ProjectKind
from evaluation.core.errors import MalformedAnnotation, UnknownFormat
from evaluation.services.annotation.files import benchmarks, lines, tables

FORMS = (
    "JSON lines with key and content, CSV with the columns key and content.FIELD, facts in FineDialFact's form, turns of "
    "OpenDialKG, replies of `evaluate generation --items`, and JSON lines of utterances with rewrites"
)
MOST_OF_A_LINE = 100_000


@dataclass(frozen=True)
class GivenGuideline:
    version: int
    text: str
    at: datetime | None


@dataclass(frozen=True)
class ItemFile:
    """A file of items: the kind of project that it is for, what it says of that, and how its items are read.

    `settings` are those of the project that the file is of; `annotators` among them where the labels of the file tell it.
    """

    kind: ProjectKind
    read: Callable[[], Iterator[ItemRecord]]
    settings: Mapping[str, Any] = field(default_factory=dict)
    guidelines: tuple[GivenGuideline, ...] = ()


def item_file(path: Path, *, kind: str = "", labelled_by: str = "people") -> ItemFile:
    """Return what a file is; `kind` is of a file that does not tell it.

    Raises `MalformedAnnotation`, and `UnknownFormat` for a file of another form.
    """
    head = first_line(path)
    columns = columns_of(head)
    if tables.is_table(columns):
        known = kind_known(kind)
        return ItemFile(known, lambda: tables.read_table(path, known))
    if {"history", "response"} <= set(columns):
        return of_benchmark("triple_relevance", benchmarks.triples, path, labelled_by)
    if not head.lstrip().startswith(("{", "[")):
        raise UnknownFormat(f"{path.name} holds no items that can be labelled. Known are {FORMS}.")
    first = first_record(path)
    if lines.is_header(first):
        return of_project(path, Field(first, 1))
    match first:
        case {"key": _, "content": _}:
            known = kind_known(kind)
            return ItemFile(known, lambda: lines.read_lines(path, known))
        case {"atomic_fact": _} | {"factualLabel": _}:
            return of_benchmark("fact_verdict", benchmarks.labelled_facts, path, labelled_by)
        case {"way": _, "reply": _}:
            return of_benchmark("human_evaluation", benchmarks.replies, path, labelled_by)
        case {"utterance": _, "rewrites": _}:
            return of_benchmark("reformulation_quality", benchmarks.rewrites, path, labelled_by)
    raise UnknownFormat(f"{path.name} holds no items that can be labelled. Known are {FORMS}.")


def first_line(path: Path) -> str:
    """Return the beginning of the first line that has words."""
    try:
        with path.open(encoding="utf-8-sig") as file:
            while line := file.readline(MOST_OF_A_LINE):
                if line.strip():
                    return line
    except UnicodeDecodeError as error:
        raise MalformedAnnotation(f"{path.name}: not a text in UTF-8 ({error.reason}).") from error
    except OSError as error:
        raise unreadable(path, error) from error
    raise MalformedAnnotation(f"{path.name}: there is no record in it.")


def kind_known(named: str) -> ProjectKind:
    if not named:
        titles = ", ".join(f"{kind.title} ({name})" for name, kind in kinds().items())
        raise MalformedAnnotation(f"The file does not tell what its items are. Name the kind: {titles}.")
    return kind_named(named)


def of_benchmark(kind: str, read: Callable[[Path, str], Iterator[ItemRecord]], path: Path, by: str) -> ItemFile:
    first = next(read(path, by), None)
    settings = {"annotators": len(first.labels)} if first is not None and first.labels else {}
    return ItemFile(kind_named(kind), lambda: read(path, by), settings)


def of_project(path: Path, header: Field) -> ItemFile:
    version = header.need("annotation")
    if version.value != lines.VERSION:
        version.fail(f"{lines.VERSION}: files of other versions cannot be read")
    known = kind_named(header.need("kind").text())
    guidelines = tuple(
        GivenGuideline(
            lines.whole_of(one.need("version"), least=1, most=lines.MOST_VERSIONS),
            one.need("text").text(),
            lines.moment_of(one, "at"),
        )
        for one in lines.parts_of(header, "guidelines")
    )
    settings: dict[str, Any] = {
        name: lines.whole_of(found, least=0, most=100_000)
        for name in ("annotators", "gold_every", "lease_minutes")
        if (found := header.find(name)) is not None
    }
    settings |= {name: text for name in ("name", "order") if (text := lines.text_of(header, name))}
    return ItemFile(known, lambda: lines.read_lines(path, known), settings, guidelines)

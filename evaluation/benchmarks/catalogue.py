"""The known benchmark formats. A new one is a module beside these with NAME, `recognises` and `cases`, and a line here."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter
from pathlib import Path
from typing import Protocol, TypeVar

from evaluation.benchmarks import beam, ci_tod, dialogue_jsonl, locomo, longmemeval, mtbench101
from evaluation.benchmarks.reading import read_json, unreadable
from evaluation.core.errors import MalformedBenchmark, UnknownFormat
from evaluation.core.tasks.types import Task
from evaluation.core.types import Case

ReadT = TypeVar("ReadT", Case, Task)


class BenchmarkFormat(Protocol):
    NAME: str
    ID: str

    def recognises(self, path: Path, first_record: object) -> bool:
        """Say whether a file whose first record is this one has the format."""

    def cases(self, path: Path) -> Iterator[Case]:
        """Yield the file's cases; raise `MalformedBenchmark` at the first that does not follow the format."""


FORMATS: dict[str, BenchmarkFormat] = {
    module.NAME: module for module in (dialogue_jsonl, mtbench101, locomo, longmemeval, beam, ci_tod)
}
AUTO = "auto"


def read_cases(path: Path, *, format: str = AUTO) -> Iterator[Case]:
    """Yield the cases of a benchmark file, in order.

    Raises `MalformedBenchmark` with the record's number and field, also where two cases have the same id. Nothing is
    known to be good before the iterator has come to its end.
    """
    name = detect_format(path) if format == AUTO else format
    if name not in FORMATS:
        raise UnknownFormat(f"{format!r} is not a benchmark format. Known: {', '.join(FORMATS)}.")
    read = FORMATS[name]
    case = None
    for case in distinct(read.cases(path), field=read.ID):
        yield case
    if case is None:
        raise MalformedBenchmark(f"{path.name}: there is no record in it")


def distinct(
    read: Iterable[ReadT], *, field: str, key: Callable[[ReadT], object] = attrgetter("id")
) -> Iterator[ReadT]:
    """Yield what is read; raise `MalformedBenchmark` where `field` of a record is the id of an earlier one."""
    numbers: dict[str, int] = {}
    known: set[object] = set()
    for one in read:
        if key(one) in known:
            raise MalformedBenchmark(
                f"record {len(numbers) + 1}, field {field}: {one.id!r} is the id of record {numbers[one.id]} already"
            )
        known.add(key(one))
        numbers.setdefault(one.id, len(numbers) + 1)
        yield one


def detect_format(path: Path) -> str:
    """Return the name of the format that the file or folder has, or raise `UnknownFormat`."""
    if path.is_dir():
        if beam.chat_files(path):
            return beam.NAME
        raise UnknownFormat(f"{path} is a folder without a {beam.CHAT}. Give a benchmark file, or a folder of BEAM.")
    first = first_record(path)
    for name, module in FORMATS.items():
        if module.recognises(path, first):
            return name
    if path.suffix == ".jsonl":
        # The reader of our own format can say which field of which record is wrong.
        return dialogue_jsonl.NAME
    raise UnknownFormat(
        f"The format of {path.name} cannot be told from its first record. Name it with --format: {', '.join(FORMATS)}."
    )


def collection_name(path: Path) -> str:
    """Return what the cases of a file are filed under: the file's stem, or the folder that holds a BEAM chat's folder."""
    place = path.resolve()
    if place.name == beam.CHAT:
        return place.parent.parent.name
    if (place / beam.CHAT).is_file():
        return place.parent.name
    return place.name if place.is_dir() else place.stem


def first_record(path: Path) -> object:
    """Return the first JSON value of a file with one a line, or the first element of a file that is one JSON value."""
    try:
        with path.open(encoding="utf-8-sig") as lines:
            first_line = next((line for line in lines if line.strip()), "")
    except OSError as error:
        raise unreadable(path, error) from error
    except UnicodeDecodeError as error:
        raise MalformedBenchmark(f"{path.name}: not a text in UTF-8 ({error.reason})") from error
    if not first_line:
        raise MalformedBenchmark(f"{path.name}: there is no record in it")
    try:
        content: object = json.loads(first_line)
    except (ValueError, RecursionError):
        content = read_json(path)
    if isinstance(content, list):
        return content[0] if content else None
    return content


def only_cases(cases: Iterator[Case], *, only: str = "", limit: int | None = None) -> Iterator[Case]:
    """Yield the case with the id `only` where one is named, and at most `limit` cases."""
    taken = 0
    for case in cases:
        if only and case.id != only:
            continue
        if limit is not None and taken >= limit:
            return
        taken += 1
        yield case


__all__ = ["AUTO", "FORMATS", "collection_name", "detect_format", "only_cases", "read_cases"]

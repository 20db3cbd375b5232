"""The form of our own: JSON lines, the first of which tells of the project, then an item a line with all that was said of it.

    {"annotation": 1, "kind": "fact_verdict", "name": "...", "annotators": 2, "guidelines": [{"version": 1, "text": "..."}]}
    {"key": "r1", "content": {"fact": "..."}, "labels": [{"name": "ana", "answer": {"verdict": "true"}}]}

An item needs `key` and `content` alone. How it stands, and what its final answer is, follows from labels and settlements.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from evaluation.benchmarks.reading import Field, read_json_lines
from evaluation.core.annotation.answers import answer_read
from evaluation.core.annotation.drafts import GivenLabel, GivenSettlement, ItemDraft, ItemRecord
from evaluation.core.annotation.types import ProjectKind
from evaluation.core.errors import AnnotationRefused, MalformedAnnotation
from evaluation.models import Annotation, AnnotationItem, ItemStanding, Settlement
from memory.core.plain_text import has_words

VERSION = 1
NAME_LONGEST, TEXT_LONGEST = 150, 10_000
MOST_VERSIONS = 1_000
FIELDS = (
    "key", "place", "dataset", "stratum", "cluster", "content", "machine", "machine_by", "gold", "standing", "why", "final",
    "source", "uncertainty", "disagreement", "labels", "settlements",
)  # fmt: skip
T = TypeVar("T")


def record_told(item: AnnotationItem) -> dict[str, Any]:
    """Return an item with what was said of it, as JSON values."""
    return {
        "key": item.key,
        "place": item.place,
        "dataset": item.dataset,
        "stratum": item.stratum,
        "cluster": item.cluster,
        "content": item.content,
        "machine": item.machine,
        "machine_by": item.machine_by,
        "gold": item.gold,
        "standing": item.standing,
        "why": item.why,
        "final": item.final,
        "source": item.source,
        "labels": [label_told(one) for one in item.annotations.all()],
        "settlements": [settlement_told(one) for one in item.settlements.all()],
    }


def label_told(one: Annotation) -> dict[str, Any]:
    return {
        "name": one.name,
        "answer": one.answer,
        "guideline": one.guideline.version,
        "comment": one.comment,
        "milliseconds": one.milliseconds,
        "at": one.created_at.isoformat(),
        "undone_at": one.undone_at.isoformat() if one.undone_at is not None else None,
    }


def settlement_told(one: Settlement) -> dict[str, Any]:
    told = {"name": one.name, "answer": one.answer, "reason": one.reason, "at": one.created_at.isoformat()}
    return told | {"labelled_too": True} if getattr(one, "is_own", False) else told


def read_lines(path: Path, kind: ProjectKind) -> Iterator[ItemRecord]:
    """Yield the items of a file. Raises `MalformedAnnotation` that names the row and the field, `MalformedBenchmark` too."""
    for record in read_json_lines(path):
        if not (record.record == 1 and is_header(record.value)):
            yield read_record(record, kind)


def is_header(first: object) -> bool:
    return isinstance(first, dict) and "annotation" in first


def read_record(record: Field, kind: ProjectKind) -> ItemRecord:
    if unknown := set(record.names()) - set(FIELDS):
        refuse(record, f"there is no field {min(unknown)!r}. The fields are {', '.join(FIELDS)}")
    draft = ItemDraft(
        key=record.need("key").name(),
        content=object_of(record.need("content")),
        machine=value_of(record, "machine", None),
        gold=value_of(record, "gold", None),
        source=object_of(record.find("source")),
        uncertainty=number_of(record.find("uncertainty")) or 0.0,
        disagreement=number_of(record.find("disagreement")) or 0.0,
        dataset=text_of(record, "dataset"),
        stratum=text_of(record, "stratum"),
        cluster=text_of(record, "cluster"),
        machine_by=text_of(record, "machine_by"),
    )
    labels = tuple(label_of(one, kind) for one in parts_of(record, "labels"))
    live = [one.name for one in labels if one.undone_at is None]
    if twice := next((name for name in live if live.count(name) > 1), None):
        refuse(record.need("labels"), f"{twice!r} labelled the item twice")
    standing = record.find("standing")
    if standing is not None and standing.value not in ItemStanding.values:
        standing.fail(f"one of {', '.join(ItemStanding.values)}")
    return ItemRecord(
        draft=draft,
        place=number_of(record.find("place")),
        labels=labels,
        settlements=tuple(settlement_of(one, kind) for one in parts_of(record, "settlements")),
        withdrawn=text_of(record, "why") if standing is not None and standing.value == ItemStanding.WITHDRAWN else None,
        where=f"row {record.record}",
    )


def label_of(one: Field, kind: ProjectKind) -> GivenLabel:
    version, milliseconds = one.find("guideline"), one.find("milliseconds")
    return GivenLabel(
        name=worded(one.need("name"), NAME_LONGEST),
        answer=answer_of(one, kind),
        guideline=1 if version is None else whole_of(version, least=1, most=MOST_VERSIONS),
        comment=text_of(one, "comment"),
        milliseconds=None if milliseconds is None else whole_of(milliseconds, least=0, most=2**31 - 1),
        at=moment_of(one, "at"),
        undone_at=moment_of(one, "undone_at"),
    )


def settlement_of(one: Field, kind: ProjectKind) -> GivenSettlement:
    return GivenSettlement(
        name=worded(one.need("name"), NAME_LONGEST),
        answer=answer_of(one, kind),
        reason=worded(one.need("reason"), TEXT_LONGEST),
        at=moment_of(one, "at"),
    )


def answer_of(one: Field, kind: ProjectKind) -> dict[str, Any]:
    answer = one.need("answer")
    return said(answer, lambda: answer_read(kind, answer.value))


def said(where: Field, read: Callable[[], T]) -> T:
    """Return what is read, and name the place of what cannot be."""
    try:
        return read()
    except AnnotationRefused as error:
        refuse(where, str(error))


def refuse(where: Field, why: str) -> NoReturn:
    raise MalformedAnnotation(f"row {where.record}{f', field {where.path}' if where.path else ''}: {why}")


def parts_of(record: Field, name: str) -> list[Field]:
    found = record.find(name)
    return [] if found is None else found.items()


def value_of(record: Field, name: str, absent: Any) -> Any:
    found = record.find(name)
    return absent if found is None else found.value


def object_of(found: Field | None) -> dict[str, Any]:
    if found is None:
        return {}
    return (
        {name: found.value[name] for name in found.names()}
        if isinstance(found.value, dict)
        else found.fail("an object")
    )


def text_of(record: Field, name: str) -> str:
    found = record.find(name)
    return "" if found is None else bounded(found, TEXT_LONGEST)


def bounded(found: Field, most: int) -> str:
    text = found.text()
    if len(text) > most:
        found.fail(f"at most {most} characters")
    return text


def worded(found: Field, most: int) -> str:
    return bounded(found, most) if has_words(found.text()) else found.fail("words")


def number_of(found: Field | None) -> float | None:
    if found is None:
        return None
    value = found.value
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= sys.float_info.max:
        found.fail("a number from 0 on")
    return float(value)


def whole_of(found: Field, *, least: int, most: int) -> int:
    value = found.value
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        found.fail(f"a whole number from {least} to {most}")
    return value


def moment_of(record: Field, name: str) -> datetime | None:
    found = record.find(name)
    return None if found is None else found.moment()

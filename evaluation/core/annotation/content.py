"""Reads what an item shows: the fields of its kind, each in its form, bounded in size."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from evaluation.core.annotation.answers import shortened
from evaluation.core.annotation.types import ProjectKind, ShownField, ShownForm
from evaluation.core.errors import AnnotationRefused
from memory.core.plain_text import NOT_PLAIN, has_words, is_plain

TEXT_LONGEST = 20_000
NAME_LONGEST = 200
PARTS_MOST = 300
CONTENT_LONGEST = 200_000


def content_read(kind: ProjectKind, data: object) -> dict[str, Any]:
    """Return the content of an item; fields that need not be there and are empty are left out.

    Raises `AnnotationRefused`, which names the field and what is wrong.
    """
    if not isinstance(data, dict):
        raise AnnotationRefused(f"The content of an item names its fields, but is {shortened(data)}.")
    names = [field.name for field in kind.shown]
    if unknown := [name for name in data if name not in names]:
        raise AnnotationRefused(f"{kind.title} show no {shortened(unknown[0])}. The fields are {', '.join(names)}.")
    if not is_plain(data):
        raise AnnotationRefused(NOT_PLAIN)
    read = {}
    for field in kind.shown:
        value = data.get(field.name)
        if value is not None and (found := READERS[field.form](field.name, value)):
            read[field.name] = found
        elif field.is_needed:
            raise AnnotationRefused(f"The field {field.name} ({field.title}) is missing or empty.")
    if characters(read) > CONTENT_LONGEST:
        raise AnnotationRefused(f"An item shows {characters(read)} characters. At most {CONTENT_LONGEST} are taken.")
    return read


def text_of(where: str, value: object, *, most: int = TEXT_LONGEST) -> str:
    if not isinstance(value, str):
        raise AnnotationRefused(f"{where} is a text, not {shortened(value)}.")
    if len(value) > most:
        raise AnnotationRefused(f"{where} has {len(value)} characters. At most {most} are taken.")
    return value.strip() if has_words(value) else ""


def parts_of(name_key: str) -> Callable[[str, object], list[dict[str, str]]]:
    """Return a reader of a list of texts, each with the name of its speaker or its title, which may be empty."""

    def read(where: str, value: object) -> list[dict[str, str]]:
        if not isinstance(value, list | tuple):
            raise AnnotationRefused(f"{where} is a list, not {shortened(value)}.")
        if len(value) > PARTS_MOST:
            raise AnnotationRefused(f"{where} has {len(value)} parts. At most {PARTS_MOST} are taken.")
        parts = [part(f"{where}, part {number}", one) for number, one in enumerate(value, start=1)]
        return [one for one in parts if one["text"]]

    def part(where: str, value: object) -> dict[str, str]:
        if not isinstance(value, dict) or set(value) != {name_key, "text"}:
            raise AnnotationRefused(f"{where}: expected {name_key} and text, found {shortened(value)}.")
        name = text_of(f"{where}, {name_key}", value[name_key], most=NAME_LONGEST)
        return {name_key: name, "text": text_of(f"{where}, text", value["text"])}

    return read


def pairs_of(where: str, value: object) -> dict[str, str]:
    if not isinstance(value, dict) or len(value) > PARTS_MOST:
        raise AnnotationRefused(f"{where} names at most {PARTS_MOST} texts, but is {shortened(value)}.")
    return {text_of(where, name, most=NAME_LONGEST): text_of(f"{where}, {name}", text) for name, text in value.items()}


READERS: Mapping[ShownForm, Callable[[str, object], Any]] = {
    ShownForm.HEADLINE: text_of,
    ShownForm.TEXT: text_of,
    ShownForm.DIALOGUE: parts_of("speaker"),
    ShownForm.PASSAGES: parts_of("title"),
    ShownForm.PAIRS: pairs_of,
}


PATTERNS: Mapping[ShownForm, Any] = {
    ShownForm.HEADLINE: "…",
    ShownForm.TEXT: "…",
    ShownForm.DIALOGUE: [{"speaker": "Ana", "text": "…"}],
    ShownForm.PASSAGES: [{"title": "…", "text": "…"}],
    ShownForm.PAIRS: {"…": "…"},
}


def pattern_of(kind: ProjectKind) -> dict[str, Any]:
    """Return a content of the kind in which every field is there, as a pattern for who writes one."""
    return {field.name: PATTERNS[field.form] for field in kind.shown}


def characters(content: Any) -> int:
    """Return how many characters the texts of a content have in all."""
    if isinstance(content, str):
        return len(content)
    return sum(map(characters, content.values() if isinstance(content, dict) else content))


def headline_of(kind: ProjectKind) -> ShownField:
    return next(field for field in kind.shown if field.form is ShownForm.HEADLINE)

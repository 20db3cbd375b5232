"""Reads what an item shows: the fields of its kind, each in its form, bounded in size."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from evaluation.core.annotation.answers import shortened
from evaluation.core.annotation.types import ProjectKind, ShownField, ShownForm
from evaluation.core.errors import AnnotationRefused
from memory.core.english.inflection import base_form, singular
from memory.core.english.stop_words import STOP_WORDS
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


WORD = re.compile(r"\w+(?:['’]\w+)?")
WITHIN_A_CLAUSE = re.compile(r"[\w\s,'’-]*")


def marked(text: str, *, headline: str) -> Sequence[tuple[str, bool]]:
    """Return a text in pieces, each with whether it holds words of the headline.

    Words match by their base forms. Words that only hold sentences together match nothing, but stay within a piece.

    >>> marked("They moved to Porto.", headline="She moves to Porto")
    [('They ', False), ('moved to Porto', True), ('.', False)]
    """
    wanted = {key_of(word) for word in WORD.findall(headline)} - {""}
    spans: list[tuple[int, int]] = []
    is_near = False
    for found in WORD.finditer(text):
        key = key_of(found.group())
        if not key:
            continue
        if key in wanted:
            if is_near and WITHIN_A_CLAUSE.fullmatch(text, spans[-1][1], found.start()):
                spans[-1] = (spans[-1][0], found.end())
            else:
                spans.append(found.span())
        is_near = key in wanted
    edges = [0, *(edge for span in spans for edge in span), len(text)]
    pieces = [(text[start:end], place % 2 == 1) for place, (start, end) in enumerate(pairwise(edges))]
    return [piece for piece in pieces if piece[0]]


def key_of(word: str) -> str:
    """Return what a word matches by: its base form; "" where it tells nothing by itself."""
    bare = re.sub("['’]s$", "", word.casefold())
    return "" if bare in STOP_WORDS else base_form(singular(bare))

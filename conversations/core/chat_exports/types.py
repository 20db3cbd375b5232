"""What an export of another program holds, whichever program wrote it."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Protocol

from memory.core.plain_text import NOT_TEXT
from memory.core.types import Role

KEY_LIMIT, TITLE_LIMIT = 120, 200
# Before this nobody can have talked to any of the programs; later than some years from now neither.
FIRST_YEAR, LAST_YEAR = 2000, 2100


class LeftOut(StrEnum):
    """Why something of an export is left out; the values are said to the person who imports."""

    FILES = "images and other files"
    TOOLS = "calls of tools and what they returned"
    INSTRUCTIONS = "instructions to the model, and its thoughts"
    BRANCHES = "messages of versions that were edited or regenerated away"
    WORDLESS = "messages without words"
    TOO_LONG = "messages that are longer than a message may be here"
    EMPTY = "chats without a message to bring in"
    UNREADABLE = "entries that cannot be read"


@dataclass(frozen=True)
class ChatMessage:
    """Something that was said. `key` is the program's own id for it; `said_at` is None where the export does not tell."""

    key: str
    role: Role
    text: str
    said_at: datetime | None = None


@dataclass(frozen=True)
class Chat:
    """A chat in the order in which it reads, or a part of one: another part of the same key goes on with it."""

    key: str
    title: str
    started_at: datetime | None
    messages: tuple[ChatMessage, ...]
    left_out: Mapping[LeftOut, int] = field(default_factory=Counter)


class ExportForm(Protocol):
    """A program's form of export: a name for people, the speaker of its replies, and how an entry of its list is read."""

    NAME: str
    SPEAKER: str

    def is_entry(self, entry: Mapping[str, Any]) -> bool:
        """Return whether the first entry of a list is of this form."""

    def read(self, entry: Mapping[str, Any]) -> Chat:
        """Return the chat of an entry. Raises `KeyError`, `TypeError`, `ValueError` or `AttributeError` for a broken one."""


def moment_of(value: object) -> datetime | None:
    """Return a moment that is written as seconds since 1970 or in ISO 8601, None for anything else.

    >>> moment_of("2024-05-01T12:00:00Z") == moment_of(1714564800.0)
    True
    """
    try:
        if isinstance(value, str):
            read = datetime.fromisoformat(value)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            read = datetime.fromtimestamp(value, UTC)
        else:
            return None
        moment = read.replace(tzinfo=UTC) if read.tzinfo is None else read.astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return moment if FIRST_YEAR <= moment.year <= LAST_YEAR else None


def key_text(value: object, *otherwise: object) -> str:
    """Return an id of the export as a key: a digest of it where it is too long, and of `otherwise` where there is none."""
    if isinstance(value, str | int) and str(value).strip():
        told = NOT_TEXT.sub("", str(value).strip())
        if told and len(told) <= KEY_LIMIT:
            return told
        otherwise = (told,)
    return hashlib.sha256("\x1f".join(map(str, otherwise)).encode("utf-8", "replace")).hexdigest()[:40]


def words_of(value: object) -> str:
    """Return a text of the export without characters that cannot be stored and blanks at its ends; "" for no text."""
    return NOT_TEXT.sub("", value).strip() if isinstance(value, str) else ""


def title_of(value: object) -> str:
    return " ".join(words_of(value).split())[:TITLE_LIMIT]


def path_to(leaf: str, parents: Mapping[str, str | None]) -> Iterator[str]:
    """Yield the ids from a leaf up to the root of a tree; a circle ends where it closes."""
    seen: set[str] = set()
    at: str | None = leaf
    while at is not None and at in parents and at not in seen:
        seen.add(at)
        yield at
        at = parents[at]

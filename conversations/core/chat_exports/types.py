"""What an export of another program holds, whichever program wrote it."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Protocol

from memory.core.plain_text import NOT_TEXT
from memory.core.types import Role

KEY_LIMIT, TITLE_LIMIT, KIND_LIMIT = 120, 200, 40
# Blocks of messages whose words are what was said.
SPOKEN = ("text", "voice_note")
# Before this nobody can have talked to any of the programs; later than some years from now neither.
FIRST_YEAR, LAST_YEAR = 2000, 2100


class LeftOut(StrEnum):
    """Why something of an export is left out; the values are said to the person who imports."""

    FILES = "images and other files"
    TOOLS = "calls of tools and what they returned"
    INSTRUCTIONS = "instructions to the model, and its thoughts"
    BRANCHES = "messages of versions that were edited or regenerated away"
    WORDLESS = "messages without words"
    ERRORS = "messages that only say what went wrong"
    NOTES = "summaries that Claude made of what it knows about you (memories.json)"
    NOT_REMEMBERED = "chats that were marked there as not to be remembered"
    GONE = "memories that were deleted or archived there"
    TOO_LONG = "messages that are longer than a message may be here"
    EMPTY = "chats without a message to bring in"
    UNREADABLE = "entries that cannot be read"
    OTHERS = "parts and entries of further kinds that are not known"


def unknown(what: str, kind: object) -> str:
    """Return the reason for which parts or entries of a kind that is not known are left out, which names the kind."""
    return f"{what} of a kind that is not known ({title_of(str(kind))[:KIND_LIMIT] or 'no kind is told'})"


@dataclass(frozen=True)
class ChatMessage:
    """Something that was said. `key` is the program's own id for it; `said_at` is None where the export does not tell."""

    key: str
    role: Role
    text: str
    said_at: datetime | None = None


@dataclass(frozen=True)
class Chat:
    """A chat in the order in which it reads, or a part of one: another part of the same form and key goes on with it.

    `form` is that of the program's export; "" where nothing of it could be read. What is left out is counted by its reason.
    """

    key: str
    title: str
    started_at: datetime | None
    messages: tuple[ChatMessage, ...]
    left_out: Mapping[str, int] = field(default_factory=Counter)
    form: str = ""

    @property
    def whole(self) -> tuple[str, str]:
        """What all parts of a chat have in common."""
        return self.form, self.key


class ExportForm(Protocol):
    """A program's form of export: a name for people, the speaker of its replies, and how an entry of its list is read."""

    NAME: str
    SPEAKER: str

    def is_entry(self, entry: Mapping[str, Any]) -> bool:
        """Return whether an entry is of this form, be it broken or not."""

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


def chat_of_branch(
    written: Sequence[Mapping[str, Any]],
    said: Callable[[Mapping[str, Any], int, Counter[str]], Iterable[ChatMessage]],
    *,
    key: str,
    parent: str,
    leaf: object,
    named: tuple[object, object, object],
) -> Chat:
    """Return the chat of the messages up to the leaf, or to the last one; of all where they do not tell what they answer.

    `key` and `parent` name a message's id and that of the one that it answers. `said` yields what a message at a place says,
    and counts what it leaves out. `named` are the chat's id, title and beginning.
    """
    by_id, shown = {one[key]: one for one in written if one.get(key)}, written
    if len(by_id) == len(written) and all(parent in one for one in written):
        parents = {name: one[parent] for name, one in by_id.items()}
        last = leaf if isinstance(leaf, str) and leaf in by_id else next(reversed(by_id), "")
        shown = [by_id[name] for name in path_to(last, parents)][::-1]
    left = Counter[str]({LeftOut.BRANCHES: len(written) - len(shown)})
    messages = tuple(told for place, one in enumerate(shown) for told in said(one, place, left))
    title, began = title_of(named[1]), moment_of(named[2])
    began = began or next((one.said_at for one in messages if one.said_at), None)
    return Chat(key_text(named[0], title, began, *(one.text for one in messages[:1])), title, began, messages, +left)


def block_words(block: Any, reasons: Mapping[str, LeftOut], left: Counter[str]) -> str:
    """Return what is said in a block of a message, or "" with the reason counted."""
    kind = block.get("type") if isinstance(block, dict) else block
    if kind in SPOKEN:
        told = block.get("text") or block.get("transcript")
        if words := words_of(told.get("value") if isinstance(told, dict) else told):
            return words
    if kind != "text":
        left[reasons.get(str(kind)) or unknown("parts of messages", kind)] += 1
    return ""

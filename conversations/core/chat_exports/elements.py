"""Reads a large JSON document an entry at a time, from a stream: only one entry is ever in memory."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Collection, Iterator
from typing import Any, Protocol

from conversations.core.errors import ImportRefused

READ_AT_ONCE = 1024 * 1024
# A chat of thirty thousand messages is about this long, and has so many strings and brackets.
ENTRY_LIMIT = 64 * 1024 * 1024
MARKS_LIMIT = 4_000_000
# Outside of an entry there are names and short values.
OUTSIDE_LIMIT = 1024 * 1024
DEPTH_LIMIT = 500
# A string without escapes is taken whole; between the entries of a list, so is a value that is neither text nor in brackets.
_OUTSIDE, _INSIDE = re.compile(r'"[^"\\]*"|["{}\[\]]'), re.compile(r'["\\]')
_BETWEEN = re.compile(r'"[^"\\]*"|["{}\[\]]|[^\s",{}\[\]]+')


class Readable(Protocol):
    """A stream of bytes."""

    def read(self, size: int, /) -> bytes: ...


def entries_of(stream: Readable, *, lists: Collection[str]) -> Iterator[Any]:
    """Yield the entries of the list that a document is, or of those lists of the object that it is that have these names.

    An object without such a list is itself the only entry.

    Raises `ImportRefused` for what is not JSON in UTF-8, is cut off, or has an entry over the limit.
    """
    scanner = _Scanner(lists)
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    try:
        while piece := stream.read(READ_AT_ONCE):
            yield from scanner.feed(decoder.decode(piece))
        decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        raise ImportRefused("The file is not text in UTF-8. Choose the export itself, as it was downloaded.") from error
    except (ValueError, RecursionError) as error:
        raise ImportRefused(
            f"The file is not JSON ({error}). Choose the export itself, as it was downloaded."
        ) from error
    if not scanner.is_closed:
        raise ImportRefused("The file ends in the middle: it is cut off, or not JSON. Download the export again.")


class _Scanner:
    """Follows brackets and strings of a document that comes in pieces, and cuts out the entries of its lists."""

    def __init__(self, lists: Collection[str]) -> None:
        self._lists = lists
        self._open: list[str] = []
        self._text = ""
        self._at = 0
        # Where the entry, and the string, began that is being read; where no entry is, everything before `_at` is dropped.
        self._entry: int | None = None
        self._string: int | None = None
        self._name = ""
        self._list_depth = 0
        self._marks = 0

    @property
    def is_closed(self) -> bool:
        return not self._open and self._string is None

    def feed(self, text: str) -> Iterator[Any]:
        self._text += text
        while (found := self._sought.search(self._text, self._at)) is not None:
            mark, start = found[0], found.start()
            self._at = found.end()
            self._marks += self._string is None
            if self._string is not None:
                if mark == "\\":
                    if self._at == len(self._text):
                        self._at = start
                        break
                    self._at += 1
                else:
                    text, self._string = self._text[self._string : start], None
                    if len(self._open) == 1:
                        self._name = text
                    if self._is_between:
                        yield text
            elif mark == '"':
                self._string = self._at
            elif mark in "{[":
                self._opened(mark, start)
            elif mark in "}]":
                if self._closed() and self._entry is not None:
                    yield json.loads(self._text[self._entry : self._at])
                    self._entry = None
            elif mark[0] != '"' and self._at == len(self._text):
                self._at = start
                break
            elif self._is_between:
                yield json.loads(mark)
            else:
                self._name = mark[1:-1]
        else:
            self._at = len(self._text)
        self._drop()

    @property
    def _is_between(self) -> bool:
        return self._entry is None and bool(self._list_depth) and len(self._open) == self._list_depth

    @property
    def _sought(self) -> re.Pattern[str]:
        if self._string is not None:
            return _INSIDE
        return _BETWEEN if self._is_between else _OUTSIDE

    def _opened(self, mark: str, start: int) -> None:
        depth = len(self._open)
        if not depth and mark == "[":
            self._list_depth = 1
        elif not depth or self._is_between:
            self._entry, self._marks = start, 0
        elif depth == 1 and mark == "[" and self._name in self._lists and self._open[0] == "{":
            # The document is no entry itself.
            self._list_depth, self._entry = 2, None
        if depth == DEPTH_LIMIT:
            raise ImportRefused("The brackets of the file are nested too deep. It is no export.")
        self._open.append(mark)

    def _closed(self) -> bool:
        """Close the last bracket; return whether an entry may end with it."""
        if not self._open:
            raise ValueError("a bracket closes that nothing opened")
        self._open.pop()
        if len(self._open) < self._list_depth:
            self._list_depth = 0
        return len(self._open) == self._list_depth

    def _drop(self) -> None:
        """Forget the text that is read, but for the entry or the name that is being read."""
        begin = min(place for place in (self._entry, self._string, self._at) if place is not None)
        kept = len(self._text) - begin
        if self._entry is None and kept > OUTSIDE_LIMIT:
            raise ImportRefused("A value of the file is too long to stand outside of a chat. It is no export.")
        if self._entry is not None and (kept > ENTRY_LIMIT or self._marks > MARKS_LIMIT):
            raise ImportRefused(
                f"An entry of the file is longer than {ENTRY_LIMIT // 1024**2} million characters, or in more than "
                f"{MARKS_LIMIT // 1_000_000} million pieces. It is no chat."
            )
        self._text, self._at = self._text[begin:], self._at - begin
        self._entry = None if self._entry is None else self._entry - begin
        self._string = None if self._string is None else self._string - begin

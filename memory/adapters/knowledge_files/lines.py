"""The lines of a file of knowledge, and the refusal that names one of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from memory.core.errors import KnowledgeRefused
from memory.core.plain_text import NOT_TEXT

LONGEST_LINE = 1024 * 1024
# What a person is shown of a line that cannot be read.
SHOWN = 80


class KnowledgeFileRefused(KnowledgeRefused):
    """Raised for a file of knowledge that cannot be read: which file, which line, what was expected and what is there."""


class Lines:
    """The lines of a stream with their numbers, from 1 on, blank ones left out. `bytes_read` tells how far it is."""

    def __init__(self, stream: BinaryIO, name: str) -> None:
        self.name = name
        self.bytes_read = 0
        self._stream = stream

    def __iter__(self) -> Iterator[tuple[int, str]]:
        number = 0
        while raw := self._stream.readline(LONGEST_LINE + 1):
            number += 1
            self.bytes_read += len(raw)
            if len(raw) > LONGEST_LINE:
                raise self.refusal(number, f"a line has at most {LONGEST_LINE:,} bytes")
            try:
                line = raw.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
            except UnicodeDecodeError:
                raise self.refusal(number, "expected text in UTF-8") from None
            if NOT_TEXT.search(line):
                raise self.refusal(number, "expected text, found a character that is none")
            if line.strip():
                yield number, line

    def refusal(self, number: int, what: str, line: str = "") -> KnowledgeFileRefused:
        """Return the refusal of a line: what was expected, and how the line begins."""
        shown = line if len(line) <= SHOWN else line[:SHOWN] + "…"
        return KnowledgeFileRefused(f"{self.name}, line {number}: {what}" + (f", got {shown!r}." if line else "."))

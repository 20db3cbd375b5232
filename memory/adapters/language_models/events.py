"""Reads server-sent events (WHATWG HTML, 9.2) out of bytes that arrive cut anywhere."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator

LINE_LIMIT = 4_000_000


class EventTooLong(ValueError):
    """A line of the stream is over `LINE_LIMIT` characters: no server of chat completions sends one."""


def event_data(chunks: Iterable[bytes]) -> Iterator[str]:
    """Yield the data of each event, and an empty string for each comment, which says that the server is alive.

    Other fields are passed over; a last event needs no blank line. Raises `EventTooLong`.
    """
    data: list[str] = []
    for line in _lines(chunks):
        if not line:
            if data:
                yield "\n".join(data)
            data = []
            continue
        name, _, value = line.partition(":")
        if name == "data":
            data.append(value.removeprefix(" "))
        elif not name:
            yield ""
    if data:
        yield "\n".join(data)


def _lines(chunks: Iterable[bytes]) -> Iterator[str]:
    """Yield lines without their end, which is a line feed, a carriage return or both, also when cut between the two."""
    decoder = codecs.getincrementaldecoder("utf-8-sig")(errors="replace")
    held = ""
    for chunk in chunks:
        held += decoder.decode(chunk)
        complete = held.replace("\r\n", "\n")
        end = "\r" if complete.endswith("\r") else ""
        *lines, held = complete.removesuffix("\r").replace("\r", "\n").split("\n")
        held += end
        if len(held) > LINE_LIMIT:
            raise EventTooLong
        yield from lines
    held += decoder.decode(b"", final=True)
    if held:
        yield from held.removesuffix("\r").split("\r")

"""Parses server-sent events (WHATWG HTML, 9.2) from byte chunks that may be cut anywhere."""

import codecs
from collections.abc import Iterable, Iterator

LINE_LIMIT = 4_000_000


class EventTooLong(ValueError):
    """Raised for a line of the stream over `LINE_LIMIT` characters, which no server of chat completions sends."""


def event_data(chunks: Iterable[bytes]) -> Iterator[str]:
    """Yield the data of each event, and "" for each comment, which shows that the server is alive.

    Other fields are ignored; the last event needs no blank line. Raises `EventTooLong`.
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
    """Yield lines without their end, which is LF, CR or CRLF, also where a chunk ends between CR and LF."""
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

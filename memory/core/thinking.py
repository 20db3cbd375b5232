"""Removes the thinking that a reasoning model writes before its reply: a first block `<think>...</think>`.

Only a block that opens the reply is thinking. The same tag further on is ordinary text, so that a reply can mention it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

OPENING = "<think>"
CLOSING = "</think>"


class UnfinishedThinking(ValueError):
    """The reply ended inside its thinking: nothing was said."""


def without_thinking(text: str) -> str:
    """Return the reply without its thinking. Raises `UnfinishedThinking`.

    A closing tag that nothing opened ends thinking too: some servers put the opening tag into the prompt.
    """
    head, closing, tail = text.partition(CLOSING)
    if closing and (OPENING not in head or head.lstrip().startswith(OPENING)):
        return tail.lstrip()
    if text.lstrip().startswith(OPENING):
        raise UnfinishedThinking
    return text


def stream_without_thinking(pieces: Iterable[str], *, is_thinking: bool = False) -> Iterator[str]:
    """Yield the pieces of a reply without its thinking, each as soon as it is certain that it is not thinking.

    `is_thinking` says that the prompt opened the block already. Raises `UnfinishedThinking` where the reply ends inside it.
    """
    source = iter(pieces)
    held = ""
    if not is_thinking:
        for piece in source:
            held += piece
            start = held.lstrip()
            if start.startswith(OPENING):
                is_thinking = True
                held = start[len(OPENING) :]
                break
            if not OPENING.startswith(start):
                break
    if is_thinking:
        for piece in _continued(held, source):
            held = piece
            _, closing, tail = held.partition(CLOSING)
            if closing:
                held = tail
                break
        else:
            raise UnfinishedThinking
        for piece in _continued_blank(held, source):
            held = piece
            if held:
                break
    if held:
        yield held
    yield from source


def _continued(held: str, source: Iterator[str]) -> Iterator[str]:
    """Yield the held text, then, after each further piece, as much of the end as may contain a tag that is cut."""
    yield held
    for piece in source:
        held = held[-len(CLOSING) :] + piece
        yield held


def _continued_blank(held: str, source: Iterator[str]) -> Iterator[str]:
    """Yield the held text and each further piece, without the blank space between the thinking and the reply."""
    yield held.lstrip()
    for piece in source:
        yield piece.lstrip()

"""Composes a whole reply without a language model: acknowledges statements, answers questions, returns courtesies.

The responder decides how a question is answered.
"""

from collections.abc import Callable, Iterator, Sequence

from conversations.core.responders.acknowledgement import acknowledgement
from conversations.core.responders.answers import CANNOT, Answer
from conversations.core.responders.deltas import deltas
from conversations.core.responders.message import Kind, Piece, read_line, read_message
from conversations.core.types import Delta, Grounds, Query, ReplyPart, Stage
from memory.core.ports import MessageListener

_COURTESIES = {
    Kind.GREETING: "Hello! Tell me something about you, or ask what I remember.",
    Kind.THANKS: "You are welcome.",
    Kind.FAREWELL: "Goodbye! I keep what you told me.",
    Kind.SMALL_TALK: (
        "I am the built-in engine: I remember what you tell me and answer from it. Tell me something, or ask what I remember."
    ),
    Kind.ASSENT: "All right.",
    Kind.NOISE: "I found no words in that. Tell me something about you, or ask what I remember.",
}
EMPTY = "Tell me something about you, or ask what I remember."


def reply_by_rule(
    query: Query,
    answers: Callable[[Query, Sequence[Piece]], Iterator[ReplyPart | Answer]],
    *,
    listener: MessageListener,
) -> Iterator[ReplyPart]:
    """Read a message and yield the reply to it: an acknowledgement of its statements, then each answer once."""
    pieces = read_message(query.text)
    yield Stage("read", read_line(pieces))
    spoken = False
    for told in told_back(pieces, query, listener=listener):
        spoken = spoken or isinstance(told, Delta)
        yield told
    answered: set[str] = set()
    for part in answers(query, pieces):
        if not isinstance(part, Answer):
            yield part
            continue
        yield from part.steps
        if part.text not in answered:
            answered.add(part.text)
            if part.grounds != Grounds():
                yield part.grounds
            yield from deltas(part.text, is_first=not spoken)
            spoken = True
        yield part.step()
    yield from said_besides(pieces, query, spoken=spoken)


def told_back(pieces: Sequence[Piece], query: Query, *, listener: MessageListener) -> Iterator[ReplyPart]:
    """Yield the acknowledgement of a message's statements, once what they teach is stored."""
    if any(piece.kind is Kind.STATEMENT for piece in pieces):
        yield Stage("understand", "reading what you told me")
        yield from deltas(acknowledgement(query, listener=listener), is_first=True)


def said_besides(pieces: Sequence[Piece], query: Query, *, spoken: bool) -> Iterator[Delta]:
    """Yield the reply to requests, and to a message that neither states nor asks anything."""
    kinds = list(dict.fromkeys(piece.kind for piece in pieces))
    if Kind.REQUEST in kinds:
        yield from deltas(CANNOT, is_first=not spoken)
    elif not spoken:
        courtesy = next((_COURTESIES[kind] for kind in kinds if kind in _COURTESIES and kind is not Kind.NOISE), None)
        said = courtesy or (_COURTESIES[Kind.NOISE] if kinds else EMPTY)
        is_kept = query.is_remembered or said != _COURTESIES[Kind.FAREWELL]
        yield from deltas(said if is_kept else "Goodbye!", is_first=True)

"""Asking a space a question outside of any conversation: nothing is written."""

from __future__ import annotations

import time
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime

from conversations import bootstrap
from conversations.core.types import Delta, Grounds, Query, Retrieved
from evaluation.core.errors import UnknownName
from evaluation.core.retrieval_trace import units_of
from memory import bootstrap as memory_bootstrap
from memory.core.types import Passage, Unit


@dataclass(frozen=True)
class TimedReply:
    """A reply with what it rests on, how long it took, and what it retrieved where its responder does."""

    text: str
    grounds: Grounds
    first_token_ms: float
    total_ms: float
    retrieved: tuple[Retrieved, ...] = ()


def question_ask(
    *, space_id: int, question: str, asked_by: str, asked_at: datetime, responder: str, engine: str = ""
) -> TimedReply:
    """Return the responder's reply from the space's memory."""
    began = time.perf_counter()
    first: float | None = None
    text: list[str] = []
    grounds = Grounds()
    retrieved: list[Retrieved] = []
    query = Query(text=question, speaker=asked_by, asked_at=asked_at)
    answering = bootstrap.responder(responder, engine=engine, space_id=space_id)
    with closing(answering.reply(query)) as parts:  # type: ignore[type-var]
        for part in parts:
            if isinstance(part, Delta):
                first = first if first is not None else time.perf_counter()
                text.append(part.text)
            elif isinstance(part, Grounds):
                grounds = part
            elif isinstance(part, Retrieved):
                retrieved.append(part)
    ended = time.perf_counter()
    return TimedReply(
        text="".join(text).strip(),
        grounds=grounds,
        first_token_ms=((first if first is not None else ended) - began) * 1000,
        total_ms=(ended - began) * 1000,
        retrieved=tuple(retrieved),
    )


def retrieved_words(answer: TimedReply, *, space_id: int) -> dict[tuple[Unit, int], Passage]:
    """Return the words of what the answer's retrievals show, of the space that it was asked in."""
    index = memory_bootstrap.dialogue_index(space_id)
    return {
        (unit, passage.id): passage
        for unit, ids in units_of(answer.retrieved).items()
        for passage in index.passages_of(unit, ids)
    }


def responders_check(names: list[str]) -> None:
    """Raise `UnknownName` unless every name is a responder's."""
    known = bootstrap.responder_names()
    for name in names:
        if name not in known:
            raise UnknownName(f"There is no responder {name!r}. Responders: {', '.join(known)}.")

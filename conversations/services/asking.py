"""Asking outside of any conversation, a space or a language model alone: nothing is written."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import datetime

from conversations import bootstrap
from conversations.core.responders.deltas import NOTHING_SAID, with_answers
from conversations.core.types import Delta, Grounds, Query
from memory.bootstrap import engine as engine_named
from memory.bootstrap.roles import WRITE_ANSWER
from memory.core.errors import UnparsableReply
from memory.core.plain_text import has_words
from memory.core.thinking import without_thinking
from memory.core.tracing import Numbering, TraceStep, recording
from memory.core.types import Completion, Message, Prompt, SamplingConfig
from memory.selectors.tracing import NumberedStep


@dataclass(frozen=True)
class TimedReply:
    """A reply with what it rests on, how long it took, and the steps of its trace."""

    text: str
    grounds: Grounds
    first_token_ms: float
    total_ms: float
    trace: tuple[NumberedStep, ...] = ()


def question_ask(
    *, space_id: int, question: str, asked_by: str, asked_at: datetime, responder: str, engine: str = ""
) -> TimedReply:
    """Return the responder's reply from the space's memory. Raises `UnparsableReply` where it has no word."""
    began = time.perf_counter()
    first: float | None = None
    text: list[str] = []
    grounds = Grounds()
    numbering = Numbering()
    steps: dict[int, TraceStep] = {}

    def record(some: Sequence[TraceStep]) -> None:
        steps.update({numbering.number(step): step for step in some})

    query = Query(text=question, speaker=asked_by, asked_at=asked_at, is_remembered=False)
    answering = bootstrap.responder(responder, engine=engine, space_id=space_id)
    with recording(record), closing(with_answers(answering.reply(query))) as parts:  # type: ignore[type-var]
        for part in parts:
            match part:
                case Delta():
                    first = first if first is not None else time.perf_counter()
                    text.append(part.text)
                case Grounds():
                    grounds = grounds.with_more(part)
                case _:
                    record(part.steps())
    if not has_words("".join(text)):
        raise UnparsableReply(NOTHING_SAID, reply="".join(text))
    ended = time.perf_counter()
    return TimedReply(
        text="".join(text).strip(),
        grounds=grounds,
        first_token_ms=((first if first is not None else ended) - began) * 1000,
        total_ms=(ended - began) * 1000,
        trace=tuple(NumberedStep(number, step) for number, step in steps.items()),
    )


def messages_complete(*, engine: str, messages: Sequence[Message], config: SamplingConfig) -> Completion:
    """Return what an engine's language model says to messages as they are. Raises what it met."""
    writer = engine_named(engine).player(WRITE_ANSWER)
    [outcome] = writer.complete_many([Prompt(tuple(messages))], config=config)
    if isinstance(outcome, Exception):
        raise outcome
    return replace(outcome, text=without_thinking(outcome.text).strip())

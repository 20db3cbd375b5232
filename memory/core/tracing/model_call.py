"""One call of a language model, in the role that it played."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from memory.core.tracing.step import TraceStep


class CallOutcome(StrEnum):
    """How a call ended: with a reply, with an error, or because nobody wanted the rest."""

    ANSWERED = "answered"
    FAILED = "failed"
    STOPPED = "stopped"


@dataclass(frozen=True)
class ModelCall(TraceStep):
    """A call: neither what was asked nor what was answered is in it.

    Tokens are None where the server does not tell them. `milliseconds` of prompts that were asked together are each one's
    share of the time that all of them took, so that sums are the time that was waited. `error` names what a failed call met.
    """

    kind: ClassVar[str] = "model_call"

    role: str
    model: str
    outcome: CallOutcome
    milliseconds: float
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    error: str = ""

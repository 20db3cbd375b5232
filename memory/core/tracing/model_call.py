"""One call of a language model, in the role that it played."""

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from memory.core.tracing.step import TraceStep


class CallOutcome(StrEnum):
    """How a call ended: with a reply, with an error, or closed by the caller before its end."""

    ANSWERED = "answered"
    FAILED = "failed"
    STOPPED = "stopped"


@dataclass(frozen=True)
class ModelCall(TraceStep):
    """A call of a language model, without its prompt and its reply.

    Tokens are None where the server does not report them. `milliseconds` of prompts that were sent in one batch are equal
    shares of the batch's time, so that their sum is the time waited. `error` names the error of a failed call.
    """

    kind: ClassVar[str] = "model_call"

    role: str
    model: str
    outcome: CallOutcome
    milliseconds: float
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    error: str = ""

"""Tests what an engine can do."""

import time
from dataclasses import dataclass

from django.utils import timezone
from pydantic import BaseModel, ConfigDict, ValidationError

from memory import bootstrap
from memory.adapters.language_models.http import HttpLanguageModel
from memory.adapters.language_models.request_form import StructuredOutput
from memory.bootstrap.roles import EXTRACT_FACTS
from memory.core.errors import UnparsableReply
from memory.core.ports import LanguageModel
from memory.core.types import Message, MessageRole, Prompt, Role, SamplingConfig, Utterance

SENTENCE = "I live in Paris."
# Long enough for a model that thinks first.
SHORT = SamplingConfig(temperature=0.0, max_tokens=1024)
HELD = {
    StructuredOutput.JSON_SCHEMA: "keeps to a schema",
    StructuredOutput.JSON_OBJECT: "answers in JSON when told to, and keeps to a schema that it is only shown",
    StructuredOutput.NONE: "keeps to a schema that it is only shown",
}
NOT_HELD = "did not keep to the form that was asked for, so that much of what it says may not be readable"


class Capital(BaseModel):
    model_config = ConfigDict(extra="forbid")
    capital: str


FORMED = Prompt(
    messages=(
        Message(
            MessageRole.USER,
            'Which city is the capital of France? Answer as the JSON object {"capital": "..."} and say nothing else.',
        ),
    ),
    schema=Capital.model_json_schema(),
)
STREAMED = Prompt(messages=(Message(MessageRole.USER, "Name the days of the week, and say nothing else."),))


@dataclass(frozen=True)
class Streaming:
    """How a reply came: in how many pieces, and after how many seconds the first and the last."""

    pieces: int
    first_s: float
    whole_s: float


@dataclass(frozen=True)
class EngineProof:
    """An engine's answer, and the seconds until it came, including loading.

    Of a language model also how it keeps to an asked form, and how it streams.
    """

    name: str
    answer: str
    seconds: float
    form: str = ""
    streaming: Streaming | None = None


def engine_prove(*, name: str) -> EngineProof:
    """Ask an engine for a form once, and once for a stream, and return what it did.

    Raises `MemoryCoreError` with one line for a person: unknown, not found, out of reach or refused.
    """
    started = time.perf_counter()
    made = bootstrap.engine(name)
    if made.language_model is not None:
        return model_prove(made.name, made.language_model, started=started)
    said = Utterance(speaker="You", role=Role.USER, text=SENTENCE, said_at=timezone.now())
    [read] = made.player(EXTRACT_FACTS).extract_many([said])
    answer = f"read {len(read.facts)} fact{'' if len(read.facts) == 1 else 's'} in “{SENTENCE}”"
    return EngineProof(name=made.name, answer=answer, seconds=time.perf_counter() - started)


def model_prove(name: str, model: LanguageModel, *, started: float) -> EngineProof:
    [outcome] = model.complete_many([FORMED], config=SHORT)
    if isinstance(outcome, Exception):
        raise outcome
    seconds = time.perf_counter() - started
    return EngineProof(
        name=name,
        answer=" ".join(outcome.text.split())[:80],
        seconds=seconds,
        form=form_of(model, outcome.text),
        streaming=streaming_of(model),
    )


def form_of(model: LanguageModel, reply: str) -> str:
    try:
        Capital.model_validate_json(reply)
    except ValidationError:
        return NOT_HELD
    return HELD[model.structured_output if isinstance(model, HttpLanguageModel) else StructuredOutput.NONE]


def streaming_of(model: LanguageModel) -> Streaming:
    began = time.perf_counter()
    times = [time.perf_counter() - began for piece in model.stream(STREAMED, config=SHORT) if piece]
    if not times:
        raise UnparsableReply("It streams nothing. Choose a model for chat.", reply="")
    return Streaming(pieces=len(times), first_s=times[0], whole_s=times[-1])

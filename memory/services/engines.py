"""Tests that an engine answers."""

from __future__ import annotations

import time
from dataclasses import dataclass

from django.utils import timezone

from memory import bootstrap
from memory.bootstrap.roles import EXTRACT_FACTS
from memory.core.types import Message, MessageRole, Prompt, Role, SamplingConfig, Utterance

QUESTION = Prompt(messages=(Message(MessageRole.USER, "Answer with the one word: ready"),))
SENTENCE = "I live in Paris."
SHORT = SamplingConfig(temperature=0.0, max_tokens=16)


@dataclass(frozen=True)
class EngineProof:
    """An engine's answer, and the seconds until it came, including loading."""

    name: str
    answer: str
    seconds: float


def engine_prove(*, name: str) -> EngineProof:
    """Ask the engine once and return its answer.

    Raises `MemoryCoreError` with one line for a person: unknown, not found, out of reach or refused.
    """
    started = time.perf_counter()
    made = bootstrap.engine(name)
    if made.language_model is not None:
        [outcome] = made.language_model.complete_many([QUESTION], config=SHORT)
        if isinstance(outcome, Exception):
            raise outcome
        answer = " ".join(outcome.text.split())[:80]
    else:
        said = Utterance(speaker="You", role=Role.USER, text=SENTENCE, said_at=timezone.now())
        [read] = made.player(EXTRACT_FACTS).extract_many([said])
        answer = f"read {len(read.facts)} fact{'' if len(read.facts) == 1 else 's'} in “{SENTENCE}”"
    return EngineProof(name=made.name, answer=answer, seconds=time.perf_counter() - started)

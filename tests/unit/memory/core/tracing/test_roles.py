"""A model in a role: each of its calls is one step, whatever becomes of it."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import pytest

from memory.adapters.language_models.scripted import Rule, ScriptedLanguageModel
from memory.core.errors import ModelRefused, ModelUnreachable
from memory.core.ports import AnswerProbabilities, LanguageModel
from memory.core.tracing import CallOutcome, ModelCall, TraceStep, as_role, recording
from memory.core.types import AnswerChances, Completion, Message, MessageRole, Prompt, SamplingConfig

SAMPLING = SamplingConfig(max_tokens=3)
RULES = [
    Rule(when="fail", error="unreachable", message="The line is dead."),
    Rule(reply="You live in Lyon."),
]


def prompt(text: str) -> Prompt:
    return Prompt((Message(MessageRole.USER, text),))


def ticking(step: float = 0.5):
    now = [0.0]

    def clock() -> float:
        now[0] += step
        return now[0]

    return clock


@pytest.fixture
def model() -> LanguageModel:
    return as_role(ScriptedLanguageModel.of_rules(RULES), "writing", clock=ticking())


class Recorded:
    """Keeps the batches in which steps came."""

    def __init__(self) -> None:
        self.batches: list[tuple[TraceStep, ...]] = []

    def __call__(self, steps: Sequence[TraceStep]) -> None:
        self.batches.append(tuple(steps))


def answered(milliseconds: float, prompt_tokens: int | None, completion_tokens: int | None) -> ModelCall:
    return ModelCall("writing", "scripted:rules", CallOutcome.ANSWERED, milliseconds, prompt_tokens, completion_tokens)


def failed(milliseconds: float, error: str) -> ModelCall:
    return ModelCall("writing", "scripted:rules", CallOutcome.FAILED, milliseconds, error=error)


def test_batch_is_one_step_a_prompt_each_with_its_share_of_the_time(model):
    with recording(recorded := Recorded()):
        outcomes = model.complete_many([prompt("Where do I live?"), prompt("fail")], config=SAMPLING)
    assert outcomes[0] == Completion("You live in ", 4, 3) and isinstance(outcomes[1], ModelUnreachable)
    assert recorded.batches == [(answered(250.0, 4, 3), failed(250.0, "ModelUnreachable"))]


def test_batch_that_raises_is_as_many_failed_calls(model):
    class Broken:
        name = "broken"

        def complete_many(self, prompts, *, config):
            raise ModelRefused("No.")

    with recording(recorded := Recorded()), pytest.raises(ModelRefused):
        as_role(Broken(), "value", clock=ticking()).complete_many([prompt("a"), prompt("b")], config=SAMPLING)
    assert recorded.batches == [(ModelCall("value", "broken", CallOutcome.FAILED, 250.0, error="ModelRefused"),) * 2]


def test_batch_of_nothing_is_no_step(model):
    with recording(recorded := Recorded()):
        assert model.complete_many([], config=SAMPLING) == []
    assert recorded.batches == []


def test_stream_is_a_step_when_it_has_ended(model):
    with recording(recorded := Recorded()):
        reply = model.stream(prompt("Where do I live?"), config=SAMPLING)
        assert next(reply) == "You " and recorded.batches == []
        assert list(reply) == ["live ", "in "]
    assert recorded.batches == [(answered(500.0, 4, 3),)]


def test_stream_that_fails_or_is_closed_early_is_a_step_without_tokens(model):
    with recording(recorded := Recorded()):
        with pytest.raises(ModelUnreachable):
            list(model.stream(prompt("fail"), config=SAMPLING))
        reply = model.stream(prompt("Where?"), config=SAMPLING)
        next(reply)
        reply.close()
    stopped = ModelCall("writing", "scripted:rules", CallOutcome.STOPPED, 500.0)
    assert recorded.batches == [(failed(500.0, "ModelUnreachable"),), (stopped,)]


def test_stream_of_a_model_that_does_not_tell_its_tokens_has_none():
    class Silent:
        name = "silent"

        def stream(self, prompt, *, config):
            yield "word"

    with recording(recorded := Recorded()):
        assert list(as_role(Silent(), "writing", clock=ticking()).stream(prompt("x"), config=SAMPLING)) == ["word"]
    assert recorded.batches == [(ModelCall("writing", "silent", CallOutcome.ANSWERED, 500.0),)]


def test_nothing_is_kept_where_nobody_records_or_another_thread_does(model):
    recorded = Recorded()
    with recording(recorded):
        thread = threading.Thread(target=lambda: model.complete_many([prompt("Where?")], config=SAMPLING))
        thread.start()
        thread.join()
    assert model.complete_many([prompt("Where?")], config=SAMPLING) == [Completion("You live in ", 1, 3)]
    assert recorded.batches == []


def test_inner_recording_ends_with_its_block(model):
    outer, inner = Recorded(), Recorded()
    with recording(outer):
        with recording(inner):
            model.complete_many([prompt("Where?")], config=SAMPLING)
        model.complete_many([prompt("Where?")], config=SAMPLING)
    assert len(inner.batches) == len(outer.batches) == 1


class OnlyCompleting:
    """A `LanguageModel` that tells no probabilities."""

    name = "completing"

    def complete_many(self, prompts, *, config):
        return []

    def stream(self, prompt, *, config):
        yield ""


def test_probabilities_are_a_step_a_prompt_too(model):
    recorded = Recorded()
    with recording(recorded):
        outcomes = model.probabilities_many([prompt("Where do I live?"), prompt("fail")], ["you"])
    assert outcomes[0] == AnswerChances((1.0,), 0.0, 4, 1)
    assert isinstance(outcomes[1], ModelUnreachable)
    assert recorded.batches == [(answered(250, 4, 1), failed(250, "ModelUnreachable"))]


def test_a_model_without_probabilities_offers_none_in_a_role_either(model):
    assert isinstance(model, AnswerProbabilities)
    assert not isinstance(as_role(OnlyCompleting(), "writing"), AnswerProbabilities)

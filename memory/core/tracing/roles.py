"""Wraps a language model for a role, so that each of its calls becomes a step of the trace."""

import time
from collections.abc import Callable, Generator, Sequence
from typing import TypeVar

from memory.core.ports import AnswerProbabilities, LanguageModel
from memory.core.tracing.model_call import CallOutcome, ModelCall
from memory.core.tracing.recording import emit
from memory.core.types import AnswerChances, Completion, Prompt, SamplingConfig, TokenUsage

OutcomeT = TypeVar("OutcomeT", Completion | Exception, AnswerChances | Exception)


def as_role(model: LanguageModel, role: str, *, clock: Callable[[], float] = time.perf_counter) -> LanguageModel:
    """Return the model with its calls recorded under a role's name, such as "extraction"."""
    in_role = _AnsweringInRole if isinstance(model, AnswerProbabilities) else _InRole
    return in_role(model, role, clock)


class _InRole:
    """Implements `LanguageModel` by another one, and records its calls."""

    def __init__(self, model: LanguageModel, role: str, clock: Callable[[], float]) -> None:
        self.name = model.name
        self._model = model
        self._role = role
        self._clock = clock

    def __repr__(self) -> str:
        return f"as_role({self._model!r}, {self._role!r})"

    def complete_many(self, prompts: Sequence[Prompt], *, config: SamplingConfig) -> list[Completion | Exception]:
        return self._recorded(len(prompts), lambda: self._model.complete_many(prompts, config=config))

    def stream(self, prompt: Prompt, *, config: SamplingConfig) -> Generator[str, None, TokenUsage | None]:
        began = self._clock()
        try:
            usage = yield from self._model.stream(prompt, config=config)
        except GeneratorExit:
            emit(ModelCall(self._role, self.name, CallOutcome.STOPPED, self._since(began)))
            raise
        except Exception as error:
            emit(self._failed(error, self._since(began)))
            raise
        told = usage or TokenUsage()
        emit(
            ModelCall(
                role=self._role,
                model=self.name,
                outcome=CallOutcome.ANSWERED,
                milliseconds=self._since(began),
                prompt_tokens=told.prompt_tokens,
                completion_tokens=told.completion_tokens,
            )
        )
        return usage

    def _recorded(self, count: int, ask: Callable[[], list[OutcomeT]]) -> list[OutcomeT]:
        began = self._clock()
        try:
            outcomes = ask()
        except Exception as error:
            share = self._since(began) / max(1, count)
            emit(*(self._failed(error, share) for _ in range(count)))
            raise
        share = self._since(began) / max(1, len(outcomes))
        emit(*(self._call(outcome, share) for outcome in outcomes))
        return outcomes

    def _call(self, outcome: Completion | AnswerChances | Exception, milliseconds: float) -> ModelCall:
        if isinstance(outcome, Exception):
            return self._failed(outcome, milliseconds)
        return ModelCall(
            role=self._role,
            model=self.name,
            outcome=CallOutcome.ANSWERED,
            milliseconds=milliseconds,
            prompt_tokens=outcome.prompt_tokens,
            completion_tokens=outcome.completion_tokens,
        )

    def _failed(self, error: Exception, milliseconds: float) -> ModelCall:
        return ModelCall(self._role, self.name, CallOutcome.FAILED, milliseconds, error=type(error).__name__)

    def _since(self, began: float) -> float:
        return round((self._clock() - began) * 1000, 3)


class _AnsweringInRole(_InRole):
    """Implements `AnswerProbabilities` too, by a model that does."""

    _model: AnswerProbabilities

    def probabilities_many(self, prompts: Sequence[Prompt], answers: Sequence[str]) -> list[AnswerChances | Exception]:
        return self._recorded(len(prompts), lambda: self._model.probabilities_many(prompts, answers))

"""A language model as a measurement asks it: at one temperature, and no prompt twice."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
from collections.abc import Callable, Generator, Sequence
from dataclasses import astuple, replace
from pathlib import Path
from typing import Any, TypeVar

from evaluation.core.errors import EvaluationError
from memory.core.errors import ModelUnfit
from memory.core.ports import AnswerProbabilities, LanguageModel
from memory.core.types import AnswerChances, Completion, Prompt, SamplingConfig, TokenUsage

OutcomeT = TypeVar("OutcomeT", Completion, AnswerChances)


class MeasuredModel:
    """A `LanguageModel` that draws at a temperature of 0 and keeps each whole reply in a file, by model, prompt and `repeat`.

    `calls` counts the prompts that it was given, `cached` those of them that the file answered. Failures are not kept.
    """

    def __init__(self, model: LanguageModel, path: Path) -> None:
        self.name = model.name
        self.repeat = 0
        self.calls = 0
        self.cached = 0
        self._model = model
        self._lock = threading.Lock()
        try:
            self._kept = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
            self._kept.execute("CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, reply TEXT NOT NULL)")
        except sqlite3.Error as error:
            raise EvaluationError(
                f"{path} is no file of kept replies ({error}). Remove it, or give another path."
            ) from error

    def complete_many(self, prompts: Sequence[Prompt], *, config: SamplingConfig) -> list[Completion | Exception]:
        sampling = replace(config, temperature=0.0)
        keys = [self._key(prompt, sampling) for prompt in prompts]
        return self._outcomes(prompts, keys, Completion, lambda some: self._model.complete_many(some, config=sampling))

    def probabilities_many(self, prompts: Sequence[Prompt], answers: Sequence[str]) -> list[AnswerChances | Exception]:
        """Return the model's outcomes. Raises `ModelUnfit` where it tells no probabilities."""
        model = self._model
        if not isinstance(model, AnswerProbabilities):
            raise ModelUnfit(f"{self.name} cannot tell how probable an answer is.")
        keys = [self._key(prompt, tuple(answers)) for prompt in prompts]
        return self._outcomes(prompts, keys, AnswerChances, lambda some: model.probabilities_many(some, answers))

    def stream(self, prompt: Prompt, *, config: SamplingConfig) -> Generator[str, None, TokenUsage | None]:
        sampling = replace(config, temperature=0.0)
        key = self._key(prompt, sampling)
        kept = self._find(key, Completion)
        if kept is not None:
            yield kept.text
            return TokenUsage(kept.prompt_tokens, kept.completion_tokens)
        pieces: list[str] = []
        parts = self._model.stream(prompt, config=sampling)
        try:
            while True:
                piece = next(parts)
                pieces.append(piece)
                yield piece
        except StopIteration as end:
            usage: TokenUsage | None = end.value
        finally:
            parts.close()
        told = usage or TokenUsage()
        self._keep(key, Completion("".join(pieces), told.prompt_tokens, told.completion_tokens))
        return usage

    def _outcomes(
        self,
        prompts: Sequence[Prompt],
        keys: Sequence[str],
        kind: type[OutcomeT],
        ask: Callable[[Sequence[Prompt]], list[OutcomeT | Exception]],
    ) -> list[OutcomeT | Exception]:
        """Return what the file has of each prompt, and what asking the others gives, of which outcomes of `kind` are kept."""
        outcomes: list[OutcomeT | Exception | None] = [self._find(key, kind) for key in keys]
        lacking = [place for place, outcome in enumerate(outcomes) if outcome is None]
        if lacking:
            for place, outcome in zip(lacking, ask([prompts[place] for place in lacking]), strict=True):
                outcomes[place] = outcome
                if isinstance(outcome, kind):
                    self._keep(keys[place], outcome)
        return [outcome for outcome in outcomes if outcome is not None]

    def _key(self, prompt: Prompt, asked: SamplingConfig | tuple[str, ...]) -> str:
        content = json.dumps([self.name, self.repeat, repr(prompt), repr(asked)])
        return hashlib.sha256(content.encode()).hexdigest()

    def _find(self, key: str, kind: type[OutcomeT]) -> OutcomeT | None:
        with self._lock:
            self.calls += 1
            row = self._kept.execute("SELECT reply FROM replies WHERE key = ?", (key,)).fetchone()
            self.cached += row is not None
        if row is None:
            return None
        values: Any = [tuple(value) if isinstance(value, list) else value for value in json.loads(row[0])]
        return kind(*values)

    def _keep(self, key: str, made: Completion | AnswerChances) -> None:
        content = json.dumps(astuple(made))
        with self._lock:
            self._kept.execute("INSERT OR REPLACE INTO replies VALUES (?, ?)", (key, content))

"""A language model as a measurement asks it: at one temperature, and no prompt twice."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
from collections.abc import Generator, Sequence
from dataclasses import replace
from pathlib import Path

from evaluation.core.errors import EvaluationError
from memory.core.ports import LanguageModel
from memory.core.types import Completion, Prompt, SamplingConfig, TokenUsage


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
            raise EvaluationError(f"{path} is no file of kept replies ({error}). Give --items another path.") from error

    def complete_many(self, prompts: Sequence[Prompt], *, config: SamplingConfig) -> list[Completion | Exception]:
        sampling = replace(config, temperature=0.0)
        keys = [self._key(prompt, sampling) for prompt in prompts]
        outcomes: list[Completion | Exception | None] = [self._find(key) for key in keys]
        lacking = [place for place, outcome in enumerate(outcomes) if outcome is None]
        if lacking:
            made = self._model.complete_many([prompts[place] for place in lacking], config=sampling)
            for place, outcome in zip(lacking, made, strict=True):
                outcomes[place] = outcome
                if isinstance(outcome, Completion):
                    self._keep(keys[place], outcome)
        return [outcome for outcome in outcomes if outcome is not None]

    def stream(self, prompt: Prompt, *, config: SamplingConfig) -> Generator[str, None, TokenUsage | None]:
        sampling = replace(config, temperature=0.0)
        key = self._key(prompt, sampling)
        kept = self._find(key)
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

    def _key(self, prompt: Prompt, config: SamplingConfig) -> str:
        asked = json.dumps([self.name, self.repeat, repr(prompt), repr(config)])
        return hashlib.sha256(asked.encode()).hexdigest()

    def _find(self, key: str) -> Completion | None:
        with self._lock:
            self.calls += 1
            row = self._kept.execute("SELECT reply FROM replies WHERE key = ?", (key,)).fetchone()
            self.cached += row is not None
        return Completion(*json.loads(row[0])) if row else None

    def _keep(self, key: str, made: Completion) -> None:
        content = json.dumps([made.text, made.prompt_tokens, made.completion_tokens])
        with self._lock:
            self._kept.execute("INSERT OR REPLACE INTO replies VALUES (?, ?)", (key, content))

"""What all judges have in common that ask a language model.

A verdict is a JSON object, the reason first: a verdict that is thought over is a better one. What was said stands between
marks that it does not contain, and a model's reply with two verdicts is unreadable, since one of them may be quoted. An
unreadable reply is asked for once more, then the judged reply is unscored: no failure of a judge is a low score.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from itertools import islice
from pathlib import Path
from statistics import fmean
from typing import Any

from pydantic import BaseModel

from evaluation.core.judging.types import JUDGED, Judgement, ReplyToJudge
from memory.core.errors import LanguageModelError, ModelUnreachable
from memory.core.plain_text import has_words, storable
from memory.core.ports import LanguageModel
from memory.core.prompting import UnreadableReply, answer_of, ask_many, json_schema_of, parse_json, render_prompt
from memory.core.types import SamplingConfig

PROMPTS = Path(__file__).parent / "prompts"
# Characters of a reply, and of all that was said before it, of which the latest stays.
REPLY, DIALOGUE = 24_000, 24_000
SILENT = "The reply has no words."


class NotJudged(ValueError):
    """A reply that a judge has nothing to hold against; its message says what is missing."""


class Verdict(BaseModel):
    """What speaks for and against the reply, then whether it is right."""

    reason: str
    is_right: bool

    @property
    def value(self) -> float:
        return float(self.is_right)


# Returns the values of one prompt or several, of each of which there is a verdict. Raises `NotJudged`.
Asking = Callable[[ReplyToJudge], Sequence[Mapping[str, object]]]


@dataclass(frozen=True)
class PromptedJudge:
    """Implements `ReplyJudge`: asks the prompts of a reply at once, and puts their verdicts together.

    A reply without words has the lowest value, and nobody is asked.
    """

    name: str
    model: LanguageModel
    prompt: Path
    asks: Asking
    form: type[Any] = Verdict
    metric: str = JUDGED
    lowest: float = 0.0
    together: Callable[[Sequence[float]], float] = fmean
    sampling: SamplingConfig = field(default_factory=lambda: SamplingConfig(temperature=0.0, max_tokens=1_024))

    @property
    def digest(self) -> str:
        return sha256(f"{self.prompt.read_text()}\n{json_schema_of(self.form)}".encode()).hexdigest()

    def judge_many(self, replies: Sequence[ReplyToJudge]) -> list[Judgement]:
        settled, prompts, counts = dict[int, Judgement](), [], list[int]()
        for place, one in enumerate(replies):
            try:
                values = self.asks(one)
            except NotJudged as error:
                settled[place], values = Judgement(None, why=str(error)), ()
            if place not in settled and not has_words(one.reply):
                settled[place], values = Judgement(self.lowest, SILENT), ()
            counts.append(len(values))
            prompts += [render_prompt(self.prompt, schema=self.form, **{**said_of(one), **some}) for some in values]
        told = iter(ask_many(self.model, prompts, partial(verdict_of, form=self.form), config=self.sampling))
        return [
            settled[place] if place in settled else self._judgement(list(islice(told, count)))
            for place, count in enumerate(counts)
        ]

    def _judgement(self, outcomes: Sequence[Any]) -> Judgement:
        for one in outcomes:
            if isinstance(one, ModelUnreachable):
                raise one
            if isinstance(one, LanguageModelError):
                return Judgement(None, why=f"The judge {self.name} gave no verdict. {storable(str(one))}")
        reasons = " ".join(storable(one.reason).strip() for one in outcomes)
        return Judgement(self.together([one.value for one in outcomes]), reasons)


def said_of(one: ReplyToJudge) -> dict[str, object]:
    """Return what every prompt of a judge may show."""
    left, kept = DIALOGUE, list[str]()
    for speaker, words in reversed(one.dialogue):
        line = f"{speaker}: {words}"
        left -= len(line)
        if left < 0:
            break
        kept.append(line)
    return {
        "question": one.question,
        "reply": one.reply[:REPLY],
        "is_cut": len(one.reply) > REPLY,
        "category": one.category,
        "dialogue": "\n".join(reversed(kept)),
    }


def verdict_of(text: str, form: type[BaseModel]) -> BaseModel:
    """Return the one verdict of a model's reply. Raises `UnreadableReply`, also where it holds two."""
    found = parse_json(text, form)
    said = answer_of(text)
    if any(len(re.findall(rf'"{name}"\s*:', said)) > 1 for name in form.model_fields):
        raise UnreadableReply("it holds more than one verdict. Send one JSON object and quote nothing.")
    return found

"""The quality of a turn from 1 to 10 (D-SMART, section 4.1, by the tasks of MT-Bench-101: D-SMART, Table 5).

Departures from the paper:
- Any engine judges, not GPT-4 alone.
- D-SMART does not print its prompt. What a task asks for is said here in one sentence each, after Table 5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import BaseModel

from evaluation.core.judging.prompted import PROMPTS, PromptedJudge
from evaluation.core.judging.types import ReplyToJudge
from memory.core.ports import LanguageModel

NAME = METRIC = "gpt_score"
PROMPT = PROMPTS / "gpt_score.md.j2"
LOWEST = 1.0


class Score(BaseModel):
    """What speaks for and against the reply, then its score."""

    reason: str
    score: Literal[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]

    @property
    def value(self) -> float:
        return float(self.score)


def make(model: LanguageModel, name: str) -> PromptedJudge:
    return PromptedJudge(name, model, PROMPT, by_task, form=Score, metric=METRIC, lowest=LOWEST)


def by_task(one: ReplyToJudge) -> Sequence[Mapping[str, object]]:
    """Return the reference solutions, which only tasks with one right result have."""
    return [{"answers": one.expected or ()}]

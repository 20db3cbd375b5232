"""Whether an answer is right by what LongMemEval asks of its type of question (Wu et al., 2025, section 3).

Counts of days, weeks and months may be off by one in temporal questions; an updated fact may stand beside the old one; what
is expected of preferences is a rubric, of which not every point must be met; of questions that cannot be answered (`_abs`) a
reply is right that says so.
"""

from __future__ import annotations

from evaluation.core.judging.answer import by_answers
from evaluation.core.judging.prompted import PROMPTS, PromptedJudge
from memory.core.ports import LanguageModel

NAME = "longmemeval"
PROMPT = PROMPTS / "longmemeval.md.j2"


def make(model: LanguageModel, name: str) -> PromptedJudge:
    return PromptedJudge(name, model, PROMPT, by_answers)

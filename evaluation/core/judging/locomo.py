"""Whether an answer agrees with LoCoMo's gold answer, leniently, as judges do that later work on LoCoMo uses.

It is lenient because gold answers of LoCoMo are a few words and some are relative times ("the week before 9 June"), while
systems reply in sentences with calendar dates; so a reply passes that speaks of the same thing or time, whatever it adds.
The price is that vague replies pass too. `evaluate judge-check` tells how many, and SGMem's judge (`answer`) is strict.
"""

from __future__ import annotations

from evaluation.core.judging.answer import by_answers
from evaluation.core.judging.prompted import PROMPTS, PromptedJudge
from memory.core.ports import LanguageModel

NAME = "locomo"
PROMPT = PROMPTS / "locomo.md.j2"


def make(model: LanguageModel, name: str) -> PromptedJudge:
    return PromptedJudge(name, model, PROMPT, by_answers)

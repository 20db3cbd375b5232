"""`make_training_data reformulation`: dialogues with every turn said in full, and the reasoning (DRG, Table 11).

A dialogue is a lesson only where each of its turns is written so that the product itself would take it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from evaluation.benchmarks.teachable import TeachableDialogue
from evaluation.services.teaching.lessons import CHAT, Lessons, TeachingRequest, answered, chat
from memory.core.errors import LanguageModelError
from memory.core.grounded_generation.reformulation import (
    PromptedReformulator,
    ReformulatedTurn,
    reformulation_lesson,
)
from memory.core.ports import LanguageModel

HELP = "dialogues with every turn said in full, with the reasoning"
FORMS: tuple[str, ...] = (CHAT,)
_QUOTED = re.compile(r"“.*”")


def teach(
    request: TeachingRequest, teacher: LanguageModel, dialogues: Sequence[TeachableDialogue], lessons: Lessons
) -> None:
    """Add the lessons of dialogues."""
    reformulator = PromptedReformulator(teacher)

    def ask(some: Sequence[TeachableDialogue]) -> list[list[ReformulatedTurn] | LanguageModelError]:
        return reformulator.reformulate_many([one.dialogue for one in some])

    for _, turns in answered(dialogues, ask, lessons, is_quiet=request.is_quiet):
        refused = next((turn.refused for turn in turns if turn.refused), "")
        if refused:
            lessons.leave_out(_QUOTED.sub("…", refused).rstrip("."), refused)
        else:
            lessons.lines.append(chat(reformulation_lesson(turns)))

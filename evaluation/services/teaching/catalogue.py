"""What `manage.py make_training_data` can make. A new kind of lesson is a module beside this one, and a line here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from evaluation.benchmarks.teachable import TeachableDialogue
from evaluation.services.teaching import reformulation, selection
from evaluation.services.teaching.request import Lessons, TeachingRequest
from memory.core.ports import LanguageModel


class Teaching(Protocol):
    HELP: str
    FORMS: tuple[str, ...]

    def teach(
        self,
        request: TeachingRequest,
        teacher: LanguageModel,
        dialogues: Sequence[TeachableDialogue],
        lessons: Lessons,
    ) -> None:
        """Add the lessons of dialogues, and what was left out."""


TEACHINGS: Mapping[str, Teaching] = {"reformulation": reformulation, "selection": selection}

"""What `manage.py make_training_data` can make. A new kind of lesson is a module beside this one, and a line here."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Protocol

from evaluation.benchmarks.teachable import TeachableDialogue
from evaluation.bootstrap import measured_engine
from evaluation.core.errors import EvaluationError
from evaluation.services.teaching import reformulation, selection
from evaluation.services.teaching.lessons import Lessons, TeachingRequest, dialogues_of
from memory.core.ports import LanguageModel
from memory.core.tracing import as_role


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


def training_data_make(name: str, request: TeachingRequest) -> Lessons:
    """Write the lessons of a kind and return them. What the teacher answered is kept beside the file, and not asked again.

    Raises `EvaluationError` where nothing can be written, or the teacher no longer answers, and `MemoryCoreError`.
    """
    lessons = Lessons()
    dialogues = dialogues_of(request, lessons)
    with measured_engine(request.engine, replies=request.out.with_name(f"{request.out.name}.replies.sqlite")) as model:
        if model is None:
            raise EvaluationError(f"A language model teaches, and the engine {request.engine!r} has none.")
        TEACHINGS[name].teach(request, as_role(model, "teach"), dialogues, lessons)
    if not lessons.lines:
        raise EvaluationError("\n".join([f"Nothing in {request.data} became a lesson.", *lessons.told()]))
    whole = request.out.with_name(f"{request.out.name}.part")
    try:
        with whole.open("w", encoding="utf-8") as file:
            file.writelines(f"{json.dumps(line)}\n" for line in lessons.lines)
        os.replace(whole, request.out)
    except OSError as error:
        raise EvaluationError(f"{request.out} cannot be written: {error.strerror}. Give --out another path.") from error
    return lessons

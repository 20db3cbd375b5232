"""Making a file of lessons."""

from __future__ import annotations

import json
import os

from evaluation.bootstrap import measured_engine
from evaluation.core.errors import EvaluationError
from evaluation.services.teaching.catalogue import TEACHINGS
from evaluation.services.teaching.request import Lessons, TeachingRequest
from evaluation.services.teaching.running import dialogues_of
from memory.core.tracing import as_role


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

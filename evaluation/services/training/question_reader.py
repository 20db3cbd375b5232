"""`train question-reader`: from labelled questions to a reader of what is asked, of whom, for which time."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import partial

from evaluation.core.calibration import fitted_temperature
from evaluation.core.interval_rows import ratio_row
from evaluation.services.training.request import BUILT_IN, TrainingRequest, TrainingResult
from evaluation.services.training.running import network_of, parted, reader_exported, time_rows
from memory.adapters.learning.frames import SPEAKER
from memory.adapters.learning.message_reader import OTHER
from memory.adapters.learning.question_reader import LabelledQuestion, QuestionRecipe, judged, read_asked, read_framed
from memory.adapters.learning.recipe import OWN
from memory.adapters.readers.question_reader import OnnxQuestionReader
from memory.core.types import AskedKind, ReadQuestion, TermPath

HELP = "the reader of what questions ask, from labelled questions"
TIMED_QUESTIONS = 50
LISTED = 3


def train(request: TrainingRequest) -> TrainingResult:
    """Train, calibrate, export and measure; the reader is then complete in `request.out`."""
    data = read_asked(request.data)
    shown, held_out = parted(data.questions, request, of="questions")
    # Paths are rare and hard, and taught twice.
    shown += [one for one in shown if len(one.relations) + len(one.value_relations) > 1]
    beside = request.data.parent
    if (beside / "frames").is_dir():
        shown += read_framed(beside / "frames", beside / "messages", chance=random.Random(request.config.seed))
    recipe = QuestionRecipe(shown, data.glosses, base=request.base)
    network = network_of(recipe, request)
    kept_back = QuestionRecipe(held_out, data.glosses, base=request.base).examples
    temperatures = {
        name: fitted_temperature(logits, right) if right else 1.0
        for name, (logits, right) in judged(network, kept_back).items()
    }
    numbers = {"temperatures": temperatures, "predicates": list(data.glosses)}
    exported = reader_exported(recipe, request, OnnxQuestionReader, network=network, **numbers)
    reader = exported.reading()
    read = reader.read_many([question.text for question in held_out])
    marked = [marks(asked, found, tuple(data.glosses)) for asked, found in zip(held_out, read, strict=True)]
    rows = [
        ratio_row(BUILT_IN, metric, {str(place): [one[metric]] for place, one in enumerate(marked) if metric in one})
        for metric in dict.fromkeys(metric for one in marked for metric in one)
    ]
    one_by_one = [partial(reader.read_many, [question.text]) for question in held_out[:TIMED_QUESTIONS]]
    return exported.finish(
        rows,
        time_rows(one_by_one, group="a question"),
        sources={OWN: len(shown)},
        held_out=len(held_out),
        fitted=numbers,
    )


def marks(asked: LabelledQuestion, found: ReadQuestion, predicates: Sequence[str]) -> dict[str, bool]:
    """Return by metric whether a question is read right; of one that is none to a memory, its kind alone is judged."""
    is_of_memory = asked.kind is AskedKind.MEMORY
    kinds = {
        "is_of_memory": is_of_memory == (found.kind.value is AskedKind.MEMORY),
        "kind": asked.kind is found.kind.value,
    }
    if not is_of_memory:
        return kinds
    likely = [one.value for one in found.predicates[:LISTED]]
    predicate = _known([asked.predicate], predicates)
    value = TermPath(None) if found.value.value is None else found.value.value
    return kinds | {
        "predicate": likely[:1] == predicate,
        f"predicate_of_{LISTED}": predicate[0] in likely,
        "subject_path": _spoken(found.subject.value) == (asked.start.casefold(), *_known(asked.relations, predicates)),
        "value": _spoken(value) == (asked.value.casefold() or SPEAKER, *_known(asked.value_relations, predicates)),
        "want": found.want.value == asked.want,
        "form": found.form.value == asked.form,
        "time": found.time.value is asked.time,
    }


def _known(names: Sequence[str], predicates: Sequence[str]) -> list[str]:
    return [name if name in predicates else OTHER for name in names]


def _spoken(path: TermPath) -> tuple[str, ...]:
    return (SPEAKER if path.start is None else path.start.text.casefold(), *path.relations)

"""`train question-reader`: from labelled questions to a reader of what is asked, of whom, for which time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from evaluation.core.calibration import fitted_temperature
from evaluation.core.interval_rows import ratio_row
from evaluation.services.training.request import BUILT_IN, TrainingRequest, TrainingResult
from evaluation.services.training.running import EXPORT_FOLDER, ReaderKind, network_of, parted, reader_finish, time_rows
from memory.adapters.learning.export import export_reader
from memory.adapters.learning.message_reader import OTHER
from memory.adapters.learning.question_reader import (
    BATCH,
    BEFORE_ROOM,
    SPEAKER,
    WINDOW,
    LabelledQuestion,
    QuestionRecipe,
    judged,
    read_asked,
)
from memory.adapters.readers.question_reader import KIND, OnnxQuestionReader
from memory.core.types import AskedKind, ReadQuestion

HELP = "the reader of what questions ask, from labelled questions"
OWN = "own"
TIMED_QUESTIONS = 50
LISTED = 3
READER = ReaderKind(
    title="the built-in question reader",
    what="Of a question it gives how probably it is one to a memory, and if so which predicate it asks for, of whom (the "
    "speaker or words of the question, and relations from there), and for which time.",
    counted="questions",
    limits="It was taught by few questions, some predicates by three of them. Of a question that asks several things "
    "it reads the first. It does not read which value a question names, nor what it takes for granted, and follows two "
    "relations at most. It knows questions: what it makes of a statement means nothing.",
    batch=BATCH,
    window=WINDOW,
)


def train(request: TrainingRequest) -> TrainingResult:
    """Train, export, calibrate and measure; the reader is then complete in `request.out`."""
    data = read_asked(request.data)
    shown, held_out = parted(data.questions, request, of="questions")
    network = network_of(QuestionRecipe(shown, data.glosses, base=request.base), request)
    staged = request.work / EXPORT_FOLDER
    kept_back = QuestionRecipe(held_out, data.glosses, base=request.base).examples
    temperatures = {
        name: fitted_temperature(logits, right) if right else 1.0
        for name, (logits, right) in judged(network, kept_back).items()
    }
    config = {
        "kind": KIND,
        "window": WINDOW,
        "first_room": BEFORE_ROOM,
        "temperatures": temperatures,
        "predicates": list(data.glosses),
    }
    export_reader(network, staged, base=request.base, config=config)
    reader = OnnxQuestionReader(staged)
    read = reader.read_many([question.text for question in held_out])
    marked = [marks(asked, found, tuple(data.glosses)) for asked, found in zip(held_out, read, strict=True)]
    rows = [
        ratio_row(BUILT_IN, metric, {str(place): [one[metric]] for place, one in enumerate(marked) if metric in one})
        for metric in dict.fromkeys(metric for one in marked for metric in one)
    ]
    times = time_rows(
        [partial(reader.read_many, [question.text]) for question in held_out[:TIMED_QUESTIONS]], group="a question"
    )
    return reader_finish(
        staged,
        request,
        READER,
        sources={OWN: len(shown)},
        held_out=len(held_out),
        calibration=calibration_of(temperatures, marked),
        figures=rows,
        times=times,
        also_trained="Labels are smoothed by a twentieth.",
    )


def calibration_of(temperatures: Mapping[str, float], marked: Sequence[Mapping[str, bool]]) -> str:
    fitted = ", ".join(f"{name.replace('_', ' ')} {value:.2f}" for name, value in temperatures.items())
    return (
        f"The logits of each judgement are divided by its own temperature, fitted on the {len(marked):,} held-out questions: "
        f"{fitted}."
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
    predicate, *relations = [name if name in predicates else OTHER for name in (asked.predicate, *asked.relations)]
    likely, path = [one.value for one in found.predicates[:LISTED]], found.subject.value
    start = SPEAKER if path.start is None else path.start.text
    return kinds | {
        "predicate": likely[:1] == [predicate],
        f"predicate_of_{LISTED}": predicate in likely,
        "subject_path": start.casefold() == asked.start.casefold() and path.relations == tuple(relations[:2]),
        "time": found.time.value is asked.time,
    }

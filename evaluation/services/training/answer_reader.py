"""`train answer-reader`: from questions on turns of dialogue to a reader of answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from evaluation.core.calibration import best_threshold, fitted_temperature, log_odds
from evaluation.core.message_match import Match
from evaluation.core.message_rows import figure_rows, share_row
from evaluation.core.reader_card import ReaderCard, reader_card
from evaluation.core.reading_match import is_same_span
from evaluation.core.report import Row
from evaluation.services.training.request import BUILT_IN, TrainingRequest, TrainingResult
from evaluation.services.training.running import (
    EXPORT_FOLDER,
    folder_finish,
    megabytes_of,
    network_of,
    time_rows,
    trained_with,
)
from memory.adapters.learning.answer_reader import (
    BATCH,
    LONGEST_ANSWER,
    QUESTION_ROOM,
    WINDOW,
    AnswerRecipe,
    PassageQuestion,
    read_questions,
)
from memory.adapters.learning.export import export_reader, write_config
from memory.adapters.readers.answer_reader import KIND, OnnxAnswerReader
from memory.core.errors import TrainingRefused
from memory.core.types import ReadAnswer

HELP = "the reader of answers in what was said, from questions on turns of dialogue"
UNFITTED_TEMPERATURE, UNFITTED_THRESHOLD = 1.0, 0.5
PASSAGES = 20
TIMED_QUESTIONS = 50
LIMITS = (
    "It reads 160 word pieces at once, 40 of them of the question; a longer turn loses its end. An answer is one run of at "
    "most twelve words of a turn. It does not weigh one turn against another: which of several values holds, and when, is "
    "decided after it. It takes names at their word, and a pronoun only as far as the turn before tells who is meant."
)


@dataclass(frozen=True)
class Answered:
    """A held-out question on a turn, with what the reader answered."""

    question: PassageQuestion
    answer: ReadAnswer

    @property
    def is_right(self) -> bool:
        span = self.question.answer
        return span is not None and is_same_span(
            self.question.asked.text[span.start : span.end], self.answer.words.text
        )


def train(request: TrainingRequest) -> TrainingResult:
    """Train, export, calibrate and measure; the reader is then complete in `request.out`."""
    questions = read_questions(request.data, public=request.public)
    shown = [question for question in questions if not question.is_held_out]
    held_out = [question for question in questions if question.is_held_out]
    if not shown or not held_out:
        raise TrainingRefused(f"{request.data} has too few dialogues to train on some and to hold others out.")
    network = network_of(AnswerRecipe(shown, base=request.base), request)
    staged = request.work / EXPORT_FOLDER
    config = {
        "kind": KIND,
        "window": WINDOW,
        "first_room": QUESTION_ROOM,
        "longest_answer": LONGEST_ANSWER,
        "temperature": UNFITTED_TEMPERATURE,
        "threshold": UNFITTED_THRESHOLD,
    }
    export_reader(network, staged, base=request.base, config=config)
    fitted, calibration = calibrated(answers_of(OnnxAnswerReader(staged), held_out))
    write_config(staged, {**config, **fitted})
    reader = OnnxAnswerReader(staged)
    rows = answer_rows(answers_of(reader, held_out), threshold=reader.threshold)
    times = answering_times(reader, held_out)
    card = ReaderCard(
        title="the built-in answer reader",
        what="Of a question and a turn, with the turn before it, it gives the words that answer, and how probably the turn "
        "answers at all.",
        counted="pairs of question and turn",
        sources=Counter(question.source for question in shown),
        held_out=len(held_out),
        left_out=0,
        trained=trained_with(request, batch=BATCH, window=WINDOW)
        + " A question is put to the turn that answers it and to two others of its dialogue at most. "
        "The questions of others come once, in the first epoch; later epochs mix in half as many of them as there are own.",
        command=request.command,
        calibration=calibration,
        figures=rows,
        times=times,
        megabytes=megabytes_of(staged),
        limits=LIMITS,
    )
    folder_finish(staged, request.out, card=reader_card(card), rows=[*rows, *times])
    return TrainingResult(rows)


def answers_of(reader: OnnxAnswerReader, questions: Sequence[PassageQuestion]) -> list[Answered]:
    answers = reader.read_many([question.asked for question in questions])
    return [Answered(question, answer) for question, answer in zip(questions, answers, strict=True)]


def calibrated(answered: Sequence[Answered]) -> tuple[dict[str, float], str]:
    """Return the temperature under which turns that answer are likeliest, the threshold of the best F1, and both in words."""
    hits = [one.is_right for one in answered]
    if not any(hits):
        return {}, "None of its answers to what was held out is right, so that nothing could be fitted."
    logits = log_odds([one.answer.probability for one in answered])
    answerable = [one.question.answer is not None for one in answered]
    temperature = fitted_temperature(logits, [int(does) for does in answerable])
    cooled = 1 / (1 + np.exp(-logits[:, 1] / temperature))
    threshold = best_threshold([float(value) for value in cooled], hits, wanted=sum(answerable))
    words = (
        f"The logits of an answer against none are divided by {temperature:.3f}, fitted on {len(answered):,} held-out pairs "
        f"of question and turn. From {threshold.value:.3f} on an answer is given, where F1 is best."
    )
    return {"temperature": temperature, "threshold": threshold.value}, words


def answer_rows(answered: Sequence[Answered], *, threshold: float) -> list[Row]:
    """Return precision, recall and F1 of answers, and the share of the turns without one that are left unanswered.

    Dialogues are drawn whole for the intervals.
    """
    dialogues: dict[str, list[Answered]] = {}
    for one in answered:
        dialogues.setdefault(one.question.group, []).append(one)
    found, refused, unanswerable = {}, {}, {}
    for place, inside in enumerate(dialogues.values()):
        given = [one for one in inside if one.answer.probability >= threshold]
        answerable = sum(one.question.answer is not None for one in inside)
        found[place] = Match(answerable, len(given), sum(one.is_right for one in given))
        unanswerable[place] = len(inside) - answerable
        refused[place] = unanswerable[place] - sum(one.question.answer is None for one in given)
    none = "every turn answers"
    return [
        *figure_rows(BUILT_IN, "", found, group=""),
        share_row(BUILT_IN, "refused", refused, unanswerable, group="", none=none),
    ]


def answering_times(reader: OnnxAnswerReader, questions: Sequence[PassageQuestion]) -> list[Row]:
    """Return what it takes to put a question to twenty turns."""
    batches = [
        [
            replace(questions[(place + other) % len(questions)].asked, question=question.asked.question)
            for other in range(PASSAGES)
        ]
        for place, question in enumerate(questions[:TIMED_QUESTIONS])
    ]
    return time_rows([partial(reader.read_many, batch) for batch in batches], group=f"a question on {PASSAGES} turns")

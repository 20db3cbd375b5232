"""`train answer-reader`: from questions on dialogues to a reader of answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from evaluation.core.calibration import cooled, fitted_temperature, log_odds, most_right_threshold
from evaluation.core.interval_rows import grouped
from evaluation.core.message_match import Match
from evaluation.core.message_rows import figure_rows, share_row
from evaluation.core.reading_match import is_same_span
from evaluation.core.report import Row
from evaluation.services.training.request import BUILT_IN, TrainingRequest, TrainingResult
from evaluation.services.training.running import ReaderKind, parted, reader_exported, reader_finish, time_rows
from memory.adapters.learning.answer_reader import (
    BATCH,
    LONGEST_ANSWER,
    QUESTION_ROOM,
    WINDOW,
    AnswerRecipe,
    LabelledQuestion,
    read_questions,
)
from memory.adapters.learning.export import write_config
from memory.adapters.readers.answer_reader import KIND, OnnxAnswerReader
from memory.core.types import QuestionOnTurns, ReadAnswer

HELP = "the reader of answers in what was said, from questions on dialogues"
UNFITTED_TEMPERATURE, UNFITTED_THRESHOLD = 1.0, 0.5
# An assumption (docs/adr/0024): of the questions that people put to a memory, so many have no answer there.
UNANSWERABLE = 1 / 8
PASSAGES = 20
TIMED_QUESTIONS = 50
READER = ReaderKind(
    title="the built-in answer reader",
    what="Of a question and turns of a dialogue, read together, it gives the words of each turn that answer best, and "
    "how probably they are the answer.",
    counted="questions on dialogues",
    limits="It reads 384 word pieces at once, 40 of them of the question; what was said in more is read in parts that "
    "do not know of each other, and a longer turn loses its end. An answer is one run of at most twelve words of a "
    "turn. It takes names at their word, and does not know what a date is.",
    batch=BATCH,
    window=WINDOW,
)


@dataclass(frozen=True)
class Answered:
    """A held-out question, with what the reader answers: the surest words of any turn."""

    question: LabelledQuestion
    answer: ReadAnswer

    @property
    def is_right(self) -> bool:
        return self.question.turn is not None and is_same_span(self.question.words, self.answer.words.text)


def train(request: TrainingRequest) -> TrainingResult:
    """Train, export, calibrate and measure; the reader is then complete in `request.out`."""
    questions = read_questions(request.data, public=request.public)
    shown, held_out = parted(questions, request, of="dialogues")
    config = {
        "kind": KIND,
        "window": WINDOW,
        "first_room": QUESTION_ROOM,
        "longest_answer": LONGEST_ANSWER,
        "temperature": UNFITTED_TEMPERATURE,
        "threshold": UNFITTED_THRESHOLD,
    }
    staged = reader_exported(AnswerRecipe(shown, base=request.base), request, config)
    fitted, calibration = calibrated(answers_of(OnnxAnswerReader(staged), held_out))
    write_config(staged, {**config, **fitted})
    reader = OnnxAnswerReader(staged)
    rows = answer_rows(answers_of(reader, held_out), threshold=reader.threshold)
    times = answering_times(reader, held_out)
    return reader_finish(
        staged,
        request,
        READER,
        sources=Counter(question.source for question in shown),
        held_out=len(held_out),
        calibration=calibration,
        figures=rows,
        times=times,
        also_trained="A question is shown with other turns of its dialogue every time, mostly with the one that "
        "answers it. The questions of others come once, in the first epoch; later epochs mix in a quarter as many of "
        "them as there are own.",
    )


def answers_of(reader: OnnxAnswerReader, questions: Sequence[LabelledQuestion]) -> list[Answered]:
    read = reader.read_many([question.asked for question in questions])
    return [
        Answered(question, max(answers, key=lambda answer: answer.probability))
        for question, answers in zip(questions, read, strict=True)
    ]


def calibrated(answered: Sequence[Answered]) -> tuple[dict[str, float], str]:
    """Return the temperature under which right answers are likeliest, the threshold to answer from, and both in words."""
    hits = [one.is_right for one in answered]
    if not any(hits):
        return {}, "None of its answers to what was held out is right, so that nothing could be fitted."
    logits = log_odds([one.answer.probability for one in answered])
    temperature = fitted_temperature(logits, [int(is_hit) for is_hit in hits])
    unanswerable = [one.question.turn is None for one in answered]
    threshold = most_right_threshold(cooled(logits, temperature), hits, unanswerable, share=UNANSWERABLE)
    words = (
        f"The log-odds of an answer against all others and none are divided by {temperature:.3f}, fitted on "
        f"{len(answered):,} held-out questions. From {threshold:.3f} on an answer is given, where most questions are met "
        "rightly: answered with the right words, or left unanswered where the dialogue has no answer. Of the questions that "
        f"are put to it {UNANSWERABLE:.1%} are taken to be such; among the examples they are more."
    )
    return {"temperature": temperature, "threshold": threshold}, words


def answer_rows(answered: Sequence[Answered], *, threshold: float) -> list[Row]:
    """Return precision, recall and F1 of answers, and the share of the questions without one that are left unanswered.

    Dialogues are drawn whole for the intervals.
    """
    dialogues = grouped(answered, lambda one: one.question.group)
    found, refused, unanswerable = {}, {}, {}
    for place, inside in enumerate(dialogues.values()):
        given = [one for one in inside if one.answer.probability >= threshold]
        answerable = sum(one.question.turn is not None for one in inside)
        found[place] = Match(answerable, len(given), sum(one.is_right for one in given))
        unanswerable[place] = len(inside) - answerable
        refused[place] = unanswerable[place] - sum(one.question.turn is None for one in given)
    none = "every question has an answer"
    return [
        *figure_rows(BUILT_IN, "", found, group=""),
        share_row(BUILT_IN, "refused", refused, unanswerable, group="", none=none),
    ]


def answering_times(reader: OnnxAnswerReader, questions: Sequence[LabelledQuestion]) -> list[Row]:
    """Return what it takes to put a question to twenty turns."""
    turns = [turn for question in questions for turn in question.asked.turns]
    asked = [
        QuestionOnTurns(question.asked.question, tuple(turns[start : start + PASSAGES]))
        for start, question in enumerate(questions[:TIMED_QUESTIONS])
    ]
    return time_rows([partial(reader.read_many, [one]) for one in asked], group=f"a question on {PASSAGES} turns")

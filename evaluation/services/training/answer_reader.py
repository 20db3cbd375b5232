"""`train answer-reader`: from questions on dialogues to a reader of answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from evaluation.core.calibration import cooled, fitted_temperature, log_odds, most_right_threshold
from evaluation.core.interval_rows import grouped
from evaluation.core.message_match import Match, figure_rows, is_same_span, share_row
from evaluation.core.report import Row
from evaluation.services.training.request import BUILT_IN, TrainingRequest, TrainingResult
from evaluation.services.training.running import parted, reader_exported, time_rows
from memory.adapters.learning.answer_reader import LONGEST_ANSWER, AnswerRecipe, LabelledQuestion, read_questions
from memory.adapters.readers.answer_reader import OnnxAnswerReader
from memory.core.types import QuestionOnTurns, ReadAnswer

HELP = "the reader of answers in what was said, from questions on dialogues"
# An assumption (docs/adr/0024): of the questions that people put to a memory, so many have no answer there.
UNANSWERABLE = 1 / 8
PASSAGES = 20
TIMED_QUESTIONS = 50


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
    shown, held_out = parted(read_questions(request.data, public=request.public), request, of="dialogues")
    exported = reader_exported(
        AnswerRecipe(shown, base=request.base),
        request,
        OnnxAnswerReader,
        longest_answer=LONGEST_ANSWER,
        temperature=1.0,
        threshold=0.5,
    )
    fitted = fitted_numbers(answers_of(exported.reading(), held_out))
    reader = exported.reading(**fitted)
    return exported.finish(
        answer_rows(answers_of(reader, held_out), threshold=reader.threshold),
        answering_times(reader, held_out),
        sources=Counter(question.source for question in shown),
        held_out=len(held_out),
        fitted=fitted,
        unanswerable=UNANSWERABLE,
    )


def answers_of(reader: OnnxAnswerReader, questions: Sequence[LabelledQuestion]) -> list[Answered]:
    read = reader.read_many([question.asked for question in questions])
    return [
        Answered(question, max(answers, key=lambda answer: answer.probability))
        for question, answers in zip(questions, read, strict=True)
    ]


def fitted_numbers(answered: Sequence[Answered]) -> dict[str, float]:
    """Return the temperature under which right answers are likeliest, and the threshold to answer from, if any is right."""
    hits = [one.is_right for one in answered]
    if not any(hits):
        return {}
    logits = log_odds([one.answer.probability for one in answered])
    temperature = fitted_temperature(logits, [int(is_hit) for is_hit in hits])
    unanswerable = [one.question.turn is None for one in answered]
    threshold = most_right_threshold(cooled(logits, temperature), hits, unanswerable, share=UNANSWERABLE)
    return {"temperature": temperature, "threshold": threshold}


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

"""`train answer-reader`: from questions on dialogues to a reader of answers."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from evaluation.core.calibration import cooled, fitted_temperature, log_odds, most_right_threshold, sure_threshold
from evaluation.core.interval_rows import grouped, ratio_row
from evaluation.core.message_match import Match, figure_rows, is_same_span, share_row
from evaluation.core.report import Row
from evaluation.services.training.request import BUILT_IN, TrainingRequest, TrainingResult
from evaluation.services.training.running import parted, reader_exported, time_rows
from memory.adapters.learning.answer_reader import (
    LONGEST_ANSWER,
    VERDICTS,
    AnswerRecipe,
    LabelledQuestion,
    none,
    read_questions,
)
from memory.adapters.learning.composed import Composer, read_judged
from memory.adapters.learning.frames import read_frames, read_idle, read_told
from memory.adapters.readers.answer_reader import OnnxAnswerReader
from memory.core.english.questions import ASKS_TRUTH
from memory.core.types import QuestionOnTurns, ReadAnswer

HELP = "the reader of answers in what was said, from questions on dialogues"
# Of the questions that people put to a memory, so many have no answer there (docs/adr/0024).
UNANSWERABLE = 1 / 4
# How often yes, or no, must have been right, of what was held out, where it is said.
VERDICT_PRECISION = 0.8
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

    @property
    def is_right_side(self) -> bool:
        return self.question.verdict == VERDICTS[self.answer.yes > 0.5]


def train(request: TrainingRequest) -> TrainingResult:
    """Train, export, calibrate and measure; the reader is then complete in `request.out`."""
    shown, held_out = parted(read_questions(request.data, public=request.public), request, of="dialogues")
    beside, compose = request.data.parent, none
    if (beside / "judgements").is_dir():
        told, chance = read_told(beside / "messages"), random.Random(request.config.seed)
        shown += read_judged(beside / "judgements", read_idle(beside / "messages"), chance=chance)
        compose = Composer(told, read_frames(beside / "frames")).questions
    exported = reader_exported(
        AnswerRecipe(shown, base=request.base, composed=compose),
        request,
        OnnxAnswerReader,
        longest_answer=LONGEST_ANSWER,
        temperature=1.0,
        threshold=0.5,
        verdict_threshold=1.0,
    )
    fitted = fitted_numbers(answers_of(exported.reading(), held_out))
    fitted |= fitted_verdict(answers_of(exported.reading(**fitted), held_out))
    reader = exported.reading(**fitted)
    return exported.finish(
        answer_rows(answers_of(reader, held_out), threshold=reader.threshold),
        answering_times(reader, held_out),
        sources=Counter(question.source for question in shown),
        held_out=len(held_out),
        fitted=fitted,
        unanswerable=UNANSWERABLE,
        verdict_precision=VERDICT_PRECISION,
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


def fitted_verdict(answered: Sequence[Answered]) -> dict[str, float]:
    """Return the probability of an answer from which on the yes or no that it says is right so often that it may be said."""
    asked = [one for one in answered if one.question.verdict or one.question.turn is None and asks_truth(one.question)]
    probabilities = [one.answer.probability for one in asked]
    hits = [bool(one.question.verdict) and one.is_right_side for one in asked]
    return {"verdict_threshold": sure_threshold(probabilities, hits, precision=VERDICT_PRECISION)}


def asks_truth(question: LabelledQuestion) -> bool:
    return ASKS_TRUTH.match(question.asked.question) is not None


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
    no_refusal = "every question has an answer"
    decided = grouped([one for one in answered if one.question.verdict], lambda one: one.question.group)
    sides = {group: [one.is_right_side for one in inside] for group, inside in decided.items()}
    return [
        *figure_rows(BUILT_IN, "", found, group=""),
        share_row(BUILT_IN, "refused", refused, unanswerable, group="", none=no_refusal),
        ratio_row(BUILT_IN, "yes_or_no", sides, none="no question asks yes or no"),
    ]


def answering_times(reader: OnnxAnswerReader, questions: Sequence[LabelledQuestion]) -> list[Row]:
    """Return what it takes to put a question to twenty turns."""
    turns = [turn for question in questions for turn in question.asked.turns]
    asked = [
        QuestionOnTurns(question.asked.question, tuple(turns[start : start + PASSAGES]))
        for start, question in enumerate(questions[:TIMED_QUESTIONS])
    ]
    return time_rows([partial(reader.read_many, [one]) for one in asked], group=f"a question on {PASSAGES} turns")

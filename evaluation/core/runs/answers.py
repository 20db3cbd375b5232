"""The figures of a reply to a question of a benchmark, as far as rules take them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from evaluation.core.answer_match import is_right
from evaluation.core.answer_rows import EXACT_MATCH, REFUSED, TOKEN_F1, answer_figures
from evaluation.core.retrieval import Evidence, covered_share
from evaluation.core.runs.items import LOCOMO, expected_answers
from evaluation.core.runs.metrics import ACCURACY, CONSISTENCY, ENTAILED, EVIDENCE_RECALL
from evaluation.core.tasks.attempts import attempts_of, is_label, solves
from evaluation.core.tasks.constraints import keeps
from evaluation.core.tasks.types import PlayedTurn, Scoring, Task
from evaluation.core.turn_consistency.types import NotScored, ScoredTurn
from evaluation.core.types import CaseQuestion
from memory.core.types import EntailmentLabel

NO_ANSWER = "The file has no short answer to compare with."
NO_EVIDENCE = "The file names no evidence that is in the case."


@dataclass(frozen=True)
class Figure:
    """One figure of an item: a value, or None with the reason in `why`; `reason` is what a judge said."""

    metric: str
    value: float | None
    why: str = ""
    reason: str = ""


def reply_figures(
    reply: str,
    question: CaseQuestion,
    *,
    benchmark: str,
    evidence: Evidence,
    found_sessions: Collection[str],
    found_turns: Collection[str],
) -> list[Figure]:
    """Return the figures of a reply and of what it rests on.

    Accuracy compares words. Of several accepted answers the best counts for token F1 and exact match. An unanswerable
    question has `refused` in their place.
    """
    expected = expected_answers(question, benchmark=benchmark)
    figures = [Figure(ACCURACY, None, NO_ANSWER)]
    if expected is not None:
        figures = [Figure(ACCURACY, float(is_right(reply, answers=expected, forbidden=question.forbidden)))]
        category = question.category if benchmark == LOCOMO else ""
        taken = [answer_figures(reply, answer, category=category) for answer in expected or [None]]
        figures += [Figure(metric, max(one[metric] for one in taken)) for metric in taken[0]]
    return [*figures, evidence_figure(evidence, found_sessions, found_turns)]


def evidence_figure(evidence: Evidence, found_sessions: Collection[str], found_turns: Collection[str]) -> Figure:
    """Return the share of the evidence that a reply rests on: of turns where the file names them, else of sessions."""
    if evidence.turns:
        return Figure(EVIDENCE_RECALL, covered_share(found_turns, evidence.turns))
    if evidence.sessions:
        return Figure(EVIDENCE_RECALL, covered_share(found_sessions, evidence.sessions))
    return Figure(EVIDENCE_RECALL, None, NO_EVIDENCE)


def metrics_of_answer(expected: Sequence[str] | None, *, has_evidence: bool) -> list[str]:
    """Return the names of the figures that a reply would have had."""
    of_evidence = [EVIDENCE_RECALL] if has_evidence else []
    if expected is None:
        return of_evidence
    return [ACCURACY, *((TOKEN_F1, EXACT_MATCH) if expected else (REFUSED,)), *of_evidence]


SOLVED, CLASS_ACCURACY, CONSTRAINT = "solved", "class_accuracy", "constraint_satisfaction"


def consistency_figures(outcome: ScoredTurn | NotScored) -> list[Figure]:
    """Return CS and whether the turn is entailed, of which DER is the share."""
    if isinstance(outcome, NotScored):
        return [Figure(name, None, outcome.why) for name in (CONSISTENCY, ENTAILED)]
    return [
        Figure(CONSISTENCY, outcome.consistency),
        Figure(ENTAILED, float(outcome.label is EntailmentLabel.ENTAILMENT)),
    ]


def task_figures(task: Task, played: Sequence[PlayedTurn], *, is_whole: bool = True) -> list[list[Figure]]:
    """Return for each reply what the task scores; a numeric task is solved or not by the last turn of a whole dialogue."""
    replied = [turn for turn in played if not turn.is_given]
    if task.scoring is Scoring.LABEL:
        return [
            [Figure(CLASS_ACCURACY, float(is_label(turn.reply, turn.label, labels=task.labels)))] for turn in replied
        ]
    if task.scoring is Scoring.CONSTRAINT and task.constraint is not None:
        return [[Figure(CONSTRAINT, float(keeps(turn.reply, task.constraint)))] for turn in replied]
    figures: list[list[Figure]] = [[] for _ in replied]
    if task.scoring is Scoring.NUMBER and is_whole and figures:
        figures[-1].append(Figure(SOLVED, float(solves(attempts_of(played), task.number))))
    return figures


def metrics_of_turn(task: Task, *, is_last: bool) -> tuple[str, ...]:
    """Return the names of the figures that a turn would have had."""
    of_task = {Scoring.LABEL: CLASS_ACCURACY, Scoring.CONSTRAINT: CONSTRAINT, Scoring.NUMBER: SOLVED}.get(task.scoring)
    if of_task is None or (of_task == SOLVED and not is_last):
        return (CONSISTENCY, ENTAILED)
    return (CONSISTENCY, ENTAILED, of_task)

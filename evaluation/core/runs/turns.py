"""The figures of the turns of a played dialogue, as far as rules and the entailment model take them."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.core.runs.answers import Figure
from evaluation.core.runs.metrics import CONSISTENCY, ENTAILED
from evaluation.core.tasks.attempts import attempts_of, solves
from evaluation.core.tasks.constraints import keeps
from evaluation.core.tasks.labels import is_label
from evaluation.core.tasks.types import PlayedTurn, Scoring, Task
from evaluation.core.turn_consistency.types import NotScored, ScoredTurn
from memory.core.types import EntailmentLabel

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

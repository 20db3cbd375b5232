"""The figures of a run on audited gold answers, to stand beside those on the gold answers of its file."""

from __future__ import annotations

from pathlib import Path

from evaluation.benchmarks.locomo_audit import read_audit
from evaluation.core.audit import Answered, audit_of, audited_scores, said_of
from evaluation.core.errors import EvaluationError
from evaluation.core.report import Row
from evaluation.core.runs.rows import in_order, score_rows
from evaluation.models import EvaluationRun, RunItem
from evaluation.selectors.item_scores import ENDED, effective_scores

LEFT_OUT = "The audit finds the question wrong, or its answer without giving a short right one."
REPLACED = "The audit gives a short right answer."


def audited_rows(run: EvaluationRun, path: Path) -> list[Row]:
    """Return each system's figures after an audit, and how many questions it leaves out or gives another answer.

    Raises `MalformedBenchmark`, and `EvaluationError` for an audit that names none of the run's questions.
    """
    audit = audit_of(read_audit(path))
    ended = RunItem.objects.filter(run=run, state__in=ENDED)
    columns = ("pk", "question", "expected", "category", "reply")
    items = {
        pk: Answered(question, tuple(expected or ()), category, reply)
        for pk, question, expected, category, reply in ended.values_list(*columns)
    }
    said = {one: found for one in items.values() if (found := said_of(audit, one)) is not None}
    if not said:
        raise EvaluationError(
            f"{path.name} finds nothing wrong with the questions of {run.data_name}. Is it its audit?"
        )
    rows = score_rows(audited_scores(effective_scores([run.pk]), items, audit), has_positions=False)
    questions = {(one.question, one.expected): found for one, found in said.items()}
    replaced = sum(bool(one.replacement) for one in questions.values())
    asked = len({(one.question, one.expected) for one in items.values()})
    return [
        *in_order(rows, run.systems),
        Row("audit", "left_out", len(questions) - replaced, "questions", asked, why=LEFT_OUT),
        Row("audit", "answer_replaced", replaced, "questions", asked, why=REPLACED),
    ]

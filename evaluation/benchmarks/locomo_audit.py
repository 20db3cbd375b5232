"""Audits of LoCoMo's gold answers: a list of {"question", "golden_answer", "error_type", "correct_answer"}, and more."""

from __future__ import annotations

from pathlib import Path

from evaluation.benchmarks.reading import Field, read_json
from evaluation.core.audit import AuditedQuestion
from evaluation.core.errors import MalformedBenchmark

ERRORS = ("WRONG_CITATION", "HALLUCINATION", "TEMPORAL_ERROR", "ATTRIBUTION_ERROR", "AMBIGUOUS", "INCOMPLETE")


def read_audit(path: Path) -> list[AuditedQuestion]:
    """Return the questions that an audit names. Raises `MalformedBenchmark` with the record and the field."""
    content = read_json(path)
    if not isinstance(content, list) or not content:
        raise MalformedBenchmark(f"{path.name}: expected a list of questions with errors")
    return [question(Field(value, number)) for number, value in enumerate(content, start=1)]


def question(record: Field) -> AuditedQuestion:
    error = record.need("error_type")
    if error.value not in ERRORS:
        error.fail(f"one of {', '.join(ERRORS)}")
    return AuditedQuestion(
        question=record.need("question").name(),
        gold=record.need("golden_answer").answer(),
        error=error.text(),
        correct=record.need("correct_answer").answer(),
    )

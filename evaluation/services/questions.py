"""Measuring responders by the questions of a benchmark: how often a reply states the answer."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from conversations.services.asking import TimedReply
from evaluation.benchmarks.catalogue import AUTO
from evaluation.core.accuracy import JudgedReply, accuracy_rows
from evaluation.core.answer_match import is_right
from evaluation.core.report import Row
from evaluation.core.types import Case, CaseQuestion
from evaluation.services.case_asking import AskedCases, cases_ask, scored


@dataclass(frozen=True)
class QuestionsResult(AskedCases[JudgedReply]):
    """All judged replies, and what was not measured."""

    def rows(self, responders: list[str]) -> list[Row]:
        return list(self.with_faults(accuracy_rows(self.replies), responders, metric="accuracy"))


def questions_evaluate(
    *,
    path: Path,
    responders: list[str],
    format: str = AUTO,
    engine: str = "",
    only: str = "",
    limit: int | None = None,
    quiet: bool = False,
) -> QuestionsResult:
    """Replay each case of the file into a fresh space, ask its questions, and return the judged replies."""
    asked = cases_ask(
        path=path,
        responders=responders,
        choose=scored,
        judge=judged,
        format=format,
        engine=engine,
        only=only,
        limit=limit,
        quiet=quiet,
    )
    return QuestionsResult(asked.replies, asked.unscored, asked.rounds_failed, asked.failure)


def judged(
    case: Case, question: CaseQuestion, responder: str, *, answer: TimedReply | None = None, error: str = ""
) -> JudgedReply:
    return JudgedReply(
        case=case.id,
        question_id=question.id,
        question=question.question,
        category=question.category,
        responder=responder,
        reply=answer.text if answer else "",
        is_right=answer is not None
        and is_right(answer.text, answers=question.answers or (), forbidden=question.forbidden),
        rests_on=tuple(ground.sentence.text for ground in answer.grounds.sentences) if answer else (),
        error=error,
    )

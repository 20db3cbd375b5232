"""Measuring responders by the words of their answers to a benchmark's questions (LoCoMo)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from conversations.services.asking import TimedReply
from evaluation.benchmarks import locomo
from evaluation.core.answer_rows import ScoredAnswer, answer_figures, answer_rows
from evaluation.core.report import Row
from evaluation.core.runs.items import ASKER, expected_answers, of_each_category
from evaluation.core.types import Case, CaseQuestion
from evaluation.services.case_asking import AskedCases, cases_ask, scored


@dataclass(frozen=True)
class AnswersResult(AskedCases[ScoredAnswer]):
    """All scored answers, and what was not measured."""

    def rows(self, responders: list[str]) -> list[Row]:
        return list(self.with_faults(answer_rows(self.replies), responders, metric="token_f1"))


def answers_evaluate(
    *,
    path: Path,
    responders: list[str],
    engine: str = "",
    only: str = "",
    limit: int | None = None,
    questions: int | None = None,
    quiet: bool = False,
) -> AnswersResult:
    """Replay each conversation into a fresh space, ask its questions, and return the scored answers.

    `limit` is the most conversations, `questions` the most of each category that are asked about one.
    """

    def choose(case: Case) -> list[CaseQuestion]:
        return [replace(question, asked_by=ASKER) for question in of_each_category(scored(case), questions)]

    asked = cases_ask(
        path=path,
        responders=responders,
        choose=choose,
        judge=answer_score,
        format=locomo.NAME,
        engine=engine,
        only=only,
        limit=limit,
        quiet=quiet,
    )
    return AnswersResult(asked.replies, asked.unscored, asked.rounds_failed, asked.failure)


def answer_score(
    case: Case, question: CaseQuestion, responder: str, *, answer: TimedReply | None = None, error: str = ""
) -> ScoredAnswer:
    """Return the answer with its figures; what the file gives as an answer to an unanswerable question does not count."""
    accepted = expected_answers(question, benchmark=locomo.NAME)
    expected = accepted[0] if accepted else None
    reply = answer.text if answer is not None else ""
    figures = answer_figures(reply, expected, category=question.category)
    return ScoredAnswer(
        case=case.id,
        question_id=question.id,
        question=question.question,
        category=question.category,
        responder=responder,
        expected=expected,
        reply=reply,
        figures=dict.fromkeys(figures, 0.0) if error else figures,
        error=error,
    )

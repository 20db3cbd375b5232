"""Measuring responders by the questions of a benchmark: each case in a fresh space, each question to each responder."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from conversations.core.errors import ConversationError
from evaluation.adapters.progress import progress_bar
from evaluation.benchmarks.catalogue import AUTO, only_cases, read_cases
from evaluation.core.accuracy import JudgedReply, accuracy_rows
from evaluation.core.answer_match import is_right
from evaluation.core.errors import UnknownName
from evaluation.core.report import Row
from evaluation.core.types import Case, CaseQuestion
from evaluation.selectors import failed_round_count, failed_round_reason
from evaluation.services.asking import TimedReply, question_ask, responders_check
from evaluation.services.replay import case_replay
from evaluation.services.spaces import abandoned_spaces_forget, temporary_space
from memory import bootstrap
from memory.core.errors import MemoryCoreError
from memory.models import Space

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class QuestionsResult:
    """All judged replies, the number of questions without a short answer, and the rounds that failed."""

    replies: tuple[JudgedReply, ...]
    unscored: int
    rounds_failed: int
    failure: str

    def rows(self, responders: list[str]) -> list[Row]:
        rows = accuracy_rows(self.replies)
        if not self.replies:
            why = "no question of the file has an answer to compare with"
            rows = [Row(responder, "accuracy", None, unit="ratio", n=0, why=why) for responder in responders]
        if self.unscored:
            rows.append(
                Row("questions", "unscored", self.unscored, unit="questions", why="no short answer in the file")
            )
        if self.rounds_failed:
            rows.append(Row("maintenance", "rounds_failed", self.rounds_failed, unit="rounds", why=self.failure))
        return rows


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
    responders_check(responders)
    work = work_count(path, format=format, only=only, limit=limit, responders=len(responders))
    bootstrap.engine_warm(engine)
    abandoned_spaces_forget()
    replies: list[JudgedReply] = []
    unscored = rounds_failed = 0
    failure = ""
    with progress_bar(work, title=path.stem, unit="turns and questions", hidden=quiet) as bar:
        for case in only_cases(read_cases(path, format=format), only=only, limit=limit):
            unscored += sum(question.answers is None for question in case.questions)
            with temporary_space(title=case.id) as space:
                replies += case_evaluate(case, space=space, responders=responders, engine=engine, on_step=bar.update)
                rounds_failed += failed_round_count(space)
                failure = failure or failed_round_reason(space)
    return QuestionsResult(tuple(replies), unscored, rounds_failed, failure)


def work_count(path: Path, *, format: str, only: str, limit: int | None, responders: int) -> int:
    """Read the whole file first, so that a malformed one measures nothing, and count turns and questions."""
    ids = []
    counts = []
    for case in read_cases(path, format=format):
        ids.append(case.id)
        if not only or case.id == only:
            counts.append(case.turn_count + len(scored(case)) * responders)
    if not counts:
        raise UnknownName(f"{path.name} has no case {only!r}. Cases: {', '.join(ids[:20])}.")
    return sum(counts[:limit])


def scored(case: Case) -> list[CaseQuestion]:
    return [question for question in case.questions if question.answers is not None]


def case_evaluate(
    case: Case, *, space: Space, responders: list[str], engine: str, on_step: Callable[[int], object]
) -> Iterator[JudgedReply]:
    """Yield a judged reply for each question and responder. An error counts for its own item only."""
    try:
        case_replay(case=case, space=space, file_stem="case", engine=engine, on_turns=on_step)
    except Exception as error:
        logger.exception("Case %s could not be replayed.", case.id)
        for question in scored(case):
            for responder in responders:
                yield judged(case, question, responder, error=reason(error))
        return
    for question in scored(case):
        for responder in responders:
            yield question_evaluate(case, question, space=space, responder=responder, engine=engine)
            on_step(1)


def question_evaluate(case: Case, question: CaseQuestion, *, space: Space, responder: str, engine: str) -> JudgedReply:
    try:
        answer = question_ask(
            space_id=space.pk,
            question=question.question,
            asked_by=question.asked_by,
            asked_at=question.asked_at,
            responder=responder,
            engine=engine,
        )
    except (MemoryCoreError, ConversationError) as error:
        return judged(case, question, responder, error=str(error))
    except Exception as error:
        logger.exception("Question %s of case %s was not answered.", question.id, case.id)
        return judged(case, question, responder, error=reason(error))
    return judged(case, question, responder, answer=answer)


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


def reason(error: Exception) -> str:
    return str(error) or type(error).__name__

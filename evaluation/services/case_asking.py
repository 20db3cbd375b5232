"""Asking responders about the cases of a benchmark: each case in a fresh space, each question to each responder."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from conversations.core.errors import ConversationError
from conversations.services.asking import TimedReply, question_ask
from evaluation.adapters.progress import progress_bar
from evaluation.benchmarks.catalogue import AUTO, only_cases, read_cases
from evaluation.core.errors import UnknownName
from evaluation.core.report import Row
from evaluation.core.types import Case, CaseQuestion
from evaluation.selectors import failed_round_count, failed_round_reason
from evaluation.services.replay import case_replay
from evaluation.services.responder_names import responders_check
from evaluation.services.spaces import abandoned_spaces_forget, temporary_space
from memory import bootstrap
from memory.core.errors import MemoryCoreError
from memory.models import Space

logger = logging.getLogger(__name__)

JudgedT = TypeVar("JudgedT", covariant=True)


class Judge(Protocol[JudgedT]):
    """Judges a reply to a question, or the error that there is instead of one."""

    def __call__(
        self, case: Case, question: CaseQuestion, responder: str, *, answer: TimedReply | None = None, error: str = ""
    ) -> JudgedT: ...


@dataclass(frozen=True)
class AskedCases(Generic[JudgedT]):
    """All judged replies, the number of questions without a short answer, and the rounds that failed."""

    replies: tuple[JudgedT, ...]
    unscored: int
    rounds_failed: int
    failure: str

    def with_faults(self, rows: Sequence[Row], responders: Sequence[str], *, metric: str) -> Iterator[Row]:
        """Yield rows of the replies, or why a responder has none, and rows of what was not measured."""
        yield from rows
        if not self.replies:
            why = "no question of the file has an answer to compare with"
            yield from (Row(responder, metric, None, unit="ratio", n=0, why=why) for responder in responders)
        if self.unscored:
            why = "no short answer in the file"
            yield Row("questions", "unscored", self.unscored, unit="questions", why=why)
        if self.rounds_failed:
            yield Row("maintenance", "rounds_failed", self.rounds_failed, unit="rounds", why=self.failure)


def cases_ask(
    *,
    path: Path,
    responders: Sequence[str],
    choose: Callable[[Case], list[CaseQuestion]],
    judge: Judge[JudgedT],
    format: str = AUTO,
    engine: str = "",
    only: str = "",
    limit: int | None = None,
    quiet: bool = False,
) -> AskedCases[JudgedT]:
    """Replay each case of the file into a fresh space, ask the questions chosen of it, and return the judged replies."""
    responders_check(list(responders))
    work = work_count(path, format=format, only=only, limit=limit, choose=choose, responders=len(responders))
    bootstrap.engine_warm(engine)
    abandoned_spaces_forget()
    replies: list[JudgedT] = []
    unscored = rounds_failed = 0
    failure = ""
    with progress_bar(work, title=path.stem, unit="turns and questions", hidden=quiet) as bar:
        for case in only_cases(read_cases(path, format=format), only=only, limit=limit):
            unscored += sum(question.answers is None for question in case.questions)
            asked = [(question, responder) for question in choose(case) for responder in responders]
            with temporary_space(title=case.id) as space:
                replies += case_ask(case, asked, space=space, engine=engine, judge=judge, on_step=bar.update)
                rounds_failed += failed_round_count(space)
                failure = failure or failed_round_reason(space)
    return AskedCases(tuple(replies), unscored, rounds_failed, failure)


def work_count(
    path: Path,
    *,
    format: str,
    only: str,
    limit: int | None,
    choose: Callable[[Case], list[CaseQuestion]],
    responders: int,
) -> int:
    """Read the whole file first, so that a malformed one measures nothing, and count turns and questions."""
    ids = []
    counts = []
    for case in read_cases(path, format=format):
        ids.append(case.id)
        if not only or case.id == only:
            counts.append(case.turn_count + len(choose(case)) * responders)
    if not counts:
        raise UnknownName(f"{path.name} has no case {only!r}. Cases: {', '.join(ids[:20])}.")
    return sum(counts[:limit])


def scored(case: Case) -> list[CaseQuestion]:
    """Return the questions of a case that have an answer to compare with."""
    return [question for question in case.questions if question.answers is not None]


def case_ask(
    case: Case,
    asked: Sequence[tuple[CaseQuestion, str]],
    *,
    space: Space,
    engine: str,
    judge: Judge[JudgedT],
    on_step: Callable[[int], object],
) -> Iterator[JudgedT]:
    """Yield a judged reply for each question and responder. An error counts for its own item only."""
    try:
        case_replay(case=case, space=space, file_stem="case", engine=engine, on_turns=on_step)
    except Exception as error:
        logger.exception("Case %s could not be replayed.", case.id)
        for question, responder in asked:
            yield judge(case, question, responder, error=reason(error))
        return
    for question, responder in asked:
        yield question_judge(case, question, responder, space=space, engine=engine, judge=judge)
        on_step(1)


def question_judge(
    case: Case, question: CaseQuestion, responder: str, *, space: Space, engine: str, judge: Judge[JudgedT]
) -> JudgedT:
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
        return judge(case, question, responder, error=str(error))
    except Exception as error:
        logger.exception("Question %s of case %s was not answered.", question.id, case.id)
        return judge(case, question, responder, error=reason(error))
    return judge(case, question, responder, answer=answer)


def reason(error: Exception) -> str:
    return str(error) or type(error).__name__

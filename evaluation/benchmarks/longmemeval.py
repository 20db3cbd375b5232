"""LongMemEval (Wu et al., 2025): instances with a haystack of dated sessions and a question about it.

A file is a list of instances or a single one. An instance may carry one `question` or, as histories that were joined
do, a list of `questions` with lists of `answers` and of `answer_session_ids`. Ids that end in "_abs" are abstention
items: the only right reply says that it is not known. Sessions are taken in the order of their dates, which is not
always the file's. Turns that `has_answer` marks are
kept with the questions whose answer is in their session.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from evaluation.benchmarks.reading import (
    QUESTION_DELAY,
    SPEAKERS,
    TURN_PAUSE,
    Field,
    first_user_speaker,
    last_moment,
    read_json,
)
from evaluation.core.types import Case, CaseQuestion, CaseSession, CaseTurn

NAME = "longmemeval"
ID = "question_id"

DATE = re.compile(r"(\d{4}/\d{1,2}/\d{1,2})(?:\s*\(\w+\))?\s+(\d{1,2}:\d{2})")
DATE_FORM = "%Y/%m/%d %H:%M"
DATE_EXAMPLE = "'2023/05/20 (Sat) 02:21'"
ABSTENTION_SUFFIX = "_abs"
ABSTENTION = "abstention"


def recognises(path: Path, first_record: object) -> bool:
    return isinstance(first_record, dict) and "haystack_sessions" in first_record


def cases(path: Path) -> Iterator[Case]:
    """Yield the file's instances."""
    content = read_json(path)
    for number, value in enumerate(content if isinstance(content, list) else [content], start=1):
        yield case(Field(value, number))


def case(record: Field) -> Case:
    name = record.need("question_id").name()
    kind = record.find("question_type")
    category = ABSTENTION if name.endswith(ABSTENTION_SUFFIX) else (kind.text().strip() if kind else "")
    sessions = haystack(record)
    return Case(id=name, category=category, sessions=sessions, questions=questions(record, name, category, sessions))


def haystack(record: Field) -> tuple[CaseSession, ...]:
    contents = record.need("haystack_sessions").items()
    dates = record.need("haystack_dates")
    if len(dates.items()) != len(contents):
        dates.fail(f"as many dates as there are haystack_sessions ({len(contents)})")
    given = record.find("haystack_session_ids")
    if given and len(given.items()) != len(contents):
        given.fail(f"as many ids as there are haystack_sessions ({len(contents)})")
    ids = [field.name() for field in given.items()] if given else [str(number + 1) for number in range(len(contents))]
    seen: Counter[str] = Counter()
    sessions = []
    for key, date, content in zip(ids, dates.items(), contents, strict=True):
        seen[key] += 1
        unique = key if seen[key] == 1 else f"{key}#{seen[key]}"
        sessions.append(session(unique, date.moment_like(DATE, DATE_FORM, DATE_EXAMPLE), content))
    return tuple(sorted(sessions, key=lambda one: one.started_at))


def session(key: str, started_at: datetime, content: Field) -> CaseSession:
    turns = []
    for index, turn in enumerate(content.items()):
        role = turn.need("role").role()
        turns.append(
            CaseTurn(
                role=role,
                speaker=SPEAKERS[role],
                text=turn.need("content").text(),
                said_at=started_at + index * TURN_PAUSE,
                key=f"{key}:{index + 1}",
            )
        )
    return CaseSession(key=key, started_at=started_at, turns=tuple(turns))


def questions(record: Field, name: str, category: str, sessions: tuple[CaseSession, ...]) -> tuple[CaseQuestion, ...]:
    asked_at = (
        date.moment_like(DATE, DATE_FORM, DATE_EXAMPLE)
        if (date := record.find("question_date"))
        else last_moment(sessions) + QUESTION_DELAY
    )
    many = record.find("questions")
    asked = many.items() if many else [record.need("question")]
    answers = aligned(record, "answers", len(asked)) if many else [record.find("answer")]
    evidence = aligned(record, "answer_session_ids", len(asked)) if many else [record.find("answer_session_ids")]
    marked = marked_turns(record)
    return tuple(
        CaseQuestion(
            id=str(number),
            question=question.name(),
            asked_at=asked_at,
            asked_by=first_user_speaker(sessions),
            answers=accepted(answer, is_abstention=name.endswith(ABSTENTION_SUFFIX)),
            category=category,
            evidence=(keys := tuple(reference.name() for reference in references.items()) if references else ()),
            marked=tuple(turn for key in keys for turn in marked.get(key, ())),
        )
        for number, (question, answer, references) in enumerate(zip(asked, answers, evidence, strict=True), start=1)
    )


def marked_turns(record: Field) -> dict[str, list[str]]:
    """Return the keys of the turns that hold an answer, by the id of their session."""
    given = record.find("haystack_session_ids")
    contents = record.need("haystack_sessions").items()
    ids = [field.name() for field in given.items()] if given else [str(number + 1) for number in range(len(contents))]
    marked: dict[str, list[str]] = {}
    for key, content in zip(ids, contents, strict=True):
        turns = [
            f"{key}:{index}"
            for index, turn in enumerate(content.items(), start=1)
            if (mark := turn.find("has_answer")) and mark.value is True
        ]
        if turns:
            marked.setdefault(key, turns)
    return marked


def aligned(record: Field, name: str, count: int) -> list[Field | None]:
    """Return one value a question; a field that is absent gives None for each."""
    field = record.find(name)
    if field is None:
        return [None] * count
    values = field.items()
    if len(values) != count:
        field.fail(f"as many as there are questions ({count})")
    return [value if value.value is not None else None for value in values]


def accepted(answer: Field | None, *, is_abstention: bool) -> tuple[str, ...] | None:
    if is_abstention:
        return ()
    if answer is None:
        return None
    return tuple(one.answer() for one in answer.items()) if isinstance(answer.value, list) else (answer.answer(),)

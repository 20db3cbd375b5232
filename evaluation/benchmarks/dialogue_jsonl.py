"""The project's own format, `jsonl`: one case a line.

    {"id": "move-1", "category": "moves",
     "sessions": [{"started_at": "2024-03-02T18:20:00",
                   "turns": [{"role": "user", "speaker": "Ana", "text": "...", "said_at": "..."}]}],
     "questions": [{"question": "...", "asked_at": "...", "answers": ["..."], "not": ["..."], "category": "..."}]}

`said_at`, `asked_at`, `not`, `questions`, `speaker` and the categories may be left out, and so may these further
fields: `id` of a session, a turn or a question, `asked_by` and `evidence` (ids of turns or sessions) of a question. A
time without a zone is in UTC. A question without `asked_at` is asked a minute after the last turn; without `asked_by`,
by the case's first user speaker. `supersedes` and `keeps` of a case are read by `bench updates` (`supersessions`).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from evaluation.benchmarks.reading import (
    QUESTION_DELAY,
    SPEAKERS,
    TURN_PAUSE,
    Field,
    first_user_speaker,
    last_moment,
    read_json_lines,
)
from evaluation.core.types import Case, CaseQuestion, CaseSession, CaseTurn

NAME = "jsonl"
ID = "id"


def recognises(path: Path, first_record: object) -> bool:
    return isinstance(first_record, dict) and "sessions" in first_record and "haystack_sessions" not in first_record


def cases(path: Path) -> Iterator[Case]:
    """Yield the file's cases as they are read."""
    for record in read_json_lines(path):
        yield case(record)


def case(record: Field) -> Case:
    name = record.need("id").name()
    category = optional_text(record, "category")
    sessions = tuple(
        session(field, default_key=str(number)) for number, field in enumerate(record.need("sessions").items(), start=1)
    )
    keys = [key for one in sessions for key in (one.key, *(turn.key for turn in one.turns))]
    if len(set(keys)) < len(keys):
        twice = next(key for key in keys if keys.count(key) > 1)
        record.need("sessions").fail(f"an id of its own for every session and turn ({twice!r} is used twice)")
    questions = record.find("questions")
    fields = questions.items() if questions else []
    if fields and not any(one.turns for one in sessions):
        record.need("sessions").fail("at least one turn, since there are questions about it")
    return Case(
        id=name,
        category=category,
        sessions=sessions,
        questions=tuple(
            question(field, number=number, sessions=sessions, category=category)
            for number, field in enumerate(fields, start=1)
        ),
    )


def session(field: Field, *, default_key: str) -> CaseSession:
    given = field.find("id")
    key = given.name() if given else default_key
    started_at = field.need("started_at").moment()
    turns: list[CaseTurn] = []
    for number, turn in enumerate(field.need("turns").items(), start=1):
        role = turn.need("role").role()
        speaker, said_at, id_given = turn.find("speaker"), turn.find("said_at"), turn.find("id")
        previous = turns[-1].said_at + TURN_PAUSE if turns else started_at
        turns.append(
            CaseTurn(
                role=role,
                speaker=speaker.name() if speaker else SPEAKERS[role],
                text=turn.need("text").text(),
                said_at=said_at.moment() if said_at else previous,
                key=id_given.name() if id_given else f"{key}:{number}",
            )
        )
    return CaseSession(key=key, started_at=started_at, turns=tuple(turns))


def question(field: Field, *, number: int, sessions: tuple[CaseSession, ...], category: str) -> CaseQuestion:
    asked_at, asked_by, given = field.find("asked_at"), field.find("asked_by"), field.find("id")
    forbidden, evidence = field.find("not"), field.find("evidence")
    return CaseQuestion(
        id=given.name() if given else str(number),
        question=field.need("question").name(),
        asked_at=asked_at.moment() if asked_at else last_moment(sessions) + QUESTION_DELAY,
        asked_by=asked_by.name() if asked_by else first_user_speaker(sessions),
        answers=tuple(answer.answer() for answer in field.need("answers").items()),
        forbidden=tuple(answer.answer() for answer in forbidden.items()) if forbidden else (),
        category=optional_text(field, "category") or category,
        evidence=tuple(reference.name() for reference in evidence.items()) if evidence else (),
    )


def optional_text(field: Field, name: str) -> str:
    found = field.find(name)
    return found.text().strip() if found else ""

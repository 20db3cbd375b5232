"""BEAM (Tavakoli et al., 2025): a chat in a folder, `chat.json` with `probing_questions.json` beside it.

The path is the folder, its chat.json, or a folder of such folders. A batch of a chat is a session; it is dated by its
time anchor ("March-15-2024"), or, where it has none, by the day after the batch before it. The marks of the generator
at the end of a message ("->-> 1,1") are taken off. The longest chats nest their batches in plans. Probing questions of
abilities that have no short answer (preference, instruction) are kept, unscored; those of "abstention" are right only
when the reply says that it is not known. Where a question's rubric asks for exactly one thing, that thing is an
accepted answer too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from evaluation.benchmarks.reading import (
    QUESTION_DELAY,
    SPEAKERS,
    TURN_PAUSE,
    UNDATED,
    Field,
    first_user_speaker,
    in_utc,
    last_moment,
    read_json,
)
from evaluation.core.types import Case, CaseQuestion, CaseSession, CaseTurn

NAME = "beam"
ID = "chat"

CHAT = "chat.json"
QUESTIONS = "probing_questions.json"
ABSTENTION = "abstention"
GENERATOR_MARK = re.compile(r"(?:\s*->\s*->\s*[\w./]+(?:\s*,\s*[\w./]+)*)+\s*$")
ANCHOR_FORMS = ("%B-%d-%Y", "%B %d, %Y", "%B %d %Y", "%b-%d-%Y", "%Y-%m-%d")
RUBRIC_ITEM = re.compile(
    r"^(?:the )?(?:LLM )?response should (?:state|mention|contain|say|include)s?:?\s*(.+?)\.?$", re.I | re.S
)
PLAN = "plan-"


def recognises(path: Path, first_record: object) -> bool:
    return path.is_dir() or (
        isinstance(first_record, dict)
        and ("batch_number" in first_record or any(name.startswith(PLAN) for name in first_record))
    )


def cases(path: Path) -> Iterator[Case]:
    """Yield one case a chat."""
    for number, file in enumerate(chat_files(path), start=1):
        yield case(file, number)


def chat_files(path: Path) -> list[Path]:
    """Return the chat files that the path stands for, in the order of their folders' numbers."""
    if not path.is_dir():
        return [path]
    if (path / CHAT).is_file():
        return [path / CHAT]
    return sorted(path.glob(f"*/{CHAT}"), key=lambda file: (len(file.parent.name), file.parent.name))


def case(file: Path, record: int) -> Case:
    sessions = tuple(sessions_of(Field(read_json(file), record, CHAT)))
    probes = file.with_name(QUESTIONS)
    return Case(
        id=file.resolve().parent.name if file.name == CHAT else file.stem,
        category="",
        sessions=sessions,
        questions=tuple(questions(Field(read_json(probes), record, QUESTIONS), sessions)) if probes.is_file() else (),
    )


def sessions_of(chat: Field) -> Iterator[CaseSession]:
    started_at = UNDATED
    previous: CaseSession | None = None
    seen: set[str] = set()
    for number, (plan, batch) in enumerate(batches(chat), start=1):
        fallback = previous.started_at + timedelta(days=1) if previous else UNDATED
        started_at = first_anchor(batch) or fallback
        previous = session(batch, key=f"{plan}batch {number}", started_at=started_at, seen=seen)
        yield previous


def batches(chat: Field) -> Iterator[tuple[str, Field]]:
    for element in chat.items():
        if element.find("turns") is not None:
            yield "", element
            continue
        plans = [name for name in element.names() if name.startswith(PLAN)]
        if not plans:
            element.need("turns")
        for name in plans:
            for batch in element.need(name).items():
                yield f"{name}/", batch


def messages(batch: Field) -> Iterator[Field]:
    for group in batch.need("turns").items():
        if isinstance(group.value, list):
            yield from group.items()
        else:
            yield group


def first_anchor(batch: Field) -> datetime | None:
    own = batch.find("time_anchor")
    if own:
        return anchor(own)
    anchors = (message.find("time_anchor") for message in messages(batch))
    found = next((field for field in anchors if field), None)
    return anchor(found) if found else None


def anchor(field: Field) -> datetime:
    text = field.text().strip()
    for form in ANCHOR_FORMS:
        try:
            return in_utc(datetime.strptime(text, form).replace(tzinfo=UTC, hour=9))
        except ValueError:
            continue
    field.fail("a date such as 'March-15-2024'")


def session(batch: Field, *, key: str, started_at: datetime, seen: set[str]) -> CaseSession:
    turns: list[CaseTurn] = []
    said_at = started_at
    for message in messages(batch):
        own_anchor = message.find("time_anchor")
        if own_anchor:
            said_at = max(said_at, anchor(own_anchor))
        role = message.need("role").role()
        given = message.find("id")
        turn_key = given.name() if given else f"{key}:{len(turns) + 1}"
        if turn_key in seen:
            turn_key = f"{key}:{turn_key}"
        seen.add(turn_key)
        text = GENERATOR_MARK.sub("", message.need("content").text())
        turns.append(CaseTurn(role=role, speaker=SPEAKERS[role], text=text, said_at=said_at, key=turn_key))
        said_at += TURN_PAUSE
    return CaseSession(key=key, started_at=started_at, turns=tuple(turns))


def questions(probes: Field, sessions: tuple[CaseSession, ...]) -> Iterator[CaseQuestion]:
    for ability in probes.names():
        asked = probes.find(ability)
        for number, field in enumerate(asked.items() if asked else [], start=1):
            yield CaseQuestion(
                id=f"{ability}-{number}",
                question=field.need("question").name(),
                asked_at=last_moment(sessions) + QUESTION_DELAY,
                asked_by=first_user_speaker(sessions),
                answers=() if ability == ABSTENTION else accepted(field),
                category=ability,
                evidence=tuple(dict.fromkeys(chat_ids(field.find("source_chat_ids")))),
                criteria=tuple(item.text().strip() for item in rubric.items())
                if (rubric := field.find("rubric"))
                else (),
            )


def accepted(field: Field) -> tuple[str, ...] | None:
    """Return the accepted answers, or None where the question has none that a reply could contain."""
    answer, rubric = field.find("answer"), field.find("rubric")
    if answer is None:
        return None
    items = rubric.items() if rubric else []
    match = RUBRIC_ITEM.match(items[0].text().strip()) if len(items) == 1 else None
    return (answer.answer(), match[1]) if match else (answer.answer(),)


def chat_ids(field: Field | None) -> Iterator[str]:
    """Yield the ids of the messages that the answer stands in; they come as lists, nested lists or lists by name."""
    if field is None:
        return
    if isinstance(field.value, dict):
        for name in field.names():
            yield from chat_ids(field.find(name))
    elif isinstance(field.value, list):
        for item in field.items():
            yield from chat_ids(item)
    else:
        yield field.name()

"""LoCoMo (Maharana et al., 2024): a list of long conversations between two people, with questions.

Both people have the user's role, with their names. A shared image is its caption in words, behind the turn's text. What
the published files do and this loader takes: dates of sessions that are not there, answers that are numbers, several
ids in one evidence string ("D8:6; D9:17"), ids with stray colons or zeros ("D:11:26", "D30:05"), questions of category
5 without an answer (they are unanswerable; their `adversarial_answer` is the tempting wrong one).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from evaluation.benchmarks.reading import QUESTION_DELAY, TURN_PAUSE, Field, first_user_speaker, last_moment, read_json
from evaluation.core.types import Case, CaseQuestion, CaseSession, CaseTurn
from memory.core.types import Role

NAME = "locomo"
ID = "sample_id"

CATEGORIES = {"1": "multi-hop", "2": "temporal", "3": "open-domain", "4": "single-hop", "5": "adversarial"}
UNANSWERABLE = "adversarial"

SESSION_NAME = re.compile(r"session_(\d+)")
SESSION_DATE = re.compile(r"(\d{1,2}:\d{2}\s*[ap]m) on (\d{1,2} \w+),? (\d{4})", re.IGNORECASE)
SESSION_DATE_FORM = "%I:%M %p %d %B %Y"
EVIDENCE_ID = re.compile(r"D\s*:?\s*(\d+)\s*:\s*(\d+)", re.IGNORECASE)


def recognises(path: Path, first_record: object) -> bool:
    return isinstance(first_record, dict) and isinstance(first_record.get("conversation"), dict)


def cases(path: Path) -> Iterator[Case]:
    """Yield the file's conversations."""
    content = read_json(path)
    for number, value in enumerate(content if isinstance(content, list) else [content], start=1):
        yield case(Field(value, number))


def case(record: Field) -> Case:
    conversation = record.need("conversation")
    numbers = sorted(int(match[1]) for name in conversation.names() if (match := SESSION_NAME.fullmatch(name)))
    sessions = tuple(
        session(conversation, number) for number in numbers if conversation.find(f"session_{number}") is not None
    )
    name = record.find("sample_id")
    asked = record.find("qa")
    return Case(
        id=name.name() if name else str(record.record),
        category="",
        sessions=sessions,
        questions=tuple(question(field, number, sessions) for number, field in enumerate(asked.items(), start=1))
        if asked
        else (),
    )


def session(conversation: Field, number: int) -> CaseSession:
    started_at = conversation.need(f"session_{number}_date_time").moment_like(
        SESSION_DATE, SESSION_DATE_FORM, "'1:56 pm on 8 May, 2023'"
    )
    turns = []
    for index, turn in enumerate(conversation.need(f"session_{number}").items()):
        given = turn.find("dia_id")
        turns.append(
            CaseTurn(
                role=Role.USER,
                speaker=turn.need("speaker").name(),
                text=text_of(turn),
                said_at=started_at + index * TURN_PAUSE,
                key=given.name() if given else f"D{number}:{index + 1}",
            )
        )
    return CaseSession(key=f"session_{number}", started_at=started_at, turns=tuple(turns))


def text_of(turn: Field) -> str:
    caption = turn.find("blip_caption")
    said = turn.find("text")
    if said is None and caption is None:
        turn.need("text")
    words = said.text() if said else ""
    return f"{words} [shares a photo: {caption.text()}]".strip() if caption else words


def question(field: Field, number: int, sessions: tuple[CaseSession, ...]) -> CaseQuestion:
    given, category_field, evidence = field.find("answer"), field.find("category"), field.find("evidence")
    code = category_field.name() if category_field else ""
    if category_field and code not in CATEGORIES:
        category_field.fail("one of the categories 1 to 5")
    category = CATEGORIES.get(code, "")
    answers: tuple[str, ...] | None = (given.answer(),) if given else None
    if given is None and category == UNANSWERABLE:
        answers = ()
    return CaseQuestion(
        id=str(number),
        question=field.need("question").name(),
        asked_at=last_moment(sessions) + QUESTION_DELAY,
        asked_by=first_user_speaker(sessions),
        answers=answers,
        category=category,
        evidence=tuple(key for reference in references(evidence) for key in evidence_ids(reference.text())),
    )


def references(evidence: Field | None) -> list[Field]:
    if evidence is None:
        return []
    return [evidence] if isinstance(evidence.value, str) else evidence.items()


def evidence_ids(reference: str) -> list[str]:
    """Return the turn ids of one evidence string; a string without any is returned as it is."""
    ids = [f"D{int(session)}:{int(turn)}" for session, turn in EVIDENCE_ID.findall(reference)]
    return ids or [reference.strip()]

"""Checks the evidence that a benchmark's questions name against the sessions; references that name nothing are counted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evaluation.core.report import Row
from evaluation.core.retrieval import Evidence
from evaluation.core.types import Case, CaseQuestion

SHOWN = 5


@dataclass(frozen=True)
class AskedQuestion:
    """A question with its evidence in the case."""

    case: str
    question: CaseQuestion
    evidence: Evidence


@dataclass(frozen=True)
class UnknownEvidence:
    """References of a question, as the file has them, that name no turn or session of its case."""

    case: str
    question_id: str
    references: tuple[str, ...]
    leaves_nothing: bool


@dataclass(frozen=True)
class CaseEvidence:
    """The measurable questions of a case, the unknown references, and the number of questions without evidence."""

    asked: tuple[AskedQuestion, ...]
    unknown: tuple[UnknownEvidence, ...]
    without_evidence: int


def read_evidence(case: Case) -> CaseEvidence:
    """Return the questions of a case that have evidence, and what is wrong with the others."""
    session_of = {turn.key: session.key for session in case.sessions for turn in session.turns}
    sessions = {session.key for session in case.sessions}
    asked: list[AskedQuestion] = []
    unknown: list[UnknownEvidence] = []
    for question in case.questions:
        turns = frozenset(key for key in (*question.evidence, *question.marked) if key in session_of)
        named = frozenset(key for key in question.evidence if key in sessions and key not in turns)
        evidence = Evidence(sessions=named | {session_of[key] for key in turns}, turns=turns)
        if evidence.sessions:
            asked.append(AskedQuestion(case.id, question, evidence))
        stray = tuple(key for key in question.evidence if key not in turns and key not in named)
        if stray:
            unknown.append(UnknownEvidence(case.id, question.id, stray, leaves_nothing=not evidence.sessions))
    without = sum(not question.evidence for question in case.questions)
    return CaseEvidence(tuple(asked), tuple(unknown), without)


def evidence_rows(cases: Sequence[CaseEvidence]) -> Iterator[Row]:
    """Yield the numbers of measured and left-out questions, and the references that name nothing."""
    unknown = [one for case in cases for one in case.unknown]
    measured = sum(len(case.asked) for case in cases)
    lost = sum(one.leaves_nothing for one in unknown)
    without = sum(case.without_evidence for case in cases)
    total = measured + lost + without
    yield Row("questions", "measured", measured, unit="questions", n=total)
    yield Row(
        "questions",
        "without_evidence",
        without,
        unit="questions",
        n=total,
        why="the file names no evidence for them" if without else "",
    )
    yield Row(
        "questions",
        "evidence_names_nothing",
        lost,
        unit="questions",
        n=total,
        why="none of their evidence is in the case" if lost else "",
    )
    references = [
        f"{reference!r} of {one.case}, question {one.question_id}" for one in unknown for reference in one.references
    ]
    more = f" and {len(references) - SHOWN} more" if len(references) > SHOWN else ""
    why = f"no turn or session of the case: {', '.join(references[:SHOWN])}{more}" if references else ""
    yield Row("evidence", "references_unknown", len(references), unit="references", why=why)

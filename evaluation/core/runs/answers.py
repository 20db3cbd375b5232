"""The figures of a reply to a question of a benchmark, as far as rules take them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from evaluation.core.answer_match import is_right
from evaluation.core.answer_rows import EXACT_MATCH, REFUSED, TOKEN_F1, answer_figures
from evaluation.core.retrieval import Evidence, covered_share
from evaluation.core.runs.items import LOCOMO, expected_answers
from evaluation.core.runs.metrics import ACCURACY, EVIDENCE_RECALL
from evaluation.core.types import CaseQuestion

NO_ANSWER = "The file has no short answer to compare with."
NO_EVIDENCE = "The file names no evidence that is in the case."


@dataclass(frozen=True)
class Figure:
    """One figure of an item: a value, or None with the reason in `why`; `reason` is what a judge said."""

    metric: str
    value: float | None
    why: str = ""
    reason: str = ""


def reply_figures(
    reply: str,
    question: CaseQuestion,
    *,
    benchmark: str,
    evidence: Evidence,
    found_sessions: Collection[str],
    found_turns: Collection[str],
) -> list[Figure]:
    """Return the figures of a reply and of what it rests on.

    Accuracy compares words. Of several accepted answers the best counts for token F1 and exact match. An unanswerable
    question has `refused` in their place.
    """
    expected = expected_answers(question, benchmark=benchmark)
    figures = [Figure(ACCURACY, None, NO_ANSWER)]
    if expected is not None:
        figures = [Figure(ACCURACY, float(is_right(reply, answers=expected, forbidden=question.forbidden)))]
        category = question.category if benchmark == LOCOMO else ""
        taken = [answer_figures(reply, answer, category=category) for answer in expected or [None]]
        figures += [Figure(metric, max(one[metric] for one in taken)) for metric in taken[0]]
    return [*figures, evidence_figure(evidence, found_sessions, found_turns)]


def evidence_figure(evidence: Evidence, found_sessions: Collection[str], found_turns: Collection[str]) -> Figure:
    """Return the share of the evidence that a reply rests on: of turns where the file names them, else of sessions."""
    if evidence.turns:
        return Figure(EVIDENCE_RECALL, covered_share(found_turns, evidence.turns))
    if evidence.sessions:
        return Figure(EVIDENCE_RECALL, covered_share(found_sessions, evidence.sessions))
    return Figure(EVIDENCE_RECALL, None, NO_EVIDENCE)


def metrics_of_answer(expected: Sequence[str] | None, *, has_evidence: bool) -> list[str]:
    """Return the names of the figures that a reply would have had."""
    of_evidence = [EVIDENCE_RECALL] if has_evidence else []
    if expected is None:
        return of_evidence
    return [ACCURACY, *((TOKEN_F1, EXACT_MATCH) if expected else (REFUSED,)), *of_evidence]

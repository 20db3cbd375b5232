"""Figures on audited gold answers: what an audit says about a question decides whether it counts, and with which answer.

Audits of LoCoMo name questions whose citation is wrong, whose gold answer is wrong, or that are wrong themselves. Here
- a question stays as it is where only its citation is wrong;
- its gold answer is replaced where the audit gives another short one, since long ones tell what is wrong rather than answer;
- all others are left out: nobody can answer them rightly.
Of a replaced answer only figures that compare words can be taken anew: what a judge or a person said of the old one is left
out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from evaluation.core.answer_match import is_right
from evaluation.core.answer_rows import answer_figures
from evaluation.core.folding import fold
from evaluation.core.runs.metrics import ACCURACY, AUDITED, EffectiveScore

ONLY_CITATION = "WRONG_CITATION"
# Errors of the gold answer; the others are of the question.
OF_ANSWER = frozenset({"HALLUCINATION", "TEMPORAL_ERROR", "INCOMPLETE"})
LONGEST = 12
ABOUT = "(;["


@dataclass(frozen=True)
class AuditedQuestion:
    """What an audit says of a question: the kind of its error, and the answer that would be right."""

    question: str
    gold: str
    error: str
    correct: str

    @property
    def is_sound(self) -> bool:
        return self.error == ONLY_CITATION

    @property
    def replacement(self) -> str:
        """Return the answer that counts in place of the gold one, or "" where the question is left out."""
        is_answer = len(self.correct.split()) <= LONGEST and not any(mark in self.correct for mark in ABOUT)
        return self.correct if self.error in OF_ANSWER and is_answer else ""


@dataclass(frozen=True)
class Answered:
    """A question, its accepted answers, its category and the reply to it."""

    question: str
    expected: tuple[str, ...]
    category: str
    reply: str


Audit = Mapping[tuple[str, str], AuditedQuestion]


def audit_of(questions: Sequence[AuditedQuestion]) -> Audit:
    """Return what an audit says, by the words of question and gold answer."""
    return {(fold(one.question), fold(one.gold)): one for one in questions}


def said_of(audit: Audit, answered: Answered) -> AuditedQuestion | None:
    """Return what the audit says of a question; None where it finds nothing wrong."""
    found = [audit.get((fold(answered.question), fold(answer))) for answer in answered.expected]
    return next((one for one in found if one is not None and not one.is_sound), None)


def audited_scores(
    scores: Sequence[EffectiveScore], items: Mapping[int, Answered], audit: Audit
) -> list[EffectiveScore]:
    """Return the scores that count after an audit, each metric under the name `audited_...`."""
    kept = []
    for score in scores:
        answered = items[score.item]
        said = said_of(audit, answered)
        value = score.value if said is None else None
        if said is not None and said.replacement and not score.has_failed:
            value = figures_anew(answered, said.replacement).get(score.metric)
        elif said is not None and said.replacement:
            value = score.value
        if said is None or value is not None:
            kept.append(replace(score, metric=f"{AUDITED}{score.metric}", value=value))
    return kept


def figures_anew(answered: Answered, answer: str) -> dict[str, float]:
    return {
        ACCURACY: float(is_right(answered.reply, answers=[answer])),
        **answer_figures(answered.reply, answer, category=answered.category),
    }

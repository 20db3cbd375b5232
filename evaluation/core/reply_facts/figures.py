"""The figures of a reply's facts: how many of its claims are supported, Dialogue Fact Score and NEIP (decision 34)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from evaluation.core.reply_facts.types import Verdict
from memory.core.grounded_generation.fact_score import dialogue_fact_score, not_enough_proportion
from memory.core.grounded_generation.verification import FactStatus


@dataclass(frozen=True)
class FactFigures:
    """`claims` are the facts that can be true or false, `decided` those that are. NEIP is 1 without claims, and absent where
    nothing was checked.
    """

    claims: int
    supported: int
    decided: int
    score: float | None
    not_enough: float | None


UNCHECKED = FactFigures(claims=0, supported=0, decided=0, score=None, not_enough=None)


def figures_of(verdicts: Iterable[str]) -> FactFigures:
    statuses = [FactStatus(verdict) for verdict in verdicts if verdict != Verdict.NOT_A_CLAIM]
    return FactFigures(
        claims=len(statuses),
        supported=statuses.count(FactStatus.TRUE),
        decided=len(statuses) - statuses.count(FactStatus.NOT_ENOUGH),
        score=dialogue_fact_score(statuses),
        not_enough=not_enough_proportion(statuses),
    )

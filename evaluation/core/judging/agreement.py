"""How far a judge agrees with people who gave figures of their own for the same items: their share of agreement, and kappa.

Kappa (Cohen, 1960) is the agreement above chance. What the judge left unscored agrees with nobody, and stays in both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.core.confusion import Confusion
from evaluation.core.interval_rows import grouped, ratio_row
from evaluation.core.report import Row


@dataclass(frozen=True)
class BothFigures:
    """What was measured of an item of a case, None where it is unscored, and what a person gave."""

    case: str
    measured: float | None
    given: float


def agreement_rows(name: str, metric: str, figures: Sequence[BothFigures]) -> list[Row]:
    """Return agreement with its interval, kappa, and how many items are unscored; the metric is the group."""
    by_case = grouped(figures, lambda one: one.case)
    same = {case: [one.measured == one.given for one in own] for case, own in by_case.items()}
    none = "no person gave a figure in place of a measured one"
    if not figures:
        return [Row(name, one, None, n=0, group=metric, why=none) for one in ("agreement", "kappa")]
    confusion = Confusion.of((str(one.given), None if one.measured is None else str(one.measured)) for one in figures)
    unscored = sum(one.measured is None for one in figures)
    return [
        ratio_row(name, "agreement", same, group=metric),
        Row(name, "kappa", confusion.kappa, n=len(figures), group=metric),
        Row(name, "unscored", unscored, "items", len(figures), group=metric),
    ]

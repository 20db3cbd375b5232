"""Rows of a judge that was checked: how often it takes wrong and vague replies for right, and right ones too.

A reply without a verdict stays in the denominator: it was not taken for right.

How far a judge agrees with people who gave figures of their own for the same items: their share of agreement, and kappa.

Kappa (Cohen, 1960) is the agreement above chance. What the judge left unscored agrees with nobody, and stays in both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from evaluation.core.confusion import Confusion
from evaluation.core.interval_rows import grouped, ratio_row
from evaluation.core.judging.altered import AlteredReply, Sort
from evaluation.core.judging.types import Judgement
from evaluation.core.report import Row

# A judge's value from which on it takes a reply for right.
RIGHT_FROM = 0.5


@dataclass(frozen=True)
class CheckedReply:
    """A reply that is known to be right or not, and what a judge said of it."""

    altered: AlteredReply
    judgement: Judgement

    @property
    def is_taken(self) -> bool:
        """Whether the judge takes it for right."""
        return self.judgement.value is not None and self.judgement.value >= RIGHT_FROM


def check_rows(judge: str, checked: Sequence[CheckedReply]) -> list[Row]:
    """Return the false positives of wrong and vague replies, the true positives of right ones, and what is unscored.

    Each is a share of all such replies, and then of each kind, with intervals clustered by case.
    """
    rows: list[Row] = []
    for sort, inside in grouped(checked, lambda one: one.altered.sort.value).items():
        metric = "true_positives" if sort == Sort.RIGHT else "false_positives"
        for group, own in groups_of(sort, inside):
            rows.append(share_row(judge, metric, own, lambda one: one.is_taken, group=group))
    rows.append(share_row(judge, "unscored", checked, lambda one: one.judgement.value is None, group=""))
    return sorted(rows, key=lambda row: row.metric)


def groups_of(sort: str, checked: Sequence[CheckedReply]) -> Iterator[tuple[str, Sequence[CheckedReply]]]:
    yield sort, checked
    for kind, own in grouped(checked, lambda one: one.altered.kind).items():
        yield f"{sort}: {kind}", own


def share_row(
    judge: str, metric: str, checked: Sequence[CheckedReply], is_so: Callable[[CheckedReply], bool], *, group: str
) -> Row:
    by_case = grouped(checked, lambda one: one.altered.gold.case)
    clusters = {case: [is_so(one) for one in own] for case, own in by_case.items()}
    return ratio_row(judge, metric, clusters, group=group, none="no such reply can be made of this file")


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

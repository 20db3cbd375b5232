"""Rows of what the budgets of backward chaining are worth, and of how much of them is taken (GOAL-MEM, Figures 4 and 5).

One run with all of the budget tells every smaller one: an answer counts from the budget on that its search took, and below
it as not known, which scores 0. A search that came to a second decomposition after refining the first might have come to it
sooner with less depth, so that a figure at a small depth is a lower bound.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evaluation.core.answer_rows import REFUSED
from evaluation.core.chaining_rows import Reasoned
from evaluation.core.interval_rows import grouped, mean_row, ratio_row
from evaluation.core.report import Row

LEAST = {"depth": 0, "breadth": 1}
TAKEN = ("breadth", "depth", "subgoals")


def budget_rows(reasoned: Sequence[Reasoned]) -> Iterator[Row]:
    """Yield, of each way that searches, the figures by budget and the shares of questions by what they took."""
    for name, own in grouped(reasoned, lambda one: one.scored.responder).items():
        searched = [one for one in own if all(one.took.get(kind) is not None for kind in TAKEN)]
        for kind, least in LEAST.items():
            for most in range(least, max((taken(one, kind) for one in searched), default=-1) + 1):
                yield from figures_within(name, searched, kind, most)
        for kind in TAKEN:
            for count in sorted({taken(one, kind) for one in searched}):
                shares = {
                    case: [taken(one, kind) == count for one in inside]
                    for case, inside in grouped(searched, lambda one: one.scored.case).items()
                }
                yield ratio_row(name, "share", shares, group=f"{kind} {count}")


def taken(one: Reasoned, kind: str) -> int:
    return int(one.took[kind] or 0)


def figures_within(name: str, searched: Sequence[Reasoned], kind: str, most: int) -> Iterator[Row]:
    """Yield the mean of each figure of answers where those that took more count 0."""
    for metric in dict.fromkeys(metric for one in searched for metric in one.scored.figures if metric != REFUSED):
        clusters: dict[str, list[float]] = {}
        for one in searched:
            if metric in one.scored.figures:
                within = taken(one, kind) <= most
                clusters.setdefault(one.scored.case, []).append(one.scored.figures[metric] if within else 0.0)
        yield mean_row(name, metric, clusters, group=f"{kind} up to {most}")

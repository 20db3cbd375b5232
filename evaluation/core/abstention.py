"""Precision and recall of refusing: saying that something is not known where it cannot be known, and only there.

A failed reply refuses nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evaluation.core.interval_rows import ratio_row
from evaluation.core.report import Row

# Whether a reply refuses, and whether its question cannot be answered.
Refusal = tuple[bool, bool]


def abstention_rows(name: str, clusters: Mapping[str, Sequence[Refusal]]) -> list[Row]:
    """Return precision and recall of refusing over replies by case, each with its interval."""
    return [
        share_row(name, "abstention_precision", clusters, among=0, hit=1, none="no reply refuses"),
        share_row(name, "abstention_recall", clusters, among=1, hit=0, none="every question can be answered"),
    ]


def share_row(
    name: str, metric: str, clusters: Mapping[str, Sequence[Refusal]], *, among: int, hit: int, none: str
) -> Row:
    """Return how many of the replies of which one thing is so have the other."""
    shares = {case: [one[hit] for one in own if one[among]] for case, own in clusters.items()}
    return ratio_row(name, metric, shares, none=none)

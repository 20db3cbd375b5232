"""The refined subset of a benchmark: neither trivial nor hopeless dialogues, the most complex first (D-SMART, Appendix C).

Stage 1 keeps dialogues whose score by the model alone is moderate. Stage 2 ranks those by complexity and takes the first, up
to a quarter of all dialogues.

Departure from the paper, which gives the seven measures no weights: a dialogue's place is the mean of its ranks by each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass

from evaluation.core.complexity.measures import Complexity


@dataclass(frozen=True)
class RefinementConfig:
    """The bounds of stage 1, both included, and the share of all dialogues that stage 2 ends with (Appendix C)."""

    low: float = 4.0
    high: float = 8.0
    share: float = 0.25


def refined_subset(
    dialogues: Mapping[str, Complexity],
    scores: Mapping[str, float] | None,
    *,
    config: RefinementConfig = RefinementConfig(),
) -> list[str]:
    """Return the keys of the refined subset, the most complex first. Without scores stage 1 is left out."""
    pool = list(dialogues) if scores is None else moderate(dialogues, scores, config=config)
    ranked = by_complexity({key: dialogues[key] for key in pool})
    return ranked[: round(config.share * len(dialogues))]


def moderate(
    dialogues: Mapping[str, Complexity], scores: Mapping[str, float], *, config: RefinementConfig = RefinementConfig()
) -> list[str]:
    """Return the keys of the dialogues whose score is within the bounds (stage 1); one without a score is left out."""
    return [key for key in dialogues if key in scores and config.low <= scores[key] <= config.high]


def by_complexity(dialogues: Mapping[str, Complexity]) -> list[str]:
    """Return the keys by the mean of their ranks by the seven measures, the most complex first (stage 2); ties as given."""
    keys = list(dialogues)
    measured = [astuple(dialogues[key]) for key in keys]
    ranks = [mean_ranks(column) for column in zip(*measured, strict=True)]
    means = {key: sum(own) / len(own) for key, own in zip(keys, zip(*ranks, strict=True), strict=True)}
    return sorted(keys, key=means.__getitem__)


def mean_ranks(values: Sequence[float]) -> list[float]:
    """Return the rank of each value, 1 for the highest; equal values share the mean of their ranks."""
    return [
        sum(other > value for other in values) + (sum(other == value for other in values) + 1) / 2 for value in values
    ]

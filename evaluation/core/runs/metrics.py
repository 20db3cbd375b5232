"""The figures of items by name: their units, and what a failed item counts for."""

from __future__ import annotations

from dataclasses import dataclass

ACCURACY, EVIDENCE_RECALL = "accuracy", "evidence_recall"
CONSISTENCY, ENTAILED = "cs", "entailed"
# What the name of a figure on audited answers begins with.
AUDITED = "audited_"


@dataclass(frozen=True)
class Metric:
    """A figure of an item. A share is 0 or 1; a cost is better the lower it is, and a failed item has none."""

    name: str
    unit: str = "ratio"
    is_share: bool = False
    is_cost: bool = False


JUDGED, GPT_SCORE = "judged", "gpt_score"
SHARES = (ACCURACY, JUDGED, "exact_match", "refused", ENTAILED, "class_accuracy", "constraint_satisfaction", "solved")
# Columns of an item that can be asked for as if they were scores.
COSTS = {
    "total_ms": "ms",
    "first_token_ms": "ms",
    "calls": "calls",
    "prompt_tokens": "tokens",
    "completion_tokens": "tokens",
}


# Of what is no ratio: the lowest and the highest score.
SCALES = {"gpt_score": (1, 10)}


def scale_of(name: str) -> tuple[int, int]:
    """Return the lowest and the highest score that a quality may have."""
    return SCALES.get(name, (0, 1))


def metric_of(name: str) -> Metric:
    """Return what is known of a figure; one that is not known is a quality, such as what a judge gives."""
    bare = name.partition("@")[0].removeprefix(AUDITED)
    if bare in COSTS:
        return Metric(name, COSTS[bare], is_cost=True)
    if bare == "sessions_in_context":
        return Metric(name, "sessions", is_cost=True)
    if bare == GPT_SCORE:
        return Metric(name, "points of 10")
    return Metric(name, is_share=bare in SHARES)

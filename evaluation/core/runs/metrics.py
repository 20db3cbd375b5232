"""The figures of items by name: their units, what a failed item counts for, and the score that counts."""

from __future__ import annotations

from dataclasses import dataclass

ACCURACY, EVIDENCE_RECALL = "accuracy", "evidence_recall"
CONSISTENCY, ENTAILED = "cs", "entailed"


@dataclass(frozen=True)
class Metric:
    """A figure of an item. A share is 0 or 1; a cost is better the lower it is, and a failed item has none."""

    name: str
    unit: str = "ratio"
    is_share: bool = False
    is_cost: bool = False


JUDGED, GPT_SCORE = "judged", "gpt_score"
SHARES = (ACCURACY, JUDGED, "exact_match", "refused", ENTAILED, "class_accuracy", "constraint_satisfaction", "solved")
FACT_SCORE, NEIP = "fact_score", "neip"
# What people give though nothing measured it: what they found of a reply's facts, and their own ratings of it.
BY_PEOPLE = (FACT_SCORE, NEIP, "coherence", "fluency", "informativeness")
# Columns of an item that can be asked for as if they were scores.
COSTS = {
    "total_ms": "ms",
    "first_token_ms": "ms",
    "calls": "calls",
    "prompt_tokens": "tokens",
    "completion_tokens": "tokens",
}


# Of what is no ratio: the lowest and the highest score.
SCALES = {GPT_SCORE: (1, 10), "coherence": (0, 2), "fluency": (0, 2), "informativeness": (0, 2)}


def scale_of(name: str) -> tuple[int, int]:
    """Return the lowest and the highest score that a quality may have."""
    return SCALES.get(name, (0, 1))


def metric_of(name: str) -> Metric:
    """Return what is known of a figure; one that is not known is a quality, such as what a judge gives."""
    bare = name.partition("@")[0]
    if bare in COSTS:
        return Metric(name, COSTS[bare], is_cost=True)
    if bare == "sessions_in_context":
        return Metric(name, "sessions", is_cost=True)
    if bare == NEIP:
        return Metric(name, is_cost=True)
    if bare in SCALES:
        return Metric(name, f"points of {SCALES[bare][1]}")
    return Metric(name, is_share=bare in SHARES)


@dataclass(frozen=True, slots=True)
class EffectiveScore:
    """One figure of one ended item. `value` is None where it is unscored, `why` says why.

    A failed item counts with the lowest value where the metric is a quality, and with none where it is a cost.
    """

    run: int
    item: int
    case_key: str
    key: str
    system: str
    repeat: int
    category: str
    position: int
    metric: str
    value: float | None
    measured: float | None
    is_overridden: bool
    has_failed: bool
    why: str = ""


@dataclass(frozen=True, slots=True)
class ItemCost:
    """What one ended item took; None where nothing tells it."""

    case_key: str
    system: str
    total_ms: float | None
    first_token_ms: float | None
    calls: int | None
    prompt_tokens: int | None
    completion_tokens: int | None
    error: str = ""

    @property
    def tokens(self) -> int | None:
        known = [count for count in (self.prompt_tokens, self.completion_tokens) if count is not None]
        return sum(known) if known else None

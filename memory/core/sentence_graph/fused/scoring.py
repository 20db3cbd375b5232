"""Combines searches: scores relative to the best, a session's best turns, and turns spread over sessions."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from memory.core.types import ScoredUnit

SPREAD_DEPTH = 3


def by_meaning(found: Sequence[ScoredUnit], *, least: float) -> dict[int, float]:
    """Scale cosines to [0, 1]: the last unit found gets 0, the first 1; units with a cosine under `least` are left out.

    Cosines of one question lie close together, and at another level for another question: only their differences count.
    """
    if not found:
        return {}
    best, last = found[0].score, found[-1].score
    width = best - last
    return {one.id: (one.score - last) / width if width > 0 else 1.0 for one in found if one.score >= least}


def by_words(found: Sequence[ScoredUnit]) -> dict[int, float]:
    """Scale BM25 scores by the best one, which gets 1."""
    return {one.id: one.score / found[0].score for one in found if found[0].score > 0}


def best_by_owner(scores: Mapping[int, float], owners: Mapping[int, int]) -> dict[int, float]:
    """Return the best score of each owner's units; units without an owner are left out."""
    best: dict[int, float] = {}
    for one, score in scores.items():
        if one in owners:
            best[owners[one]] = max(score, best.get(owners[one], score))
    return best


def weighted_sum(parts: Iterable[tuple[float, Mapping[int, float]]]) -> dict[int, float]:
    """Return the weighted sum of the parts, given as (weight, scores); an id that a part lacks counts 0 there."""
    total: dict[int, float] = {}
    for weight, scores in parts:
        for one, score in scores.items():
            total[one] = total.get(one, 0.0) + weight * score
    return total


def ranked(scores: Mapping[int, float]) -> list[int]:
    """Return the ids, best first, ties by lower id."""
    return sorted(scores, key=lambda one: (-scores[one], one))


def of_best_turns(scores: Iterable[float], *, turns: int) -> float:
    """Return the mean of a session's best scores with weights 1, 1/2, 1/3, ...; missing turns count 0."""
    best = sorted(scores, reverse=True)[:turns]
    weights = [1 / place for place in range(1, turns + 1)]
    return sum(weight * score for weight, score in zip(weights, best, strict=False)) / sum(weights)


def spread(scores: Mapping[int, float], sessions: Mapping[int, int], *, penalty: float, limit: int) -> list[int]:
    """Return the best ids, chosen one by one; an id loses `penalty` for each chosen turn of its session.

    Only the first `SPREAD_DEPTH` times `limit` ids can be chosen.
    """
    if not penalty:
        return ranked(scores)[:limit]
    left, taken, order = ranked(scores)[: SPREAD_DEPTH * limit], Counter[int](), list[int]()
    while left and len(order) < limit:
        best = max(left, key=lambda one: scores[one] - penalty * taken[sessions[one]])
        left.remove(best)
        taken[sessions[best]] += 1
        order.append(best)
    return order

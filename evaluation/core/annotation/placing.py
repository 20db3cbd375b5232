"""Which items come first: places in [0, infinity), the lowest first, drawn for a seed."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence

from evaluation.core.annotation.drafts import ItemDraft

RANDOM, STRATIFIED, UNCERTAIN, DISAGREEMENT = "random", "stratified", "uncertain", "disagreement"
# Items that are as unsure as one another come in the order of their draws.
AMONG_EQUALS = 1e-6


def drawn(seed: object, key: str) -> float:
    """Return a number in [0, 1) that looks random, always the same for a seed and a key."""
    digest = hashlib.sha256(f"{seed}/{key}".encode()).digest()
    return int.from_bytes(digest[:6], "big") / 2**48


def places_of(drafts: Sequence[ItemDraft], *, order: str, seed: object, begun: Counter[str]) -> list[float]:
    """Return a place for each item.

    Stratified, the n-th items of all strata come before the next of any; `begun` counts those that each stratum has
    already, and is counted on.
    """
    draws = [drawn(seed, draft.key) for draft in drafts]
    if order == UNCERTAIN:
        return [place_of(draft.uncertainty, draw) for draft, draw in zip(drafts, draws, strict=True)]
    if order == DISAGREEMENT:
        return [place_of(draft.disagreement, draw) for draft, draw in zip(drafts, draws, strict=True)]
    if order != STRATIFIED:
        return draws
    places = [0.0] * len(drafts)
    for number in sorted(range(len(drafts)), key=draws.__getitem__):
        stratum = drafts[number].stratum
        places[number] = begun[stratum] + draws[number]
        begun[stratum] += 1
    return places


def place_of(degree: float, draw: float) -> float:
    """Return the place of an item by a degree in [0, 1], the highest first."""
    return 1 - degree + AMONG_EQUALS * draw


def first_of(drafts: Sequence[ItemDraft], *, order: str, seed: object, limit: int) -> list[ItemDraft]:
    """Return the drafts that come first, in their order."""
    places = places_of(drafts, order=order, seed=seed, begun=Counter())
    return [drafts[number] for number in sorted(range(len(drafts)), key=places.__getitem__)[:limit]]

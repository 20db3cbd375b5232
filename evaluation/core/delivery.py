"""Checks whether a stream of numbered events arrived complete and in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Delivery:
    """The errors in the events of one reply: numbers that were missing, repeated, or late."""

    lost: int
    repeated: int
    reordered: int


def delivery_of(received: Sequence[int], *, last: int) -> Delivery:
    """Compare the numbers in the order of arrival with 1 to `last`, the events sent."""
    seen: set[int] = set()
    repeated = reordered = 0
    highest = 0
    for number in received:
        if number in seen:
            repeated += 1
        elif number < highest:
            reordered += 1
        seen.add(number)
        highest = max(highest, number)
    return Delivery(lost=len(set(range(1, last + 1)) - seen), repeated=repeated, reordered=reordered)

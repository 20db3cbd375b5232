"""Whether a stream of numbered events arrived whole and in order."""

from __future__ import annotations

import pytest

from evaluation.core.costs import Delivery, delivery_of


@pytest.mark.parametrize(
    ("received", "last", "expected"),
    [
        ([1, 2, 3], 3, Delivery(0, 0, 0)),
        ([1, 3], 3, Delivery(1, 0, 0)),
        ([1, 2], 4, Delivery(2, 0, 0)),
        ([1, 3, 2], 3, Delivery(0, 0, 1)),
        ([1, 2, 2, 3], 3, Delivery(0, 1, 0)),
        ([], 2, Delivery(2, 0, 0)),
        ([], 0, Delivery(0, 0, 0)),
    ],
)
def test_what_is_lost_repeated_and_reordered_is_counted(received: list[int], last: int, expected: Delivery) -> None:
    assert delivery_of(received, last=last) == expected

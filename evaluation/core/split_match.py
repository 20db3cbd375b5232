"""How near a sentence's facts come to the simple sentences that people made of it."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.core.reformulation import nearest_f1


def split_f1(facts: Sequence[str], wanted: Sequence[str]) -> float:
    """Return the F1 of two lists of sentences: each takes the best of the other list by the words they share, once.

    Pairs are taken greedily, the likest first; a pair counts as much as its sentences are alike, in [0, 1].
    """
    pairs = sorted(
        (
            (nearest_f1(fact, [other]), row, column)
            for row, fact in enumerate(facts)
            for column, other in enumerate(wanted)
        ),
        key=lambda pair: (-pair[0], pair[1:]),
    )
    total, rows, columns = 0.0, set(), set()
    for alike, row, column in pairs:
        if row not in rows and column not in columns:
            total += alike
            rows.add(row)
            columns.add(column)
    return 2 * total / (len(facts) + len(wanted)) if facts or wanted else 1.0

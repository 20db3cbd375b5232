"""Cosines of unit vectors with results that are reproducible to the bit.

BLAS sums in another order for another shape of its operands, so equal sentences could get unequal similarities, and a graph
that grew would differ from one built at once. BLAS results only select candidates here, within their error bound.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Integers = NDArray[np.int64]

PAIRS_AT_ONCE = 1_024
LONGEST_VECTOR = 1.001  # unit vectors in float32 are not quite that


def dot_products(left: Floats, right: Floats) -> Doubles:
    """Return the dot product of each pair of rows in float64. Its bits depend on the two vectors alone."""
    terms = left.astype(np.float64) * right.astype(np.float64)
    while terms.shape[1] > 1:
        half, odd = divmod(terms.shape[1], 2)
        halves = terms[:, :half] + terms[:, half : 2 * half]
        terms = np.concatenate([halves, terms[:, -1:]], axis=1) if odd else halves
    return terms[:, 0]


def similarities(vector: Floats, vectors: Floats, rows: Integers) -> Doubles:
    """Return the dot products of a vector with some rows of a matrix."""
    parts = [rows[start : start + PAIRS_AT_ONCE] for start in range(0, len(rows), PAIRS_AT_ONCE)]
    found = [dot_products(vector[None], vectors[part]) for part in parts]
    return np.concatenate(found) if found else np.zeros(0)


def nearest_rows(vector: Floats, vectors: Floats, *, limit: int) -> tuple[Integers, Doubles]:
    """Return the rows of a matrix nearest to a vector, nearest first, ties by lower row, and their similarities.

    All vectors have length 1 or 0.
    """
    if not len(vectors) or limit < 1:
        return np.zeros(0, np.int64), np.zeros(0)
    nearness = vectors @ vector
    place = max(len(nearness) - limit, 0)
    threshold = np.partition(nearness, place)[place] - 2 * float32_error(len(vector))
    rows = np.flatnonzero(nearness >= threshold)
    found = similarities(vector, vectors, rows)
    best = np.lexsort((rows, -found))[:limit]
    return rows[best], found[best]


def float32_error(dimension: int) -> float:
    """Return the largest error of a float32 dot product of two such vectors, summed in any order.

    It is d u / (1 - d u) times the product of their lengths (Higham: Accuracy and Stability of Numerical Algorithms, section
    3.1).
    """
    bound = dimension * 2.0**-24
    return 1.01 * LONGEST_VECTOR**2 * bound / (1 - bound) + 1e-30

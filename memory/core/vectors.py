"""Unit vectors as rows of one matrix that grows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


class GrowingVectors:
    """Vectors as rows of one float32 matrix whose capacity doubles, so that all additions together cost one pass."""

    def __init__(self, dimension: int) -> None:
        self._held: Floats = np.zeros((64, dimension), np.float32)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def matrix(self) -> Floats:
        """The rows, shape (len, dimension): a view that is good until the next change."""
        return self._held[: self._count]

    def append(self, vectors: Floats) -> None:
        """Add rows; `vectors` has shape (n, dimension)."""
        count = self._count + len(vectors)
        if count > len(self._held):
            larger = np.zeros((max(count, 2 * len(self._held)), self._held.shape[1]), np.float32)
            larger[: self._count] = self.matrix
            self._held = larger
        self._held[self._count : count] = vectors
        self._count = count

    def replace(self, row: int, vector: Floats) -> None:
        self.matrix[row] = vector

    def remove(self, row: int) -> None:
        """Remove a row; the last one takes its place."""
        self.matrix[row] = self.matrix[-1]
        self._count -= 1

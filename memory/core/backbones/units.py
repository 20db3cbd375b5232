"""Memory units with their vectors: what the backbones that write their memory store it in."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from memory.core.ports import Embedder
from memory.core.similarity import nearest_rows
from memory.core.types import MemoryUnit, Triple, Utterance
from memory.core.vectors import GrowingVectors

Floats = NDArray[np.float32]


class UnitStore:
    """Units by row, each with a unit vector. A unit that is removed gives its row to the last one."""

    def __init__(self, embedder: Embedder) -> None:
        self.embed = embedder.embed
        self._vectors = GrowingVectors(embedder.dimension)
        self._units: list[MemoryUnit] = []
        self._rows: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._units)

    def __getitem__(self, unit_id: str) -> MemoryUnit:
        return self._units[self._rows[unit_id]]

    def at(self, row: int) -> MemoryUnit:
        return self._units[row]

    @property
    def vectors(self) -> Floats:
        """The vectors, shape (len, dimension): a view that is good until the next change."""
        return self._vectors.matrix

    def put(self, units: Sequence[MemoryUnit], vectors: Floats) -> None:
        """Add units with their vectors; one whose id is there takes the place of the other."""
        new = [place for place, unit in enumerate(units) if unit.id not in self._rows]
        for place in set(range(len(units))) - set(new):
            row = self._rows[units[place].id]
            self._units[row] = units[place]
            self._vectors.replace(row, vectors[place])
        self._rows |= {units[place].id: len(self) + count for count, place in enumerate(new)}
        self._units += [units[place] for place in new]
        self._vectors.append(vectors[new])

    def write(self, units: Sequence[MemoryUnit]) -> None:
        """Add units with the vectors of their own texts."""
        if units:
            self.put(units, self.embed([unit.text for unit in units]))

    def remove(self, unit_id: str) -> None:
        row, last = self._rows.pop(unit_id), self._units.pop()
        self._vectors.remove(row)
        if last.id != unit_id:
            self._units[row], self._rows[last.id] = last, row

    def nearest(self, vector: Floats, *, limit: int) -> list[MemoryUnit]:
        """Return the units nearest to a vector, best first, with their cosines as scores."""
        rows, found = nearest_rows(vector, self.vectors, limit=limit)
        return [self._scored(row, score) for row, score in zip(rows.tolist(), found.tolist(), strict=True)]

    def ranked(self, scores: Floats, *, limit: int) -> list[MemoryUnit]:
        """Return the `limit` units with the best of the given scores, one a row, ties by lower row."""
        return [self._scored(row, float(scores[row])) for row in best_rows(scores, limit=limit)]

    def _scored(self, row: int, score: float) -> MemoryUnit:
        return replace(self._units[row], score=score)


def best_rows(scores: Floats, *, limit: int) -> list[int]:
    """Return the rows of the highest scores, best first, ties by lower row."""
    if limit < 1 or not len(scores):
        return []
    place = max(len(scores) - limit, 0)
    rows = np.flatnonzero(scores >= np.partition(scores, place)[place])
    best: list[int] = rows[np.lexsort((rows, -scores[rows]))][:limit].tolist()
    return best


def best_of(units: Iterable[MemoryUnit], *, limit: int) -> list[MemoryUnit]:
    """Return the best units of several stores; of those with the same words the best alone."""
    best: dict[str, MemoryUnit] = {}
    for unit in sorted(units, key=lambda unit: -unit.score):
        best.setdefault(unit.text, unit)
    return list(best.values())[: max(limit, 0)]


@dataclass(frozen=True)
class Gist:
    """What utterances come to: a text, and those of the utterances that it rests on."""

    text: str
    rests_on: tuple[Utterance, ...]


class Summariser(Protocol):
    """Sums utterances up, by the role `summarise`."""

    def summarise_many(self, groups: Sequence[Sequence[Utterance]]) -> list[Gist]:
        """Return the gist of each group, which is not empty; a gist has a text and rests on a few utterances."""


class TripleTeller(Protocol):
    def __call__(self, triple: Triple, *, at: datetime) -> str:
        """Return a triple as a sentence, as it stands at a time."""

"""The exact k-nearest-neighbour graph of sentences (SGMem, section 3.3): (c_j, c_j') is an edge if c_j' is in Top-k of c_j.

    sim(c_j, c_j') = cos(e_cj, e_cj')

The lists are exact after every addition and removal. Departures from the paper:

- The paper builds its graph once. Here it grows and shrinks with the dialogue, and each change returns the lists it changed.
- The paper leaves ties open. Of equally similar sentences the one with the lower id is nearer, so that a repeated sentence
  ("ok") displaces no neighbour.
- A similarity is the dot product of the two float32 vectors, summed in float64 in a fixed order (`similarity.py`). BLAS only
  selects candidates, within its error bound.

Sentences with the same vector share one row. Only the list of the row's leader (the sentence with the lowest id) is stored;
another member's list is the leader's with the leader in the member's place.
"""

from bisect import insort
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from memory.core.similarity import (
    LONGEST_VECTOR,
    PAIRS_AT_ONCE,
    Doubles,
    Floats,
    Integers,
    dot_products,
    float32_error,
    similarities,
)
from memory.core.types import Neighbour

NOBODY = np.iinfo(np.int64).max
SMALLEST_CAPACITY = 64
GROUPS_AT_ONCE = 256
ROWS_AT_ONCE = 4_096
ROWS_IN_CACHE = 512
FEW = 8
BYTES_OF_AN_ID = 250  # its entries in the dictionaries, about


def all_neighbours(ids: Sequence[int], vectors: Floats, *, k: int) -> dict[int, list[Neighbour]]:
    """Return each sentence's `k` nearest others, nearest first, computed from the vectors alone (shape (len(ids), d))."""
    return NeighbourGraph(k=k, dimension=vectors.shape[1]).add(ids, vectors)


class _List(NamedTuple):
    """A row's list before a change: its leader then, and the leader's neighbours."""

    leader: int
    near: tuple[Neighbour, ...]


class Glance:
    """Compares vectors with the rows that a graph has now, ahead of their addition, while others go on using the graph.

    It is made while nobody changes the graph; `look` may then run at any time, on any thread. What is added meanwhile is
    compared by `NeighbourGraph.add`; once a row has moved the glance counts for nothing.
    """

    def __init__(self, vectors: Floats, rows: Floats, order: object) -> None:
        self.order = order
        self._vectors = vectors
        self._rows = rows
        self._lines: dict[bytes, Floats] = {}

    def __len__(self) -> int:
        return len(self._rows)

    def look(self) -> "Glance":
        """Compare the vectors with the rows, and return the glance itself."""
        lines = np.empty((len(self._vectors), len(self._rows)), np.float32)
        _approximate(self._vectors, self._rows, lines)
        self._lines = dict(zip(map(_key_of, self._vectors), lines, strict=True))
        return self

    def lines(self, keys: Iterable[bytes]) -> Floats | None:
        """Return the similarities of the vectors to the rows, or None before `look` and for a vector not looked at."""
        lines = [self._lines.get(key) for key in keys]
        found = [line for line in lines if line is not None]
        return np.stack(found) if found and len(found) == len(lines) else None


class NeighbourGraph:
    """The `k` nearest neighbours of every sentence, by id, kept exact while sentences are added and removed.

    An addition costs one pass over the vectors; a removal one pass for every 256 sentences that lose a neighbour. Vectors
    must have length 1, or 0, which has the similarity 0 to everything. Not thread-safe: the owner locks.
    """

    def __init__(self, k: int, dimension: int) -> None:
        if k < 1 or dimension < 1:
            raise ValueError(f"A graph of the {k} nearest needs k and a dimension ({dimension}) of at least 1.")
        self.k = k
        self.dimension = dimension
        self._margin = float32_error(dimension)
        self._forget_all()

    def _forget_all(self) -> None:
        self._order = object()  # another one whenever a row moves
        self._rows = 0
        self._vectors: Floats = np.zeros((0, self.dimension), np.float32)
        self._near_ids: Integers = np.zeros((0, self.k), np.int64)
        self._near: Doubles = np.zeros((0, self.k), np.float64)
        self._own: Doubles = np.zeros(0, np.float64)
        self._floors: Floats = np.zeros(0, np.float32)
        self._leaders: Integers = np.zeros(0, np.int64)
        self._members: list[list[int]] = []
        self._keys: list[bytes] = []
        self._row_by_key: dict[bytes, int] = {}
        self._row_of: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._row_of)

    @property
    def nbytes(self) -> int:
        """Return the approximate memory of the graph in bytes, including spare capacity."""
        arrays = (self._vectors, self._near_ids, self._near, self._own, self._floors, self._leaders)
        return sum(array.nbytes for array in arrays) + BYTES_OF_AN_ID * len(self._row_of)

    def neighbours_of(self, sentence_id: int) -> list[Neighbour]:
        """Return the sentence's nearest neighbours, nearest first. Raises `KeyError` for an unknown id."""
        row = self._row_of[sentence_id]
        return _as_seen_by(sentence_id, self._list(row), float(self._own[row]), self.k)

    def glance(self, vectors: Floats) -> Glance:
        """Return what compares vectors, of shape (n, dimension), with the rows that are there now."""
        return Glance(_without_negative_zeros(vectors), self._vectors[: self._rows], self._order)

    def add(self, ids: Sequence[int], vectors: Floats, *, glance: Glance | None = None) -> dict[int, list[Neighbour]]:
        """Add sentences and return every list that changed, of new and old sentences, by id.

        `vectors` has shape (len(ids), dimension); what a `glance` has compared of them is not compared again. Raises
        `ValueError`, before anything changes, for an id that is there already and for a vector whose length is neither 1
        nor 0.
        """
        vectors = self._checked(ids, vectors)
        groups: dict[bytes, list[int]] = {}
        first: dict[bytes, int] = {}
        for position, sentence_id in enumerate(ids):
            key = _key_of(vectors[position])
            groups.setdefault(key, []).append(sentence_id)
            first.setdefault(key, position)
        before: dict[int, _List] = {}
        keys = list(groups)
        for start in range(0, len(keys), GROUPS_AT_ONCE):
            some = keys[start : start + GROUPS_AT_ONCE]
            of_some = vectors[[first[key] for key in some]]
            self._add_groups({key: sorted(groups[key]) for key in some}, of_some, before, glance)
        changed = self._changed_members(before) | set(ids)
        return {sentence_id: self.neighbours_of(sentence_id) for sentence_id in sorted(changed)}

    def remove(self, ids: Iterable[int]) -> dict[int, list[Neighbour]]:
        """Remove sentences and return every remaining list that changed, by id. Raises `KeyError` for an unknown id."""
        leaving = set(ids)
        rows = {self._row_of[sentence_id] for sentence_id in leaving}
        gone = np.fromiter(leaving, np.int64, len(leaving))
        bereft = np.isin(self._near_ids[: self._rows], gone).any(axis=1)
        headless = np.isin(self._leaders[: self._rows], gone)
        before = {row: self._list(row) for row in np.flatnonzero(bereft | headless).tolist()}
        for sentence_id in leaving:
            del self._row_of[sentence_id]
        for row in rows:
            self._members[row] = [member for member in self._members[row] if member not in leaving]
            self._leaders[row] = self._members[row][0] if self._members[row] else NOBODY
        empty = {row for row in rows if not self._members[row]}
        moved = self._drop_rows(empty)
        before = {moved.get(row, row): was for row, was in before.items() if row not in empty}
        self._refill(np.fromiter(before, np.int64, len(before)))
        return {sentence_id: self.neighbours_of(sentence_id) for sentence_id in sorted(self._changed_members(before))}

    def restore(
        self,
        ids: Sequence[int],
        vectors: Floats,
        lists: Mapping[int, Sequence[Neighbour]],
        *,
        bereft: Iterable[int] = (),
    ) -> dict[int, list[Neighbour]]:
        """Load stored lists; return the lists of the `bereft`, who lost a neighbour since, computed anew.

        No other two sentences are compared. Raises `ValueError`, and leaves the graph empty, where a list has the wrong
        length or names an unknown sentence.
        """
        self._forget_all()
        vectors = self._checked(ids, vectors)
        length = min(self.k, len(ids) - 1)
        known, anew = set(ids), set(bereft)
        for sentence_id in known - anew:
            near = lists.get(sentence_id, ())
            if len(near) != length or any(one.id not in known or one.id == sentence_id for one in near):
                raise ValueError(f"The neighbours of sentence {sentence_id} do not fit {len(ids)} sentences.")
        for sentence_id, vector in zip(ids, vectors, strict=True):
            self._join(_key_of(vector), sentence_id, vector)
        for row, (leader, *_) in enumerate(self._members):
            near = () if leader in anew else lists.get(leader, ())
            self._near_ids[row, : len(near)] = [one.id for one in near]
            self._near[row, : len(near)] = [one.similarity for one in near]
        self._measure_own(0)
        self._set_floors(np.arange(self._rows))
        self._refill(np.flatnonzero(np.isin(self._leaders[: self._rows], list(anew))))
        return {sentence_id: self.neighbours_of(sentence_id) for sentence_id in sorted(anew)}

    def _checked(self, ids: Sequence[int], vectors: Floats) -> Floats:
        shape = (len(ids), self.dimension)
        if vectors.shape != shape:
            raise ValueError(f"{len(ids)} sentences need vectors of shape {shape}, not {vectors.shape}.")
        present = [sentence_id for sentence_id in ids if sentence_id in self._row_of]
        if present or len(set(ids)) != len(ids):
            raise ValueError(f"A sentence is added once; {present[:5] or 'some id'} is here twice.")
        lengths = np.linalg.norm(vectors, axis=1)
        if not (lengths <= LONGEST_VECTOR).all():
            raise ValueError(f"A vector of length {lengths[~(lengths <= LONGEST_VECTOR)][0]} is no unit vector.")
        return _without_negative_zeros(vectors)

    def _add_groups(
        self, groups: Mapping[bytes, list[int]], vectors: Floats, before: dict[int, _List], glance: Glance | None
    ) -> None:
        """Add sentences grouped by vector. `before` receives the list of each row that changes, as it was before."""
        old = self._rows
        for (key, members), vector in zip(groups.items(), vectors, strict=True):
            row = self._row_by_key.get(key)
            if row is not None and members[0] < self._leaders[row]:
                before.setdefault(row, self._list(row))
                self._offer(np.array([row]), self._leaders[[row]], self._own[[row]])
            for member in members:
                self._join(key, member, vector)
        self._measure_own(old)
        nearness = self._nearness(vectors, glance.lines(groups) if glance and glance.order is self._order else None)
        positions, rows = np.nonzero(nearness[:, :old] >= self._floors[:old])
        offers = self._entering(rows, positions, vectors, list(groups.values()))
        for row in np.unique(offers[0]).tolist():
            before.setdefault(row, self._list(row))
        self._offer(*offers)
        is_new = np.array([self._row_by_key[key] >= old for key in groups])
        self._fill(np.arange(old, self._rows), nearness[is_new])

    def _entering(
        self, rows: Integers, positions: Integers, vectors: Floats, groups: Sequence[list[int]]
    ) -> tuple[Integers, Integers, Doubles]:
        """Return which new sentences may enter which rows' lists, as arrays of rows, ids and similarities."""
        similarities = np.zeros(len(rows))
        for start in range(0, len(rows), PAIRS_AT_ONCE):
            part = slice(start, start + PAIRS_AT_ONCE)
            similarities[part] = dot_products(self._vectors[rows[part]], vectors[positions[part]])
        last_ids, last = self._near_ids[rows, -1], self._near[rows, -1]
        found: list[tuple[Integers, Integers, Doubles]] = []
        for turn in range(min(self.k + 1, max(map(len, groups)))):  # one of them may lead the row
            entrants = np.array([members[turn] if turn < len(members) else NOBODY for members in groups])[positions]
            enters = (similarities > last) | ((similarities == last) & (entrants < last_ids))
            enters &= (entrants != NOBODY) & (entrants != self._leaders[rows])
            found.append((rows[enters], entrants[enters], similarities[enters]))
        entered_rows, ids, values = (np.concatenate(column) for column in zip(*found, strict=True))
        return entered_rows, ids, values

    def _offer(self, rows: Integers, ids: Integers, similarities: Doubles) -> None:
        """Insert sentences into the rows' lists where they are among the nearest. None may be in the list already."""
        touched, place = np.unique(rows, return_inverse=True)
        places = np.concatenate([np.repeat(np.arange(len(touched)), self.k), place])
        all_ids = np.concatenate([self._near_ids[touched].ravel(), ids])
        values = np.concatenate([self._near[touched].ravel(), similarities])
        order = np.lexsort((all_ids, -values, places))
        starts = np.searchsorted(places[order], np.arange(len(touched)))
        kept = order[starts[:, None] + np.arange(self.k)]
        self._near_ids[touched], self._near[touched] = all_ids[kept], values[kept]
        self._set_floors(touched)

    def _refill(self, rows: Integers) -> None:
        for start in range(0, len(rows), GROUPS_AT_ONCE):
            some = rows[start : start + GROUPS_AT_ONCE]
            self._fill(some, self._nearness(self._vectors[some]))

    def _fill(self, rows: Integers, nearness: Floats) -> None:
        """Compute the rows' lists anew. `nearness` are approximate similarities of shape (len(rows), all rows)."""
        kth = self._rows - self.k - 1  # the row itself is one of those that are nearest to it
        for row, line in zip(rows.tolist(), nearness, strict=True):
            threshold = np.partition(line, kth)[kth] - 2 * self._margin if kth > 0 else -np.inf
            candidates = np.flatnonzero(line >= threshold)
            candidates = candidates[candidates != row]
            values = similarities(self._vectors[row], self._vectors, candidates)
            # The k nearest sentences are in the k nearest groups, of equal ones those with the lower leaders.
            best = np.lexsort((self._leaders[candidates], -values))[: self.k]
            found = [
                Neighbour(id=member, similarity=float(self._own[row])) for member in self._members[row][1:][: self.k]
            ]
            for group, value in zip(candidates[best].tolist(), values[best].tolist(), strict=True):
                found += [Neighbour(id=member, similarity=value) for member in self._members[group][: self.k]]
            found = sorted(found, key=_nearest_first)[: self.k]
            self._near_ids[row], self._near[row] = NOBODY, -np.inf
            self._near_ids[row, : len(found)] = [one.id for one in found]
            self._near[row, : len(found)] = [one.similarity for one in found]
        self._set_floors(rows)

    def _nearness(self, vectors: Floats, known: Floats | None = None) -> Floats:
        """Return the similarities of vectors to all rows, within the error margin, of shape (vectors, rows).

        `known` are those to the first rows.
        """
        found = np.empty((len(vectors), self._rows), np.float32)
        looked_at = 0 if known is None else known.shape[1]
        if known is not None:
            found[:, :looked_at] = known
        _approximate(vectors, self._vectors[looked_at : self._rows], found[:, looked_at:])
        return found

    def _set_floors(self, rows: Integers) -> None:
        """Set the lowest approximate similarity with which a new sentence may still enter a row's list."""
        lowest = (self._near[rows, -1] - self._margin).astype(np.float32)
        self._floors[rows] = np.nextafter(lowest, np.float32(-np.inf))

    def _measure_own(self, start: int) -> None:
        for begin in range(start, self._rows, PAIRS_AT_ONCE):
            part = slice(begin, min(begin + PAIRS_AT_ONCE, self._rows))
            self._own[part] = dot_products(self._vectors[part], self._vectors[part])

    def _list(self, row: int) -> _List:
        pairs = zip(self._near_ids[row].tolist(), self._near[row].tolist(), strict=True)
        near = tuple(Neighbour(id=one, similarity=value) for one, value in pairs if one != NOBODY)
        return _List(leader=int(self._leaders[row]), near=near)

    def _changed_members(self, before: Mapping[int, _List]) -> set[int]:
        """Return the sentences of the rows whose lists differ from `before`."""
        changed: set[int] = set()
        for row, was in before.items():
            now, own, members = self._list(row), float(self._own[row]), self._members[row]
            if now == was:
                continue
            named = {was.leader, now.leader, *(one.id for one in was.near), *(one.id for one in now.near)}
            if _as_seen_by(NOBODY, was, own, self.k) != _as_seen_by(NOBODY, now, own, self.k):
                changed.update(member for member in members if member not in named)
            for member in named:
                if self._row_of.get(member) == row:
                    if _as_seen_by(member, was, own, self.k) != _as_seen_by(member, now, own, self.k):
                        changed.add(member)
        return changed

    def _join(self, key: bytes, sentence_id: int, vector: Floats) -> None:
        row = self._row_by_key.get(key)
        if row is None:
            row = self._rows
            self._reserve(row + 1)
            self._vectors[row], self._near_ids[row] = vector, NOBODY
            self._near[row] = self._floors[row] = -np.inf
            self._members.append([])
            self._keys.append(key)
            self._row_by_key[key] = row
            self._rows += 1
        insort(self._members[row], sentence_id)
        self._leaders[row] = self._members[row][0]
        self._row_of[sentence_id] = row

    def _reserve(self, rows: int) -> None:
        if rows > len(self._vectors):
            capacity = max(SMALLEST_CAPACITY, 2 * len(self._vectors), rows)
            for name in ("_vectors", "_near_ids", "_near", "_own", "_floors", "_leaders"):
                array = getattr(self, name)
                larger = np.zeros((capacity, *array.shape[1:]), array.dtype)
                larger[: self._rows] = array[: self._rows]
                setattr(self, name, larger)

    def _drop_rows(self, rows: Iterable[int]) -> dict[int, int]:
        """Remove rows, filling the gaps with the last rows; return the new place of each moved row."""
        self._order = object()
        moved: dict[int, int] = {}
        origins: dict[int, int] = {}
        for row in sorted(rows, reverse=True):
            last = self._rows - 1
            del self._row_by_key[self._keys[row]]
            if row != last:
                for array in (self._vectors, self._near_ids, self._near, self._own, self._floors, self._leaders):
                    array[row] = array[last]
                self._members[row], self._keys[row] = self._members[last], self._keys[last]
                self._row_by_key[self._keys[row]] = row
                self._row_of.update(dict.fromkeys(self._members[row], row))
                origins[row] = origins.pop(last, last)
                moved[origins[row]] = row
            self._members.pop()
            self._keys.pop()
            self._rows = last
        return moved


def _approximate(vectors: Floats, rows: Floats, found: Floats) -> None:
    """Put the similarities of vectors to rows, within the error margin, into `found`, of shape (vectors, rows)."""
    at_once = ROWS_IN_CACHE if len(vectors) <= FEW else ROWS_AT_ONCE
    for start in range(0, len(rows), at_once):
        part = slice(start, start + at_once)
        if len(vectors) <= FEW:  # a matrix product would copy the rows first
            for position, vector in enumerate(vectors):
                found[position, part] = rows[part] @ vector
        else:
            found[:, part] = vectors @ rows[part].T


def _without_negative_zeros(vectors: Floats) -> Floats:
    return np.asarray(vectors, np.float32, order="C") + np.float32(0)


def _as_seen_by(sentence_id: int, row: _List, own: float, k: int) -> list[Neighbour]:
    """Return a member's list: the leader's, with the leader in place of the member. `NOBODY` is any other member."""
    if sentence_id == row.leader:
        return list(row.near)
    others = [one for one in row.near if one.id != sentence_id]
    return sorted([*others, Neighbour(id=row.leader, similarity=own)], key=_nearest_first)[:k]


def _nearest_first(neighbour: Neighbour) -> tuple[float, int]:
    return -neighbour.similarity, neighbour.id


def _key_of(vector: Floats) -> bytes:
    return blake2b(vector.tobytes(), digest_size=16).digest()

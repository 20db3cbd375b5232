"""Keeps the sentence graphs of spaces in this process's memory, dropping the least recently used.

A caller takes a space's graph out, brings it up to date from the database, and gives it back once its changes are committed.
A graph that is not given back is read from the database the next time, so memory never runs ahead of the database. Two
concurrent callers work on a copy each.
"""

from __future__ import annotations

import struct
import threading
from collections import OrderedDict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from memory.core.sentence_graph.neighbours import Glance, NeighbourGraph
from memory.core.types import Neighbour
from memory.models import SentenceEdge, SentenceRecord, Space
from memory.models.dialogue import EMBEDDING_DIMENSION

# The larger of the paper's presets; who wants the nearest alone reads rank 0.
NEIGHBOURS = 3
READ_AT_ONCE = 5000
COPY_HEADER_LENGTH = 19
Vectors = NDArray[np.float32]
Lists = dict[int, list[Neighbour]]
NO_VECTORS: Vectors = np.zeros((0, EMBEDDING_DIMENSION), np.float32)

SENTENCE_COPY = """
copy (
    select id, embedding from memory_sentencerecord
    where space_id = {space} and id > {after} and id <= {until} and is_evidence and embedding is not null
    order by id limit {limit}
) to stdout (format binary)
"""
BROKEN_LISTS = """
select sentence.id from memory_sentencerecord sentence left join memory_sentenceedge edge on edge.sentence_id = sentence.id
where sentence.space_id = %(space)s and sentence.id <= %(until)s and sentence.is_evidence
group by sentence.id having count(edge.id) < %(length)s or max(edge.rank) >= count(edge.id)
"""
# A row in PostgreSQL's binary form: how many columns, then each behind its length; a vector begins with its dimension.
SENTENCE_ROW = np.dtype(
    [
        ("columns", ">i2"),
        ("id_length", ">i4"),
        ("id", ">i8"),
        ("vector_length", ">i4"),
        ("dimension", ">i2"),
        ("unused", ">i2"),
        ("vector", ">f4", (EMBEDDING_DIMENSION,)),
    ]
)


@dataclass
class SpaceNeighbours:
    """A space's graph as far as it was read: sentences up to the id `last`, without those removed up to `revision`.

    `unwritten` are the sentences whose lists differ from the database.
    """

    space_id: int
    embedder: str
    revision: int
    last: int = 0
    graph: NeighbourGraph = field(default_factory=lambda: NeighbourGraph(k=NEIGHBOURS, dimension=EMBEDDING_DIMENSION))
    ids: set[int] = field(default_factory=set)
    unwritten: set[int] = field(default_factory=set)

    @classmethod
    def restored(cls, space: Space) -> SpaceNeighbours:
        """Return the graph of the edges in the database. Lists that lost a neighbour are computed anew."""
        held = cls(space.pk, space.embedder, space.index_revision, last=space.linked_until)
        pages = list(vectors_between(space.pk, 0, space.linked_until))
        ids = [sentence_id for page, _ in pages for sentence_id in page]
        vectors = np.concatenate([page for _, page in pages]) if pages else NO_VECTORS
        del pages
        held.ids.update(ids)
        lists = edges_of(space.pk, held.ids)
        length = min(NEIGHBOURS, len(ids) - 1)
        short = {sentence_id for sentence_id in ids if len(lists.get(sentence_id, ())) < length}
        held.unwritten = short | held.broken_lists()
        held.graph.restore(ids, vectors, lists, bereft=held.unwritten)
        return held

    def catch_up(self, space: Space) -> None:
        """Apply what other processes added and removed meanwhile."""
        for ids, vectors in vectors_between(self.space_id, self.last, space.linked_until):
            self.graph.add(ids, vectors)
            self.ids.update(ids)
        self.last = max(self.last, space.linked_until)
        if self.revision != space.index_revision:
            there = SentenceRecord.objects.filter(space=self.space_id, id__lte=self.last, is_evidence=True)
            gone = self.ids.difference(there.order_by().values_list("id", flat=True))
            self.graph.remove(gone)
            self.ids -= gone
            self.unwritten -= gone
            # Not what changed here: another process may have linked what is gone, and never told this one.
            self.unwritten |= self.broken_lists()
            self.revision = space.index_revision

    def broken_lists(self) -> set[int]:
        """Return the sentences whose stored lists lost a neighbour: too short, or with a missing rank."""
        length = min(NEIGHBOURS, len(self.ids) - 1)
        with connection.cursor() as cursor:
            cursor.execute(BROKEN_LISTS, {"space": self.space_id, "until": self.last, "length": length})
            return self.ids.intersection(sentence_id for (sentence_id,) in cursor.fetchall())

    def link(self, ids: Sequence[int], vectors: Vectors, *, until: int, glance: Glance | None = None) -> None:
        """Add new sentences, the evidence up to an id; their ids are higher than all present ones."""
        if ids:
            self.unwritten |= self.graph.add(ids, vectors, glance=glance).keys()
            self.ids.update(ids)
        self.last = until

    def lists_to_write(self) -> Lists:
        return {sentence_id: self.graph.neighbours_of(sentence_id) for sentence_id in self.unwritten}


class NeighbourGraphs:
    """Holds graphs of spaces up to `limit_bytes` together; the last used one stays whatever its size."""

    def __init__(self, limit_bytes: int) -> None:
        self._limit_bytes = limit_bytes
        self._held: OrderedDict[int, SpaceNeighbours] = OrderedDict()
        self._guard = threading.Lock()

    def take(self, space: Space) -> SpaceNeighbours:
        """Return the space's graph, up to date; nobody else gets it until it is given back."""
        with self._guard:
            held = self._held.pop(space.pk, None)
        if held is None or held.embedder != space.embedder or held.last > space.linked_until:
            held = SpaceNeighbours.restored(space)
        held.catch_up(space)
        return held

    def glance(self, space_id: int, vectors: Vectors) -> Glance | None:
        """Return what compares vectors with a space's graph while others use it, or None where it is not in memory."""
        with self._guard:
            held = self._held.get(space_id)
            return None if held is None else held.graph.glance(vectors)

    def give_back(self, held: SpaceNeighbours) -> None:
        """Keep a graph all of whose lists are in the database now."""
        held.unwritten = set()
        with self._guard:
            self._held[held.space_id] = held
            self._held.move_to_end(held.space_id)
            sizes = {space_id: one.graph.nbytes for space_id, one in self._held.items()}
            while len(self._held) > 1 and sum(sizes.values()) > self._limit_bytes:
                dropped, _ = self._held.popitem(last=False)
                del sizes[dropped]

    def __contains__(self, space_id: object) -> bool:
        return space_id in self._held

    @property
    def nbytes(self) -> int:
        with self._guard:
            return sum(held.graph.nbytes for held in self._held.values())


def vectors_between(space_id: int, after: int, until: int) -> Iterator[tuple[list[int], Vectors]]:
    """Yield the sentences of a space with after < id <= until that have vectors, in batches, by id."""
    while after < until:
        statement = SENTENCE_COPY.format(space=int(space_id), after=int(after), until=int(until), limit=READ_AT_ONCE)
        with connection.cursor() as cursor, cursor.copy(statement) as copy:
            content = b"".join(bytes(part) for part in copy)
        (extension,) = struct.unpack_from(">i", content, COPY_HEADER_LENGTH - 4)
        begin = COPY_HEADER_LENGTH + extension
        rows = np.frombuffer(
            content, SENTENCE_ROW, count=(len(content) - begin - 2) // SENTENCE_ROW.itemsize, offset=begin
        )
        if not len(rows):
            return
        yield rows["id"].tolist(), rows["vector"].astype(np.float32)
        after = int(rows["id"][-1]) if len(rows) == READ_AT_ONCE else until


def edges_of(space_id: int, sentence_ids: Collection[int]) -> Lists:
    """Return the stored lists of a space, nearest first, without neighbours outside of the given sentences."""
    lists: Lists = {}
    rows = SentenceEdge.objects.filter(space=space_id).order_by("sentence", "rank")
    for sentence_id, neighbour_id, similarity in rows.values_list("sentence_id", "neighbour_id", "similarity").iterator(
        chunk_size=READ_AT_ONCE
    ):
        if neighbour_id in sentence_ids:
            lists.setdefault(sentence_id, []).append(Neighbour(neighbour_id, similarity))
    return lists

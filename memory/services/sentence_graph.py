"""The sentence graph of a space, kept up to date (SGMem, section 3.3): its edges, and the indexes of its chunks.

A round's stage indexes the round and links its sentences. Whatever takes sentences out takes their edges, vectors, words and
digests along in its own transaction and promises a task (`indexing`); a list that lost a neighbour is short until that task,
or the next round, has completed it. Departures from the paper: it builds its graph once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cache
from itertools import takewhile
from typing import Any

import numpy as np
from django.conf import settings
from django.db import transaction
from django.db.models import F

from memory import bootstrap
from memory.core.errors import EmbedderChanged
from memory.models import DigestRecord, OutboxRecord, Round, SentenceEdge, SentenceRecord, Space
from memory.services import chunk_index
from memory.stores.neighbour_graphs import NeighbourGraphs, SpaceNeighbours
from memory.stores.space_embedder import changed_sentence

INDEX_TASK = "memory.index_space"
INDEX_QUEUE = "maintenance"
# A round waits for no more old sentences than this to be linked before its own; the task links so many a step.
STEP = 500
EDGES_AT_ONCE = 1000
MEGABYTE = 1024 * 1024
Write = Callable[[], None]


@cache
def graphs() -> NeighbourGraphs:
    """Return the graphs that this process holds."""
    return NeighbourGraphs(int(settings.DSMART_SENTENCE_GRAPHS_MB * MEGABYTE))


def index_round(round: Round) -> Write:
    """Embed a round, its turns and windows, and find the edges of its sentences."""
    space = space_state(round.space_id)
    entry = chunk_index.round_read(
        round, space=space, embedder=bootstrap.space_embedder(space.pk, known=space.embedder)
    )
    waiting = sentences_to_link(space)
    held = linked(space, waiting) if len(waiting) <= STEP else None

    def write() -> None:
        now = space_state(round.space_id)
        is_indexed = chunk_index.round_write(entry, revision=now.index_revision)
        if held is not None:
            edges_write(held, now)
        if held is None or not is_indexed:
            index_promise(round.space_id)

    return write


def space_state(space_id: int) -> Space:
    """Return what the indexes need to know of a space as it is now."""
    return Space.objects.only("embedder", "index_revision", "linked_until", "is_indexed").get(pk=space_id)


def sentences_to_link(space: Space) -> list[tuple[int, Any]]:
    """Return ids and vectors of the first sentences that are not linked, up to the first one that lacks a vector."""
    rows = SentenceRecord.objects.filter(space=space, pk__gt=space.linked_until).order_by("pk")
    return list(takewhile(lambda row: row[1] is not None, rows.values_list("pk", "embedding")[: STEP + 1]))


def linked(space: Space, sentences: Collection[tuple[int, Any]]) -> SpaceNeighbours:
    """Return the space's graph with new sentences in it, for `edges_write`."""
    held = graphs().take(space)
    if sentences:
        ids, vectors = zip(*sentences, strict=True)
        held.link(ids, np.array(vectors, np.float32))
    return held


def edges_write(held: SpaceNeighbours, space: Space) -> None:
    """Write the lists that changed, in the caller's transaction, which holds the space's lock; keep the graph if it commits.

    `space` is as it is under the lock: what went since the graph was read goes from it first.
    """
    held.catch_up(space)
    lists = held.lists_to_write()
    SentenceEdge.objects.filter(sentence__in=list(lists)).delete()
    SentenceEdge.objects.bulk_create(
        (
            SentenceEdge(
                space_id=held.space_id,
                sentence_id=sentence_id,
                neighbour_id=neighbour.id,
                rank=rank,
                similarity=neighbour.similarity,
            )
            for sentence_id, neighbours in lists.items()
            for rank, neighbour in enumerate(neighbours)
        ),
        batch_size=EDGES_AT_ONCE,
    )
    if held.last > space.linked_until:
        Space.objects.filter(pk=held.space_id).update(linked_until=held.last)
    transaction.on_commit(lambda: graphs().give_back(held))


def words_withdraw(space_id: int, *, round_ids: Collection[int], sentence_ids: Collection[int] | None = None) -> None:
    """Take sentences of rounds out of all indexes before they are deleted, in the same transaction; without ids, all.

    Their edges go with their rows. What else is to be made anew without them is promised.
    """
    if not round_ids:
        return
    gone = SentenceRecord.objects.filter(turn__round__in=round_ids)
    if sentence_ids is not None:
        gone = gone.filter(pk__in=sentence_ids)
    digests_withdraw(set(DigestRecord.objects.filter(sentences__in=gone).values_list("pk", flat=True)))
    chunk_index.chunks_withdraw(space_id, round_ids)
    index_promise(space_id)


def digests_withdraw(digest_ids: set[int]) -> None:
    """Delete digests and whatever was merged of them."""
    found, last = set(digest_ids), digest_ids
    while last:
        last = set(DigestRecord.objects.filter(merges__in=last).values_list("pk", flat=True)) - found
        found |= last
    DigestRecord.objects.filter(pk__in=found).delete()


def index_promise(space_id: int) -> None:
    """Promise, in the caller's transaction, that what the space's indexes lack will be made; copies of them are outdated."""
    Space.objects.filter(pk=space_id).update(is_indexed=False, index_revision=F("index_revision") + 1)
    OutboxRecord.objects.create(task=INDEX_TASK, arguments={"space_id": space_id}, queue=INDEX_QUEUE)


def embedder_claim(space_id: int, name: str) -> None:
    """Note what makes the space's vectors, in the transaction that writes some. Raises `EmbedderChanged` if others did."""
    known = Space.objects.values_list("embedder", flat=True).get(pk=space_id)
    if known not in ("", name):
        raise EmbedderChanged(changed_sentence(known, name))
    if not known:
        Space.objects.filter(pk=space_id).update(embedder=name)

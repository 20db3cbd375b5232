"""The sentence graph of a space, kept up to date (SGMem, section 3.3): its edges, and the indexes of its chunks.

A round's stage links its sentences and reads its session. Whatever takes sentences out takes their edges, vectors, words and
digests along in its own transaction and promises a task (`indexing`); a list that lost a neighbour is short until that task,
or the next round, has completed it. Departures from the paper: it builds its graph once.
"""

from collections.abc import Collection, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from itertools import takewhile

import numpy as np
from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet

from memory.core.errors import EmbedderChanged
from memory.core.sentence_graph.neighbours import FEW, Glance
from memory.models import DigestRecord, MaintenanceState, OutboxRecord, SentenceEdge, SentenceRecord, Space
from memory.services import chunk_index, session_index
from memory.services.round_words import RoundReading, Write
from memory.services.session_index import UnreadSession
from memory.services.step_times import step
from memory.stores.neighbour_graphs import NeighbourGraphs, SpaceNeighbours, Vectors
from memory.stores.rows import changed_sentence

INDEX_TASK = "memory.index_space"
INDEX_QUEUE = "maintenance"
# A round waits for no more old sentences than this to be linked before its own; the task links so many a step.
STEP = 500
EDGES_AT_ONCE = 1000
MEGABYTE = 1024 * 1024
# Fewer rows are compared in less time than a thread takes to begin.
WORTH_A_GLANCE = 5_000


@cache
def graphs() -> NeighbourGraphs:
    """Return the sentence graphs in this process's memory."""
    return NeighbourGraphs(int(settings.DSMART_SENTENCE_GRAPHS_MB * MEGABYTE))


@cache
def glances() -> ThreadPoolExecutor:
    """Return the thread that compares new sentences with a space's while they are being stored."""
    return ThreadPoolExecutor(1, thread_name_prefix="glances")


def glance_begin(reading: RoundReading, sentences: Sequence[SentenceRecord]) -> None:
    """Begin to compare a round's few sentences, not stored yet, with those of the space, for `link_words`.

    A round that is only heard is linked later, from its rows.
    """
    evidence = [row for row in sentences if row.is_evidence]
    if 0 < len(evidence) <= FEW and reading.round.maintenance != MaintenanceState.HEARING:
        glance = graphs().glance(reading.space.pk, vectors_of(evidence))
        if glance is not None and len(glance) >= WORTH_A_GLANCE:
            reading.glance = glances().submit(glance.look)


def link_words(reading: RoundReading) -> Write:
    """Find the edges of a round's sentences, and read its session where that has grown by as much again.

    The encoder reads while edges are found: both are arithmetic for many milliseconds, on a core each.
    """
    space, (due, waiting) = reading.space, reading.once(words_to_link)
    with ThreadPoolExecutor(1, thread_name_prefix="sessions") as helper:
        embedding = helper.submit(session_index.sessions_embedded, due, space)
        with step("edges"):
            held = linked(space, waiting, glance=reading.glance) if waiting is not None else None
        with step("sessions"):
            sessions = embedding.result()

    def write(now: Space) -> None:
        if now.index_revision == space.index_revision:
            session_index.sessions_write(sessions)
        if held is not None:
            with step("edges"):
                edges_write(held, now)
        elif now.is_indexed:
            index_promise(space.pk)

    return write


def words_to_link(reading: RoundReading) -> tuple[list[UnreadSession], list[SentenceRecord] | None]:
    """Return the sessions that are to be read anew, and the sentences that are to be linked."""
    with step("sessions"):
        due = session_index.sessions_due(reading.round, reading.space)
    with step("edges"):
        return due, waiting_with(reading, reading.space)


def waiting_with(reading: RoundReading, space: Space) -> list[SentenceRecord] | None:
    """Return the sentences to link up to the round's, or None where they are more than a round should wait for.

    Where they are the round's own, the vectors that were just made are not read again.
    """
    ids = list(unlinked(space).values_list("pk", flat=True)[: STEP + 1])
    if len(ids) > STEP:
        return None
    at_hand = {row.pk: row for row in reading.sentences if "embedding" not in row.get_deferred_fields()}
    return [at_hand[pk] for pk in ids] if at_hand.keys() >= set(ids) else sentences_to_link(space, limit=STEP)


def sentences_to_link(space: Space, *, limit: int) -> list[SentenceRecord]:
    """Return the first sentences without edges, up to the first one without a vector; not only evidence."""
    return list(
        takewhile(lambda row: row.embedding is not None, unlinked(space).only("is_evidence", "embedding")[:limit])
    )


def unlinked(space: Space) -> QuerySet[SentenceRecord]:
    return SentenceRecord.objects.filter(space=space, pk__gt=space.linked_until).order_by("pk")


def linked(
    space: Space, sentences: Sequence[SentenceRecord], *, glance: Future[Glance] | None = None
) -> SpaceNeighbours:
    """Return the space's graph with the evidence among new sentences in it, for `edges_write`.

    A `glance` that has not begun is not waited for.
    """
    held = graphs().take(space)
    if sentences:
        evidence = [row for row in sentences if row.is_evidence]
        seen = None if glance is None or glance.cancel() else glance.result()
        held.link([row.pk for row in evidence], vectors_of(evidence), until=sentences[-1].pk, glance=seen)
    return held


def vectors_of(sentences: Sequence[SentenceRecord]) -> Vectors:
    return np.array([row.embedding for row in sentences], np.float32)


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
    """Remove sentences of rounds from all indexes before they are deleted, in the same transaction; without ids, all of them.

    Their edges are deleted with their rows. The indexes to complete are queued.
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
    """Delete digests and the insights that merged them."""
    found, last = set(digest_ids), digest_ids
    while last:
        last = set(DigestRecord.objects.filter(merges__in=last).values_list("pk", flat=True)) - found
        found |= last
    DigestRecord.objects.filter(pk__in=found).delete()


def index_promise(space_id: int) -> None:
    """Queue, in the caller's transaction, the completion of the space's indexes, and mark copies of them as outdated."""
    Space.objects.filter(pk=space_id).update(is_indexed=False, index_revision=F("index_revision") + 1)
    OutboxRecord.objects.create(task=INDEX_TASK, arguments={"space_id": space_id}, queue=INDEX_QUEUE)


def embedder_claim(space: Space, name: str) -> None:
    """Record which embedder makes a space's vectors, in the transaction that writes some.

    `space` is read under its lock. Raises `EmbedderChanged` if another embedder made earlier ones.
    """
    if space.embedder not in ("", name):
        raise EmbedderChanged(changed_sentence(space.embedder, name))
    if not space.embedder:
        space.embedder = name
        space.save(update_fields=["embedder"])

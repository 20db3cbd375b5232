"""Completes a space's indexes in the background, in bounded steps under the space's lease, each committed by itself.

This completes neighbour lists after forgetting, builds the sentence graph of memories of an earlier version, and embeds anew
after a change of the embedder. A step that is done is not repeated, so a killed worker loses one step.
"""

import logging
import time
from collections.abc import Callable

from django.db.models import QuerySet
from django.utils import timezone

from memory import bootstrap
from memory.core.errors import MemoryCoreError
from memory.models import DigestRecord, SentenceRecord, Space
from memory.services import chunk_index, session_index
from memory.services.dialogue import maintenance_enqueue
from memory.services.leases import Lease, LeaseLost
from memory.services.maintenance import next_round, space_lease_take
from memory.services.round_words import RoundReading, space_state
from memory.services.sentence_graph import (
    STEP,
    edges_write,
    embedder_claim,
    graphs,
    index_promise,
    linked,
    sentences_to_link,
)

logger = logging.getLogger(__name__)

EMBEDDED_AT_ONCE = 64
TASK_SECONDS = 10.0
Step = Callable[[Space, Lease], int]


def space_index(*, space_id: int, seconds: float = TASK_SECONDS) -> bool:
    """Complete the space's indexes for at most `seconds`, and return whether nothing is left.

    Returns False at once while another worker holds the space. Pending rounds go first. The rest is queued again.
    """
    lease = space_lease_take(space_id)
    if lease is None:
        return False
    is_whole, until = False, time.monotonic() + seconds
    try:
        with lease.kept_alive():
            while not is_whole and time.monotonic() < until and next_round(space_id) is None:
                is_whole = not step_take(space_id, lease)
    except (Space.DoesNotExist, LeaseLost):
        return False
    except MemoryCoreError as error:
        logger.warning("The indexes of space %s stay as they are: %s", space_id, error)
        return False
    finally:
        lease.release()
    if next_round(space_id) is not None:
        maintenance_enqueue(space_id=space_id)
    if not is_whole:
        index_promise(space_id)
    return is_whole


def step_take(space_id: int, lease: Lease) -> int:
    """Take the next step and return the number of rows that it made; 0 where nothing is left."""
    space = space_state(space_id)
    bootstrap.space_embedder(space_id).check()
    for step in STEPS:
        made = step(space, lease)
        if made:
            return made
    with lease.committing():
        # Whatever was promised meanwhile is still to be done.
        Space.objects.filter(pk=space_id, index_revision=space.index_revision).update(is_indexed=True)
    return 0


def embed_sentences(space: Space, lease: Lease) -> int:
    return rows_embed(SentenceRecord.objects.filter(space=space), space, lease)


def embed_digests(space: Space, lease: Lease) -> int:
    return rows_embed(DigestRecord.objects.filter(space=space), space, lease)


def rows_embed(rows: QuerySet, space: Space, lease: Lease) -> int:
    """Embed the first rows without a vector."""
    lacking = list(rows.filter(embedding=None).order_by("pk").only("pk", "text")[:EMBEDDED_AT_ONCE])
    if not lacking:
        return 0
    embedder = bootstrap.space_embedder(space.pk)
    for row, vector in zip(lacking, embedder.embed([row.text for row in lacking]), strict=True):
        row.embedding = vector
    with lease.committing():
        embedder_claim(space_state(space.pk), embedder.name)
        rows.model._default_manager.bulk_update(lacking, ["embedding"])
    return len(lacking)


def index_rounds(space: Space, lease: Lease) -> int:
    rounds = chunk_index.rounds_to_index(space.pk)
    for round in rounds:
        entry = chunk_index.round_read(RoundReading(round, space), embedder=bootstrap.space_embedder(space.pk))
        with lease.committing():
            if not chunk_index.round_write(entry, revision=space_state(space.pk).index_revision):
                break
    return len(rounds)


def index_sessions(space: Space, lease: Lease) -> int:
    read = session_index.sessions_embedded(session_index.sessions_unread(space), space)
    with lease.committing():
        if space_state(space.pk).index_revision == space.index_revision:
            session_index.sessions_write(read)
    return len(read)


def link_sentences(space: Space, lease: Lease) -> int:
    """Compute the edges of the first sentences without them, and complete the lists that lost a neighbour."""
    waiting = sentences_to_link(space, limit=STEP)
    held = linked(space, waiting)
    made = len(held.unwritten) or len(waiting)
    with lease.committing():
        if made:
            edges_write(held, space_state(space.pk))
    if not made:
        graphs().give_back(held)
    return made


STEPS: tuple[Step, ...] = (embed_sentences, embed_digests, index_rounds, index_sessions, link_sentences)


def spaces_to_index() -> QuerySet[Space]:
    """Return the spaces whose indexes are incomplete, can be completed, and are nobody's work now."""
    ours = Space.objects.filter(is_indexed=False, embedder__in=("", bootstrap.embedder().name))
    return ours.exclude(maintenance_until__gte=timezone.now()).order_by("pk")

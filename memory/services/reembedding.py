"""Embeds a space anew after a change of the embedder.

The old vectors are deleted first, in one transaction: from then on the space belongs to the new embedder and lacks vectors,
which the steps of the index make, a few at a time. After a kill, the background task or the next call goes on.
"""

from collections.abc import Callable

from django.conf import settings
from django.db.models import F, Q, QuerySet

from memory import bootstrap
from memory.models import (
    DigestRecord,
    LexiconRecord,
    MaintenanceState,
    Round,
    RoundVector,
    SentenceEdge,
    SentenceRecord,
    SessionPosting,
    SessionVector,
    Space,
    TurnVector,
    WordPosting,
    WordRecord,
)
from memory.services.indexing import step_take
from memory.services.leases import lease_wait
from memory.services.maintenance import WRITER, maintenance_retry, space_rows
from memory.stores.rows import REEMBED, dimension_check

LEASES_WAITED = 4


class SpaceBusy(Exception):
    """Raised where another worker kept the space for too long. The message is a sentence for the person who asked."""


def spaces_to_reembed() -> QuerySet[Space]:
    """Return the spaces with vectors of another embedder, or with missing ones."""
    is_foreign = ~Q(embedder__in=("", bootstrap.embedder().name))
    return Space.objects.filter(is_foreign | Q(is_indexed=False)).order_by("pk")


def space_reembed(*, space: Space, on_left: Callable[[int], object] = lambda left: None) -> None:
    """Make everything that the space's indexes lack with the present embedder, and process failed rounds again.

    `on_left` is called with the number of missing rows, at first and after each step. Raises `ModelUnfit` for an embedder
    whose vectors do not fit, before anything is deleted, and `SpaceBusy`.
    """
    embedder = bootstrap.embedder()
    dimension_check(embedder)
    lease = lease_wait(space_rows(space.pk), name=WRITER, within_s=LEASES_WAITED * settings.DSMART_LEASE_S)
    if lease is None:
        raise SpaceBusy("Another worker is remembering in this space. Try again when it is done.")
    try:
        with lease.kept_alive():
            space.refresh_from_db()
            if space.embedder not in ("", embedder.name):
                with lease.committing():
                    vectors_drop(space.pk, embedder=embedder.name)
            on_left(work_left(space.pk))
            while step_take(space.pk, lease):
                on_left(work_left(space.pk))
    finally:
        lease.release()
    for round in Round.objects.filter(
        space=space, maintenance=MaintenanceState.FAILED, maintenance_error__contains=REEMBED
    ):
        maintenance_retry(round=round)


def vectors_drop(space_id: int, *, embedder: str) -> None:
    """Delete every vector of a space and what rests on them, in the caller's transaction, and set its embedder."""
    SentenceEdge.objects.filter(space=space_id).delete()
    for postings in (WordPosting, SessionPosting):
        rows = postings._default_manager.filter(word__space=space_id)
        rows._raw_delete(rows.db)
    for model in (WordRecord, LexiconRecord, TurnVector, RoundVector, SessionVector):
        model._default_manager.filter(space=space_id).delete()
    for vectors in (SentenceRecord, DigestRecord):
        vectors._default_manager.filter(space=space_id).update(embedding=None)
    Space.objects.filter(pk=space_id).update(
        embedder=embedder, linked_until=0, is_indexed=False, index_revision=F("index_revision") + 1
    )


def work_left(space_id: int) -> int:
    """Return the number of missing vectors and neighbour lists of a space's sentences."""
    sentences = SentenceRecord.objects.filter(space=space_id)
    linked_until = Space.objects.values_list("linked_until", flat=True).get(pk=space_id)
    unread = sentences.filter(turn__vector=None, is_evidence=True)
    return sentences.filter(embedding=None).count() + unread.count() + sentences.filter(pk__gt=linked_until).count()

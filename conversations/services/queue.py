"""The queue of replies: which reply is next, which worker writes it, and when workers are asked to look.

The queue is in the database. A Celery task names no reply: it asks a worker to take the next one. A task is sent for a
message in an idle conversation only; messages behind it need none, because a worker that ends a reply takes the next. Claims
are made one at a time over all processes, so that the order within a conversation and the number of replies a person has at
once hold for any number of workers.

Fair order: among the first unfinished replies of all conversations, those of the people with the fewest running replies, of
these the person served longest ago, of these the oldest.
"""

from datetime import timedelta

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Count, Exists, F, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from conversations.models import Reply, ReplyState
from conversations.models.reply import UNFINISHED_STATES
from conversations.services.trace import Trace
from memory.models import OutboxRecord
from memory.services.leases import is_free, lease_take

REPLY_TASK = "conversations.write_replies"
REPLY_QUEUE = "reply"
# Whoever was not served for so long counts as never served.
SERVED_LATELY = timedelta(minutes=10)
# The advisory lock of claims: "repl" in ASCII.
CLAIM_LOCK = 0x7265706C


def look_promise() -> None:
    """Queue, in the caller's transaction, a task in which a worker takes the next reply."""
    OutboxRecord.objects.create(task=REPLY_TASK, arguments={}, queue=REPLY_QUEUE)


def reply_claim(reply_id: int) -> Trace | None:
    """Claim a reply and return its trace; None if it has ended, is another worker's, or is not next in its conversation."""
    with transaction.atomic():
        if not first_unfinished().filter(pk=reply_id).exists():
            return None
        return reply_take(reply_id)


def next_claim() -> Trace | None:
    """Claim the next reply and return its trace; None where no reply may be written now."""
    with transaction.atomic(savepoint=False):
        with connection.cursor() as cursor:
            cursor.execute("select pg_advisory_xact_lock(%s)", [CLAIM_LOCK])
        reply_id = claimable().values_list("pk", flat=True).first()
        return None if reply_id is None else reply_take(reply_id)


def reply_take(reply_id: int) -> Trace | None:
    """Claim an unfinished reply that no worker holds, whatever is queued before it, and return its trace."""
    rows = Reply.objects.filter(pk=reply_id, state__in=UNFINISHED_STATES)
    lease = lease_take(rows, state=ReplyState.RUNNING, attempt=F("attempt") + 1)
    if lease is None:
        return None
    return Trace(lease.held.select_related("conversation__owner", "round__session").get(), lease)


def claimable() -> QuerySet[Reply]:
    """Return the replies that may be written now, in fair order."""
    now, owner = timezone.now(), OuterRef("conversation__owner")
    being_written = Reply.objects.filter(state=ReplyState.RUNNING, lease_until__gte=now, conversation__owner=owner)
    ended = Reply.objects.filter(finished_at__gte=now - SERVED_LATELY, conversation__owner=owner)
    count = being_written.order_by().values("conversation__owner").annotate(count=Count("pk")).values("count")
    return (
        first_unfinished()
        .filter(is_free(), state__in=UNFINISHED_STATES)
        .annotate(
            at_once=Coalesce(Subquery(count, output_field=IntegerField()), 0),
            served_at=Subquery(ended.order_by("-finished_at").values("finished_at")[:1]),
        )
        .filter(at_once__lt=settings.DSMART_REPLIES_A_PERSON)
        .order_by("at_once", F("served_at").asc(nulls_first=True), "pk")
    )


def first_unfinished() -> QuerySet[Reply]:
    earlier = unfinished().filter(conversation=OuterRef("conversation"), pk__lt=OuterRef("pk"))
    return unfinished().filter(~Exists(earlier))


def unfinished() -> QuerySet[Reply]:
    return Reply.objects.filter(state__in=UNFINISHED_STATES)


@transaction.atomic
def lost_take(*, grace: timedelta, limit: int) -> int:
    """Mark replies that no worker came for as looked for, and return their number, at most `limit`.

    They are claimable, older than `grace`, and not marked within it.
    """
    since = timezone.now() - grace
    is_lost = Q(created_at__lt=since) & (Q(looked_for_at=None) | Q(looked_for_at__lt=since))
    ids = list(claimable().filter(is_lost).values_list("pk", flat=True)[:limit])
    return Reply.objects.filter(is_lost, pk__in=ids).update(looked_for_at=timezone.now())

"""Listens to what memory says of the words of conversations, and asks Celery again for workers where a task was lost.

Every process listens, also a command that answers nobody: services are imported when there is something to do.
"""

from collections.abc import Sequence
from datetime import timedelta

from celery import current_app
from django.db import transaction
from django.dispatch import receiver

from memory import events

# Whoever looks takes what is next one after the other: that many at once are enough.
BATCH = 32
GRACE = timedelta(seconds=5)


@receiver(events.words_forgotten, dispatch_uid="forget titles and replies of forgotten words")
def forget_words(session_id: int, before: str, after: str, **signal: object) -> None:
    from conversations.services.messages import reply_forget, title_forget

    title_forget(session_id=session_id, before=before, after=after)
    reply_forget(session_id=session_id, before=before, after=after)


@receiver(events.rounds_leaving, dispatch_uid="keep the sources in rounds that are put aside")
def keep_sources(round_ids: Sequence[int], **signal: object) -> None:
    from conversations.services.sources import sources_keep

    sources_keep(round_ids)


@receiver(events.round_ended, dispatch_uid="find sources again and promise a title")
def take_learnt(round_id: int, **signal: object) -> None:
    from conversations.services.learnt import round_learnt

    round_learnt(round_id=round_id)


@transaction.atomic
def sweep() -> None:
    """Queue a task for each reply whose worker died or never came, at most once in `GRACE` for each."""
    from conversations.services.queue import REPLY_QUEUE, REPLY_TASK, lost_take

    for _ in range(lost_take(grace=GRACE, limit=BATCH)):
        current_app.send_task(REPLY_TASK, queue=REPLY_QUEUE)

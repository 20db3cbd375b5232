"""Listens to memory's signals: what is forgotten, put aside and learnt of the words of conversations."""

from collections.abc import Sequence

from django.dispatch import receiver

from conversations.services.messages import reply_forget, title_forget
from conversations.services.sources import sources_find, sources_keep
from conversations.services.titles import title_promise
from memory import events


@receiver(events.words_forgotten, dispatch_uid="forget titles and replies of forgotten words")
def forget_words(session_id: int, before: str, after: str, **signal: object) -> None:
    title_forget(session_id=session_id, before=before, after=after)
    reply_forget(session_id=session_id, before=before, after=after)


@receiver(events.rounds_leaving, dispatch_uid="keep the sources in rounds that are put aside")
def keep_sources(round_ids: Sequence[int], **signal: object) -> None:
    sources_keep(round_ids)


@receiver(events.round_ended, dispatch_uid="find sources again and promise a title")
def take_learnt(round_id: int, **signal: object) -> None:
    sources_find(round_id)
    title_promise(round_id=round_id)

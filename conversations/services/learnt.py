"""What a conversation waits for until a round of it is learnt: sources of replies, its title, answers to what it asked."""

from django.db.models import Exists, F

from conversations.models import Conversation, Reply, ReplySourceAside, TitleBy
from conversations.services.sources import sources_find
from conversations.services.titles import READ, title_promise
from conversations.services.unknowns import settling_promise, unknown_steps


def round_learnt(*, round_id: int) -> None:
    """Find sources again, promise a title and a look at what is unknown, in the caller's transaction."""
    waiting = Conversation.objects.filter(session__rounds=round_id).annotate(
        index=F("session__rounds__index"),
        is_wish=F("session__rounds__is_wish"),
        are_aside=Exists(ReplySourceAside.objects.filter(turn__round=round_id)),
        is_asking=Exists(unknown_steps()) & Exists(Reply.objects.filter(round=round_id)),
    )
    for conversation in waiting:
        if conversation.are_aside:
            sources_find(round_id)
        if conversation.title_by == TitleBy.WORDS and conversation.index < READ:
            title_promise(conversation=conversation)
        if conversation.is_asking and not conversation.is_wish:
            settling_promise(round_id=round_id)

"""What a conversation waits for until a round of it is learnt: sources of its replies, and its title."""

from django.db.models import Exists, Q

from conversations.models import Conversation, ReplySourceAside, TitleBy
from conversations.services.sources import sources_find
from conversations.services.titles import READ, title_promise


def round_learnt(*, round_id: int) -> None:
    """Find sources again and promise a title, in the caller's transaction; one look where neither is waited for."""
    is_untitled = Q(title_by=TitleBy.WORDS, session__rounds__index__lt=READ)
    are_aside = Exists(ReplySourceAside.objects.filter(turn__round=round_id))
    waiting = Conversation.objects.filter(is_untitled | Q(are_aside), session__rounds=round_id)
    for conversation in waiting:
        sources_find(round_id)
        if conversation.title_by == TitleBy.WORDS:
            title_promise(conversation=conversation)

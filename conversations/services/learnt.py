"""What a conversation waits for until a round of it is learnt: sources of replies, its title, answers to what it asked."""

from django.db.models import Exists, Q

from conversations.models import Conversation, ReplySourceAside, TitleBy
from conversations.services.sources import sources_find
from conversations.services.titles import READ, title_promise
from conversations.services.unknowns import settling_promise


def round_learnt(*, round_id: int) -> None:
    """Find sources again, promise a title and a look at what is unknown, in the caller's transaction."""
    said = Conversation.objects.filter(
        replies__round=round_id, session__rounds__is_wish=False, session__rounds=round_id
    )
    for conversation in said.distinct():
        settling_promise(conversation=conversation, round_id=round_id)
    is_untitled = Q(title_by=TitleBy.WORDS, session__rounds__index__lt=READ)
    are_aside = Exists(ReplySourceAside.objects.filter(turn__round=round_id))
    waiting = Conversation.objects.filter(is_untitled | Q(are_aside), session__rounds=round_id)
    for conversation in waiting:
        sources_find(round_id)
        if conversation.title_by == TitleBy.WORDS:
            title_promise(conversation=conversation)

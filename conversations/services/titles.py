"""Titles a conversation once by what it is about, in the background, after the first replies.

Until then it is called by its first words. A title that a person chose stays, whenever they chose it.
"""

import logging
from collections.abc import Sequence

from django.db.models import QuerySet

from conversations import events
from conversations.models import Conversation, TitleBy
from conversations.services.trace import conversation_lock
from memory import bootstrap
from memory.adapters.deadlocks import made_again
from memory.bootstrap.roles import WRITE_TITLE
from memory.core.errors import MemoryCoreError
from memory.core.types import Role
from memory.models import OutboxRecord, Turn
from memory.services.added_engines import engine_of_space

logger = logging.getLogger(__name__)

TITLE_TASK = "conversations.title_conversation"
TITLE_QUEUE = "maintenance"
# Who greets first says what it is about in one of the next messages.
READ = 3


def title_promise(*, conversation: Conversation) -> None:
    """Queue the title of a conversation, in the caller's transaction."""
    OutboxRecord.objects.create(task=TITLE_TASK, arguments={"conversation_id": conversation.pk}, queue=TITLE_QUEUE)


def title_make(*, conversation_id: int) -> bool:
    """Title a conversation by its first messages and return whether that was done; its first words stay otherwise."""
    conversation = Conversation.objects.filter(pk=conversation_id, title_by=TitleBy.WORDS).first()
    if conversation is None:
        return False
    asked = Turn.objects.filter(session=conversation.session_id, role=Role.USER).exclude(round__is_wish=True)
    asked = asked.order_by("index")
    messages = list(asked.values_list("text", flat=True)[:READ])
    engine = bootstrap.engine(engine_of_space(name=conversation.engine, space_id=conversation.space_id))
    try:
        [title] = engine.player(WRITE_TITLE).title_many([messages]) if messages else [""]
    except MemoryCoreError as error:
        logger.warning("Conversation %s keeps its first words as its title: %s", conversation_id, error)
        return False
    if not title or not title_store(conversation_id, title, asked, messages):
        return False
    events.conversation_changed(conversation_id=conversation_id)
    return True


@made_again
def title_store(conversation_id: int, title: str, asked: QuerySet[Turn], messages: Sequence[str]) -> bool:
    """Title a conversation; False where words were forgotten, or a person chose, while the title was made."""
    conversation_lock(conversation_id)
    as_read = list(asked.select_for_update(of=("self",)).values_list("text", flat=True)[: len(messages)])
    untitled = Conversation.objects.filter(pk=conversation_id, title_by=TitleBy.WORDS)
    return as_read == messages and bool(untitled.update(title=title, title_by=TitleBy.ENGINE))

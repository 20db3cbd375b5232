"""Creates, configures, archives and deletes conversations."""

from contextlib import suppress

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from conversations import events
from conversations.bootstrap import responder_check
from conversations.models import Conversation, Reply, TitleBy
from memory.adapters.deadlocks import made_again
from memory.models import Session, Space
from memory.services import session_create, session_forget
from memory.services.added_engines import engine_offered_check
from memory.services.dialogue import session_lock
from memory.services.spaces import space_lock


@transaction.atomic
def conversation_create(
    *,
    owner: User,
    space: Space,
    title: str = "",
    engine: str = "",
    responder: str = "",
    remember: bool = True,
    checks_facts: bool = False,
) -> Conversation:
    """Create and return a conversation over the space's memory; with `remember` off nothing said in it is learnt.

    With `checks_facts` what its replies state is checked.

    Raises `UnknownEngine`, and `ResponderUnavailable` for a responder that the engine cannot play.
    """
    choice_check(engine=engine, responder=responder, space=space)
    session = session_create(space=space, started_at=timezone.now(), title=title, is_remembered=remember)
    return Conversation.objects.create(
        owner=owner,
        space=space,
        session=session,
        title=title.strip()[:200],
        title_by=TitleBy.PERSON if title.strip() else TitleBy.WORDS,
        engine=engine,
        responder=responder,
        checks_facts=checks_facts,
    )


def conversation_rename(*, conversation: Conversation, title: str) -> None:
    conversation.title, conversation.title_by = title.strip()[:200], TitleBy.PERSON
    conversation.save(update_fields=["title", "title_by"])
    transaction.on_commit(lambda: events.conversation_changed(conversation_id=conversation.pk))


def conversation_archive(*, conversation: Conversation, archived: bool) -> None:
    conversation.archived_at = timezone.now() if archived else None
    conversation.save(update_fields=["archived_at"])


def conversation_choose(*, conversation: Conversation, engine: str, responder: str) -> None:
    """Choose the engine and the responder of future replies; "" is the configured default.

    Raises `UnknownEngine` and `ResponderUnavailable`.
    """
    choice_check(engine=engine, responder=responder, space=conversation.space)
    conversation.engine, conversation.responder = engine, responder
    conversation.save(update_fields=["engine", "responder"])


def conversation_check_facts(*, conversation: Conversation, checks_facts: bool) -> None:
    """Choose whether what the replies to come state is checked."""
    conversation.checks_facts = checks_facts
    conversation.save(update_fields=["checks_facts"])


def choice_check(*, engine: str, responder: str, space: Space) -> None:
    if engine:
        engine_offered_check(name=engine, space=space)
    if responder:
        responder_check(responder, engine=engine)


@made_again
def conversation_delete(*, conversation: Conversation) -> None:
    """Delete the conversation, its words and everything learnt from them; a running reply is dropped.

    The replies are locked after the space, as by who learns a round and finds their sources again (ADR 5).
    """
    Conversation.objects.select_for_update().filter(pk=conversation.pk).first()
    with suppress(Session.DoesNotExist, Space.DoesNotExist):  # told by `session_forget`, which finds nothing
        session_lock(conversation.session_id)
        space_lock(conversation.space_id)
    list(Reply.objects.select_for_update().filter(conversation_id=conversation.pk).order_by("pk").values_list("pk"))
    session_forget(session=conversation.session)

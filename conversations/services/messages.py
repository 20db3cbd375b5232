"""Stores messages, and acts on the replies to them."""

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from conversations import bootstrap, events
from conversations.core.errors import MessageKeyTaken, MessageRefused, SpaceFull, TooManyWaiting
from conversations.core.wishes import is_forgetting
from conversations.models import Conversation, Reply, ReplyEvent, ReplyState, TitleBy
from conversations.services.queue import look_promise, reply_take, unfinished
from conversations.services.trace import conversation_lock, stop_topic
from memory.adapters.wakeups import wake
from memory.core.errors import QuotaReached
from memory.core.types import Role
from memory.models import Round, Turn
from memory.services import round_open, round_retract
from memory.services.accounts import speaker_name
from memory.services.added_engines import engine_of_space
from memory.services.quotas import room_check
from memory.services.versions import version_open, version_return

TITLE_LENGTH = 60
# What is to be forgotten is no name for a conversation.
ABOUT_MEMORY = "About the memory"


def message_post(*, conversation: Conversation, text: str, key: str = "", answers: int | None = None) -> Reply:
    """Store a message and queue the reply to it, in one transaction; a repeated `key` returns the first reply.

    `answers` is the reply that the message may answer alone, by its id: anything else that was said since refuses it. Raises
    `MessageRefused`, and `MessageKeyTaken` where the key belongs to a message with other words.
    """
    words = checked_message(text)
    with transaction.atomic():
        locked = (
            Conversation.objects.select_for_update()
            .select_related("session", "owner")
            .filter(pk=conversation.pk)
            .first()
        )
        if locked is None:
            raise MessageRefused("This conversation was deleted.")
        if answers is not None and answers != last_reply_id(locked):
            raise MessageRefused("More was said since that was asked. Say again what you want.")
        try:
            turn = round_open(
                session=locked.session,
                speaker=speaker_name(locked.owner),
                role=Role.USER,
                text=words,
                said_at=timezone.now(),
                key=key,
            )
        except QuotaReached as reached:
            raise SpaceFull(str(reached)) from reached
        if turn.text != words:
            raise MessageKeyTaken("Another message was sent under the same key. This one was not taken; send it again.")
        known = Reply.objects.filter(round=turn.round, is_current=True).first()
        if known is not None:
            return known
        if not locked.title:
            locked.title = title_from(words)
        locked.save(update_fields=["title", "updated_at"])
        return reply_queue(conversation=locked, round=turn.round)


def last_reply_id(conversation: Conversation) -> int | None:
    shown = Reply.objects.filter(conversation=conversation, is_current=True, round__aside_with=None)
    return shown.order_by("-round__index").values_list("pk", flat=True).first()


def message_edit(*, reply: Reply, text: str) -> Reply:
    """Open a version of a message with other words and queue a reply to them; what stood there is kept as another version."""
    words = checked_message(text)
    with transaction.atomic():
        conversation, round = shown_round_locked(reply)
        try:
            room_check(conversation.space, turns=1, size=len(words.encode()))
        except QuotaReached as reached:
            raise SpaceFull(str(reached)) from reached
        title_renew(conversation=conversation, instead_of=round, text=words)
        return version_queue(conversation, version_open(round=round, text=words, said_at=timezone.now()))


@transaction.atomic
def reply_regenerate(*, reply: Reply) -> Reply:
    """Open a version of a message with the same words and queue a reply to them; the former reply is kept with its version.

    A wish about the memory was carried out already: it has no second version, and the new reply tells what was done.
    """
    conversation, round = shown_round_locked(reply)
    if round.is_wish:
        return reply_retry(reply=reply)
    return version_queue(conversation, version_open(round=round, text=message_of(round)))


@transaction.atomic
def reply_retry(*, reply: Reply) -> Reply:
    """Queue a new reply in place of the last one of a conversation, as where that failed; what its round taught is undone."""
    conversation, round = shown_round_locked(reply)
    if Round.objects.filter(session=round.session_id, index__gt=round.index).exists():
        raise MessageRefused("More was said since, so that this reply stays. Edit the message to say it anew.")
    round_retract(round=round)
    return reply_queue(conversation=conversation, round=round)


@transaction.atomic
def version_show(*, conversation: Conversation, round: Round) -> None:
    """Let a version of a message stand in its conversation, with what followed it; nothing happens where it does.

    The memory then learns this version instead of the other one, in the background.
    """
    locked = conversation_settled_lock(conversation.pk)
    shown = Round.objects.filter(version_of=round.version_of_id).first() if round.version_of_id else round
    if shown is None:
        raise MessageRefused("This message belongs to a version that is not shown. Switch to that version first.")
    if shown.pk != round.pk:
        title_renew(conversation=locked, instead_of=shown, text=message_of(round))
        version_return(round=round, instead_of=shown)
        events.dialogue_changed(conversation_id=conversation.pk)


def version_queue(conversation: Conversation, opened: Round) -> Reply:
    """Queue the reply to a version that was just opened, in the caller's transaction."""
    events.dialogue_changed(conversation_id=conversation.pk)
    return reply_queue(conversation=conversation, round=opened)


def reply_stop(*, reply: Reply) -> None:
    """Ask for the end of a running reply, which wakes its worker; a queued reply is withdrawn at once."""
    with transaction.atomic():
        conversation_lock(reply.conversation_id)
        rows = unfinished().filter(pk=reply.pk)
        if not rows.update(stop_requested=True):
            return
        wake(stop_topic(reply.pk))
        if rows.filter(state=ReplyState.QUEUED).exists():
            reply_withdraw(reply)


def reply_withdraw(reply: Reply) -> None:
    """End a reply that no worker has begun, in the caller's transaction."""
    trace = reply_take(reply.pk)
    if trace is not None:
        trace.finish(ReplyState.STOPPED)
        look_promise()


def checked_message(text: str) -> str:
    """Return the text without outer white space. Raises `MessageRefused` with a sentence that says why."""
    words = text.strip()
    limit = settings.DSMART_MESSAGE_LIMIT
    if not words:
        raise MessageRefused("The message is empty. Write something first.")
    if len(words) > limit:
        raise MessageRefused(
            f"The message has {len(words):,} characters; {limit:,} is the most that one message can have. Split it."
        )
    if any(ord(char) < 32 and char not in "\n\r\t" for char in words):
        raise MessageRefused("The message holds characters that are not text. Paste it as plain text.")
    return words.encode("utf-8", "replace").decode("utf-8")


def message_of(round: Round) -> str:
    return Turn.everything.values_list("text", flat=True).get(round=round, role=Role.USER)


def title_renew(*, conversation: Conversation, instead_of: Round, text: str) -> None:
    """Retitle a conversation, in the caller's transaction, if its title was made of words in whose place others stand now."""
    before = message_of(instead_of)
    is_of_first = instead_of.index == 0 and conversation.title_by == TitleBy.ENGINE
    if text != before and (is_of_first or conversation.title == title_from(before)):
        Conversation.objects.filter(pk=conversation.pk).update(title=title_from(text), title_by=TitleBy.WORDS)


def title_forget(*, session_id: int, before: str, after: str) -> None:
    """Retitle a conversation whose title was made of words that are forgotten, by what is left of them."""
    named_so = Conversation.objects.filter(session=session_id, title=title_from(before))
    named_so.update(title=title_from(after))
    # What the engine made of several messages may tell them, too.
    first = Turn.objects.filter(session=session_id, role=Role.USER).order_by("index").values_list("text", flat=True)
    made = Conversation.objects.filter(session=session_id, title_by=TitleBy.ENGINE)
    made.update(title=title_from(first.first() or after), title_by=TitleBy.WORDS)


def reply_forget(*, session_id: int, before: str, after: str) -> None:
    """Put what is left of a reply's words in their place, and empty the events that streamed them."""
    replies = Reply.objects.filter(conversation__session=session_id, text=before)
    ReplyEvent.objects.filter(reply__in=replies, kind="delta").update(data={"text": ""})
    replies.exclude(outcome="").update(outcome=after)
    replies.update(text=after)


def title_from(text: str) -> str:
    if is_forgetting(text):
        return ABOUT_MEMORY
    line = " ".join(text.split())
    return line if len(line) <= TITLE_LENGTH else line[: TITLE_LENGTH - 1].rsplit(" ", 1)[0] + "…"


def shown_round_locked(reply: Reply) -> tuple[Conversation, Round]:
    """Lock the conversation of a finished reply that stands in it, and return it with the reply's round."""
    conversation = conversation_settled_lock(reply.conversation_id)
    round = Round.objects.filter(pk=reply.round_id).first()
    if round is None:
        raise MessageRefused("This version of the message is not shown now. Switch to it first.")
    return conversation, round


def conversation_settled_lock(conversation_id: int) -> Conversation:
    """Lock and return a conversation in which no reply is being written."""
    conversation = Conversation.objects.select_for_update().get(pk=conversation_id)
    if unfinished().filter(conversation=conversation).exists():
        raise MessageRefused("A reply is still being written. Stop it first.")
    return conversation


def reply_queue(*, conversation: Conversation, round: Round) -> Reply:
    """Create a queued reply, the only current one of its round, in the caller's transaction, which locks the conversation.

    A task is queued too, unless another reply of the conversation comes first. Raises `TooManyWaiting`.
    """
    limit = settings.DSMART_WAITING_MESSAGES
    if unfinished().filter(conversation__owner=conversation.owner_id).count() >= limit:
        raise TooManyWaiting(
            f"{limit:,} of your messages are waiting for a reply, which is the most that can. "
            "Wait until some are answered, or stop some, and send this again."
        )
    is_first = not unfinished().filter(conversation=conversation).exists()
    Reply.objects.filter(round=round, is_current=True).update(is_current=False)
    engine = conversation.engine or settings.DSMART_ENGINE
    responder = conversation.responder or bootstrap.default_responder(engine)
    served = engine_of_space(name=engine, space_id=conversation.space_id)
    if served != engine:
        engine, responder = served, bootstrap.playable_responder(responder, engine=served)
    reply = Reply.objects.create(
        space_id=conversation.space_id, conversation=conversation, round=round, engine=engine, responder=responder
    )
    events.record(reply, number=1, kind="state", data={"state": ReplyState.QUEUED})
    if is_first:
        look_promise()
    return reply

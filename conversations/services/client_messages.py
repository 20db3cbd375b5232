"""Stores the messages of other programs' chats, each in the conversation that its history continues.

A program sends the whole history with each message. The message is put where the history ends: it continues a conversation,
edits or regenerates its last message, or begins another one, which is shown the history. What a person said is learnt
once: where it came first.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from conversations.core.client_chat import ClientMessage, same_words
from conversations.models import ClientRound, Reply, ReplyState
from conversations.services.conversations import conversation_choose, conversation_create
from conversations.services.generation import HISTORY_TURNS
from conversations.services.messages import checked_message, message_edit, message_post, reply_regenerate
from conversations.services.trace import ASSISTANT
from memory.core.types import Role
from memory.models import MaintenanceState, Round, Space
from memory.services import round_add_turn, round_open
from memory.services.accounts import speaker_name

# The advisory lock of one person's chats: "chat" in ASCII.
CHATS_LOCK = 0x63686174
# Chats that began alike: so many are looked at, the newest first.
CANDIDATES = 50
# Without a chat's id, a first message that comes again within this time is the same message, later it is another chat.
SAME_CHAT = timedelta(minutes=10)


@dataclass(frozen=True)
class Posted:
    """The reply to a message; where `is_ending`, the one that has to end before the message can be stored."""

    reply: Reply
    is_ending: bool = False


@transaction.atomic
def client_message_post(
    *, owner: User, space: Space, message: ClientMessage, engine: str = "", responder: str = ""
) -> Posted:
    """Store a message of another program's chat and queue the reply to it; the same one twice at a time gives one reply.

    Raises what `message_post` and `conversation_create` raise.
    """
    checked_message(message.text)
    with connection.cursor() as cursor:
        cursor.execute("select pg_advisory_xact_lock(%s, %s)", [CHATS_LOCK, owner.pk])
    return ClientChats(owner, space, message, engine, responder).post()


@dataclass(frozen=True)
class ClientChats:
    """One person's chats in a space, in the transaction that stores a message."""

    owner: User
    space: Space
    message: ClientMessage
    engine: str
    responder: str

    def post(self) -> Posted:
        before = self._before()
        same = self._following(before)
        if same is not None:
            reply = Reply.objects.get(round=same.round_id, is_current=True)
            is_same = same.through == self._through
            if not reply.is_terminal and reply.stop_requested:
                return Posted(reply, is_ending=True)
            if is_same and self._is_chosen(same) and (not reply.is_terminal or self._is_answered(reply)):
                return Posted(reply)
            if reply.is_terminal and (self._is_chosen(same) or not is_same):
                return self._put(self._again(same, reply, is_same=is_same), same)
        elif before is not None and self._is_last(before):
            conversation = before.conversation
            if not self._is_chosen(before):
                conversation_choose(conversation=conversation, engine=self.engine, responder=self.responder)
            return self._put(message_post(conversation=conversation, text=self.message.text))
        return self._put(self._begun())

    @property
    def _through(self) -> str:
        return self.message.digest(settings.SECRET_KEY)

    def _rounds(self) -> QuerySet[ClientRound]:
        return ClientRound.objects.filter(
            conversation__owner=self.owner,
            space=self.space,
            chat=self.message.chat,
            conversation__session__is_remembered=self.message.is_remembered,
        ).select_related("conversation__space", "round")

    def _before(self) -> ClientRound | None:
        """Return the round of the message before this one in the history: one of the same way of answering if possible."""
        if not self.message.history_before:
            return None
        asked = self._rounds().filter(through=self.message.digest_before(settings.SECRET_KEY))
        newest = asked.prefetch_related("round__replies").order_by("-pk")[:CANDIDATES]
        found = [one for one in newest if self._has_answer(one)]
        return min(found, key=lambda one: not self._is_chosen(one), default=None)

    def _has_answer(self, one: ClientRound) -> bool:
        """Return whether the round was answered as the history says; of one that broke off, any part may have come."""
        replies = list(one.round.replies.all())
        broke_off = any(reply.is_current and reply.state != ReplyState.DONE for reply in replies)
        answered = self.message.answered
        return broke_off or not answered or any(same_words(reply.text, answered) for reply in replies)

    def _following(self, before: ClientRound | None) -> ClientRound | None:
        """Return the round of the last message of a conversation that this message takes the place of, or None."""
        if before is not None:
            after = self._rounds().filter(conversation=before.conversation_id, round__index=before.round.index + 1)
        elif self.message.history_before:
            return None
        elif self.message.chat:
            after = self._rounds()
        else:
            after = self._rounds().filter(through=self._through, created_at__gte=timezone.now() - SAME_CHAT)
        found = [one for one in after.order_by("-pk")[:CANDIDATES] if self._is_last(one)]
        if before is None:
            found = [one for one in found if one.round.index == 0]
        return min(found, key=lambda one: not self._is_chosen(one), default=None)

    def _is_last(self, one: ClientRound) -> bool:
        return not Round.objects.filter(session=one.round.session_id, index__gt=one.round.index).exists()

    def _is_chosen(self, one: ClientRound) -> bool:
        return (one.conversation.engine, one.conversation.responder) == (self.engine, self.responder)

    def _is_answered(self, reply: Reply) -> bool:
        return self.message.is_retry and reply.state == ReplyState.DONE

    def _again(self, same: ClientRound, reply: Reply, *, is_same: bool) -> Reply:
        if is_same:
            return reply_regenerate(reply=reply)
        if not self._is_chosen(same):
            conversation_choose(conversation=same.conversation, engine=self.engine, responder=self.responder)
        return message_edit(reply=reply, text=self.message.text)

    def _begun(self) -> Reply:
        """Begin a conversation that is shown the end of the history, and learns nothing of it, whenever that was said."""
        conversation = conversation_create(
            owner=self.owner,
            space=self.space,
            engine=self.engine,
            responder=self.responder,
            remember=self.message.is_remembered,
        )
        opened: Round | None = None
        for said in self.message.history[-HISTORY_TURNS:]:
            is_own, now = said.role is Role.USER, timezone.now()
            speaker, words = (
                speaker_name(self.owner) if is_own else ASSISTANT,
                said.text[: settings.DSMART_MESSAGE_LIMIT],
            )
            if is_own or opened is None:
                turn = round_open(
                    session=conversation.session, speaker=speaker, role=said.role, text=words, said_at=now
                )
                opened = turn.round
                not_learnt(opened.pk)
            else:
                round_add_turn(
                    round=opened, speaker=speaker, role=said.role, text=words, said_at=now, is_generated=True
                )
        return message_post(conversation=conversation, text=self.message.text)

    def _put(self, reply: Reply, known: ClientRound | None = None) -> Posted:
        """Write down where the message is, and let it be learnt unless it was learnt elsewhere."""
        row = known or ClientRound(conversation_id=reply.conversation_id, space=self.space)
        row.round_id = reply.round_id
        row.chat, row.through = self.message.chat, self._through
        row.said = self.message.digest_of_person(settings.SECRET_KEY)
        row.is_repeat = self._is_learnt_elsewhere(row)
        row.save()
        if row.is_repeat:
            not_learnt(reply.round_id)
        if self.message.instruction:
            reply.instruction = self.message.instruction
            reply.save(update_fields=["instruction"])
        return Posted(reply)

    def _is_learnt_elsewhere(self, row: ClientRound) -> bool:
        """Return whether the same words after the same words were learnt in another conversation of the same chat."""
        others = self._rounds().filter(said=row.said, is_repeat=False).exclude(round=row.round_id)
        if not row.chat:
            is_same = Q(created_at__gte=timezone.now() - SAME_CHAT)
            others = others.filter(is_same | Q(through=row.through) if self.message.history_before else is_same)
        return self.message.is_remembered and others.exists()


def not_learnt(round_id: int) -> None:
    """Let a round be kept without anything being learnt from it."""
    Round.objects.filter(pk=round_id).update(maintenance=MaintenanceState.SKIPPED)

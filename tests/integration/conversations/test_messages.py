"""A message is taken once, with its reply queued, or refused with a sentence."""

from __future__ import annotations

import pytest

from conversations.core.errors import MessageKeyTaken, MessageRefused
from conversations.models import Reply, ReplyState
from conversations.services import (
    conversation_rename,
    message_edit,
    message_post,
    reply_regenerate,
    reply_retry,
    reply_run,
    reply_stop,
)
from conversations.services.queue import REPLY_QUEUE, REPLY_TASK
from memory.models import MaintenanceState, OutboxRecord, Turn

pytestmark = pytest.mark.django_db


def test_message_is_stored_with_its_queued_reply_and_the_promise_of_it(conversation):
    reply = message_post(conversation=conversation, text="  Where do I live?  ")
    conversation.refresh_from_db()
    turn = Turn.objects.get()
    assert (turn.text, turn.speaker, turn.role) == ("Where do I live?", "Ana", "user")
    assert reply.state == ReplyState.QUEUED
    assert reply.events.get().data == {"state": "queued"}
    assert OutboxRecord.objects.values_list("task", "arguments", "queue").get() == (REPLY_TASK, {}, REPLY_QUEUE)
    assert conversation.title == "Where do I live?"


def test_message_sent_twice_with_one_key_is_taken_once(conversation):
    first = message_post(conversation=conversation, text="Hello", key="k1")
    assert message_post(conversation=conversation, text=" Hello\n", key="k1").pk == first.pk
    assert Turn.objects.count() == Reply.objects.count() == OutboxRecord.objects.count() == 1


def test_key_of_another_message_is_refused_and_nothing_is_stored(conversation):
    message_post(conversation=conversation, text="Hello", key="k1")
    with pytest.raises(MessageKeyTaken, match="same key"):
        message_post(conversation=conversation, text="Goodbye", key="k1")
    assert Turn.objects.get().text == "Hello"
    assert Reply.objects.count() == OutboxRecord.objects.count() == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (" \n\t ", "empty"),
        ("a" * 20_001, "20,001 characters; 20,000 is the most"),
        ("PNG\x00\x01", "not text"),
    ],
)
def test_message_that_cannot_be_taken_is_refused_with_the_reason(conversation, text, said):
    with pytest.raises(MessageRefused, match=said):
        message_post(conversation=conversation, text=text)
    assert not Turn.objects.exists()


def test_lone_surrogates_do_not_reach_the_database(conversation):
    message_post(conversation=conversation, text="broken \ud83d emoji")
    assert Turn.objects.get().text == "broken ? emoji"


def test_long_first_message_makes_a_short_title(conversation):
    message_post(conversation=conversation, text="word " * 100)
    conversation.refresh_from_db()
    assert len(conversation.title) <= 60
    assert conversation.title.endswith("…")


def test_edit_replaces_the_last_message_and_answers_anew(conversation, answering):
    first = message_post(conversation=conversation, text="I live in Paris.")
    reply_run(reply_id=first.pk)
    second = message_edit(reply=first, text="I live in Lyon.")
    assert list(Reply.objects.filter(round__aside_with=None)) == [second]
    assert list(Turn.objects.values_list("text", flat=True)) == ["I live in Lyon."]
    second.round.refresh_from_db()
    assert second.round.maintenance == MaintenanceState.WAITING


def test_edit_takes_back_the_title_that_the_words_gave(conversation, answering):
    first = message_post(conversation=conversation, text="I live in Paris.")
    reply_run(reply_id=first.pk)
    message_edit(reply=first, text="I live in Lyon.")
    conversation.refresh_from_db()
    assert conversation.title == "I live in Lyon."


def test_edit_keeps_a_title_that_a_person_chose(conversation, answering):
    first = message_post(conversation=conversation, text="I live in Paris.")
    reply_run(reply_id=first.pk)
    conversation_rename(conversation=conversation, title="Moving")
    message_edit(reply=first, text="I live in Lyon.")
    conversation.refresh_from_db()
    assert conversation.title == "Moving"


def test_only_the_last_reply_is_replaced_by_a_retry(conversation, answering):
    first = message_post(conversation=conversation, text="One")
    reply_run(reply_id=first.pk)
    reply_run(reply_id=message_post(conversation=conversation, text="Two").pk)
    with pytest.raises(MessageRefused, match="More was said since"):
        reply_retry(reply=first)


def test_reply_that_is_still_written_is_not_answered_anew(conversation):
    reply = message_post(conversation=conversation, text="One")
    with pytest.raises(MessageRefused, match="Stop it first"):
        reply_regenerate(reply=reply)


def test_waiting_reply_is_withdrawn_by_stop(conversation, answering):
    first = message_post(conversation=conversation, text="One")
    second = message_post(conversation=conversation, text="Two")
    reply_stop(reply=second)
    reply_run(reply_id=second.pk)
    second.refresh_from_db()
    first.refresh_from_db()
    assert (first.state, second.state) == (ReplyState.QUEUED, ReplyState.STOPPED)

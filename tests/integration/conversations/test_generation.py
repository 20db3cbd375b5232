"""A reply is written by one worker, in numbered events, and always comes to an end."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from conversations.core.types import Delta, Grounds, GroundSentence, Query, ReplyPart
from conversations.models import Reply, ReplyEvent, ReplyState
from conversations.services import conversation_delete, message_post, reply_run, reply_stop
from memory.adapters.row_security.scope import carrying
from memory.core.errors import ModelUnreachable
from memory.models import MaintenanceState, Round, SentenceRecord, StepRecord, Turn
from memory.services import space_forget
from memory.stores import source_of
from tests.fakes.engines import WordByWordResponder
from tests.threads import seeing_thread

pytestmark = pytest.mark.django_db

WORDS = "You live in Paris, and you work for Airbus."


def text_of(reply: Reply) -> str:
    """Return what a page shows after all events of the reply."""
    text = ""
    for event in reply.events.order_by("number"):
        if event.kind == "reset":
            text = ""
        elif event.kind == "delta":
            text += event.data["text"]
    return text


def test_reply_ends_done_with_its_turn_and_the_rounds_maintenance(conversation, answering):
    reply = message_post(conversation=conversation, text="Where do I live?")
    reply_run(reply_id=reply.pk)
    reply.refresh_from_db()
    assert (reply.state, reply.text) == (ReplyState.DONE, "You live in Paris.")
    assert reply.first_token_ms is not None and reply.total_ms >= reply.first_token_ms
    assert list(Turn.objects.values_list("role", "speaker", "text")) == [
        ("user", "Ana", "Where do I live?"), ("assistant", "assistant", "You live in Paris."),
    ]  # fmt: skip
    assert Round.objects.get().maintenance == MaintenanceState.PENDING


def test_events_are_numbered_without_gaps_and_end_in_a_terminal_state(conversation, answering):
    answering(WordByWordResponder(WORDS, between=lambda index: threading.Event().wait(0.015)))
    reply = message_post(conversation=conversation, text="What do you know?")
    reply_run(reply_id=reply.pk)
    events = list(reply.events.order_by("number"))
    assert [event.number for event in events] == list(range(1, len(events) + 1))
    assert [event.kind for event in events][:3] == ["state", "state", "delta"]
    assert (events[-1].kind, events[-1].data["state"]) == ("state", "done")
    assert text_of(reply) == WORDS
    assert sum(event.kind == "delta" for event in events) > 1, "text comes in pieces, not at the end"


def test_reply_is_not_written_twice(conversation, answering):
    responder = WordByWordResponder(WORDS)
    answering(responder)
    reply = message_post(conversation=conversation, text="Hello")
    reply_run(reply_id=reply.pk)
    reply_run(reply_id=reply.pk)
    assert len(responder.asked) == 1
    assert Turn.objects.filter(role="assistant").count() == 1


@pytest.mark.django_db(transaction=True)
def test_stop_ends_a_reply_that_still_waits_for_its_first_word(conversation, answering):
    released = threading.Event()
    responder = WordByWordResponder(WORDS, between=lambda index: released.wait(30))
    answering(responder)
    reply = message_post(conversation=conversation, text="Hello")
    threading.Timer(0.3, carrying(lambda: (reply_stop(reply=reply), connection.close()))).start()
    began = timezone.now()
    reply_run(reply_id=reply.pk)
    reply.refresh_from_db()
    assert reply.state == ReplyState.STOPPED
    assert timezone.now() - began < timedelta(seconds=3)
    released.set()
    assert responder.closed.wait(5), "the abandoned responder is closed at its next part"


@pytest.mark.django_db(transaction=True)
def test_stop_ends_the_reply_and_keeps_what_was_written(conversation, answering):
    reply = message_post(conversation=conversation, text="Hello")

    def stop_after_third(index: int) -> None:
        threading.Event().wait(0.05)
        if index == 3:
            reply_stop(reply=reply)
            connection.close()

    responder = WordByWordResponder(WORDS, between=stop_after_third)
    answering(responder)
    reply_run(reply_id=reply.pk)
    reply.refresh_from_db()
    assert reply.state == ReplyState.STOPPED
    assert WORDS.startswith(reply.text) and 0 < len(reply.text) < len(WORDS)
    assert responder.closed.wait(5)
    assert Turn.objects.filter(role="assistant").get().text == reply.text


def test_failure_keeps_the_message_and_says_what_happened(conversation, answering):
    def fail(index: int) -> None:
        raise ModelUnreachable("The server at http://127.0.0.1:1 does not answer. Start it, then try again.")

    answering(WordByWordResponder(WORDS, between=fail))
    reply = message_post(conversation=conversation, text="I live in Paris.")
    reply_run(reply_id=reply.pk)
    reply.refresh_from_db()
    assert (reply.state, reply.error) == (
        ReplyState.FAILED, "The server at http://127.0.0.1:1 does not answer. Start it, then try again.",
    )  # fmt: skip
    assert list(Turn.objects.values_list("text", flat=True)) == ["I live in Paris."]
    assert Round.objects.get().maintenance == MaintenanceState.PENDING


def test_unforeseen_failure_shows_no_trace_of_code(conversation, answering):
    def fail(index: int) -> None:
        raise ZeroDivisionError("division by zero")

    answering(WordByWordResponder(WORDS, between=fail))
    reply = message_post(conversation=conversation, text="Hello")
    reply_run(reply_id=reply.pk)
    reply.refresh_from_db()
    assert reply.state == ReplyState.FAILED
    assert "division" not in reply.error and "try again" in reply.error


def test_reply_of_a_dead_worker_starts_over_and_ends(conversation, answering):
    def die(index: int) -> None:
        if index == 3:
            raise SystemExit

    answering(WordByWordResponder(WORDS, between=die))
    reply = message_post(conversation=conversation, text="Hello")
    with pytest.raises(SystemExit):
        reply_run(reply_id=reply.pk)
    answering(WordByWordResponder(WORDS))
    reply_run(reply_id=reply.pk)
    reply.refresh_from_db()
    assert reply.state == ReplyState.RUNNING, "the dead worker's lease still holds"

    Reply.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    reply_run(reply_id=reply.pk)
    reply.refresh_from_db()
    assert (reply.state, reply.text, reply.attempt) == (ReplyState.DONE, WORDS, 2)
    assert text_of(reply) == WORDS
    assert [event.number for event in reply.events.order_by("number")] == list(range(1, reply.events.count() + 1))


def test_reply_that_kills_its_worker_again_and_again_fails(conversation, answering):
    def die(index: int) -> None:
        raise SystemExit

    answering(WordByWordResponder(WORDS, between=die))
    reply = message_post(conversation=conversation, text="Hello")
    for _ in range(3):
        with pytest.raises(SystemExit):
            reply_run(reply_id=reply.pk)
        Reply.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    reply_run(reply_id=reply.pk)
    reply.refresh_from_db()
    assert reply.state == ReplyState.FAILED
    assert "interrupted 3 times" in reply.error


@pytest.mark.django_db(transaction=True)
def test_worker_that_lost_its_lease_writes_nothing_more(conversation, answering):
    def lose(index: int) -> None:
        if index == 2:
            Reply.objects.update(lease_token=uuid.uuid4())
            connection.close()

    answering(WordByWordResponder(WORDS, between=lose))
    reply = message_post(conversation=conversation, text="Hello")
    reply_run(reply_id=reply.pk)
    reply.refresh_from_db()
    assert reply.state == ReplyState.RUNNING
    assert not Turn.objects.filter(role="assistant").exists()


def test_replies_of_a_conversation_are_written_in_order(conversation, answering):
    first = message_post(conversation=conversation, text="One")
    second = message_post(conversation=conversation, text="Two")
    reply_run(reply_id=second.pk)
    second.refresh_from_db()
    assert second.state == ReplyState.QUEUED
    reply_run(reply_id=first.pk)
    reply_run(reply_id=second.pk)
    assert [reply.text for reply in Reply.objects.order_by("id")] == ["You live in Paris."] * 2


def test_query_carries_the_history_oldest_first(conversation, answering):
    responder = WordByWordResponder("Noted.")
    answering(responder)
    for text in ("One", "Two"):
        reply_run(reply_id=message_post(conversation=conversation, text=text).pk)
    assert [utterance.text for utterance in responder.asked[1].history] == ["One", "Noted."]
    assert responder.asked[1].speaker == "Ana"


def test_reply_waits_until_earlier_words_are_learnt_but_not_for_ever(conversation, answering, settings):
    settings.DSMART_MEMORY_WAIT_S = 0.2
    reply_run(reply_id=message_post(conversation=conversation, text="I live in Lyon.").pk)
    second = message_post(conversation=conversation, text="Where do I live?")
    began = timezone.now()
    reply_run(reply_id=second.pk)
    assert timezone.now() - began >= timedelta(seconds=0.2)
    second.refresh_from_db()
    assert second.state == ReplyState.DONE
    assert StepRecord.objects.filter(trace=second.trace, kind="stage", figures__name="memory").exists()


@pytest.mark.django_db(transaction=True)
def test_reply_claimed_by_many_workers_is_written_by_one(conversation, answering):
    responder = WordByWordResponder(WORDS)
    answering(responder)
    reply = message_post(conversation=conversation, text="Hello")

    def work() -> None:
        reply_run(reply_id=reply.pk)
        connection.close()

    workers = [seeing_thread(target=work) for _ in range(5)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(responder.asked) == 1
    assert Turn.objects.filter(role="assistant").count() == 1


class GroundedResponder:
    """Rests on one sentence, as it was when this was made."""

    name = "grounded"

    def __init__(self, sentence: SentenceRecord) -> None:
        self.read = source_of(sentence)

    def reply(self, query: Query) -> Iterator[ReplyPart]:
        yield Grounds(sentences=(GroundSentence(self.read, "is like the question"),))
        yield Delta("Yes.")


@pytest.fixture
def sentence(conversation, answering) -> SentenceRecord:
    reply = message_post(conversation=conversation, text="I live in Paris.")
    reply_run(reply_id=reply.pk)
    turn = Turn.objects.get(round=reply.round, role="user")
    return SentenceRecord.objects.create(space=turn.space, turn=turn, index=0, start=0, end=16, text=turn.text)


def test_events_keep_no_copy_of_the_words_that_a_reply_rests_on(conversation, answering, sentence):
    answering(GroundedResponder(sentence))
    reply = message_post(conversation=conversation, text="Do I live there?")
    reply_run(reply_id=reply.pk)
    grounds = reply.events.get(kind="grounds").data
    assert grounds == {
        "triples": [],
        "sentences": [{"id": sentence.pk, "why": "is like the question"}],
        "knowledge": [],
    }
    assert not any("Paris" in str(event.data) for event in ReplyEvent.objects.filter(reply=reply))


def test_reply_goes_on_without_what_is_forgotten_while_it_is_written(conversation, answering, sentence):
    answering(GroundedResponder(sentence))
    sentence.delete()
    reply = message_post(conversation=conversation, text="Do I live there?")
    reply_run(reply_id=reply.pk)
    reply.refresh_from_db()
    assert (reply.state, reply.text) == (ReplyState.DONE, "Yes.")
    assert not reply.sentences_used.exists()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("what", ["conversation", "space"])
def test_conversation_is_deleted_while_its_reply_is_written(conversation, answering, what):
    answering(WordByWordResponder(WORDS, between=lambda index: threading.Event().wait(0.05)))
    reply = message_post(conversation=conversation, text="I live in Oslo.")
    worker = seeing_thread(target=run_in_thread, args=[reply.pk])
    worker.start()
    while not ReplyEvent.objects.filter(reply=reply, kind="delta").exists():
        threading.Event().wait(0.01)
    if what == "conversation":
        conversation_delete(conversation=conversation)
    else:
        space_forget(space=conversation.space)
    worker.join(10)
    assert not worker.is_alive()
    assert not Reply.objects.exists() and not Turn.objects.exists() and not ReplyEvent.objects.exists()


def run_in_thread(reply_id: int) -> None:
    try:
        reply_run(reply_id=reply_id)
    finally:
        connection.close()


@pytest.mark.django_db(transaction=True)
def test_reply_of_a_deleted_conversation_holds_its_worker_no_longer(conversation, answering):
    released = threading.Event()
    answering(WordByWordResponder(WORDS, between=lambda index: released.wait(30)))
    reply = message_post(conversation=conversation, text="Hello")
    worker = seeing_thread(target=run_in_thread, args=(reply.pk,))
    worker.start()
    while not ReplyEvent.objects.filter(reply=reply, kind="state", data__state="running").exists():
        threading.Event().wait(0.01)
    conversation_delete(conversation=conversation)
    worker.join(5)
    assert not worker.is_alive(), "the responder is still silent, and nobody waits for it"
    released.set()
    assert not Reply.objects.exists()


@pytest.mark.parametrize("text", ["", " ", " \n  ", "\u200b\u202e"])
def test_reply_without_a_word_fails_and_says_so(conversation, answering, text):
    answering(WordByWordResponder(text))
    reply = message_post(conversation=conversation, text="Hello")
    reply_run(reply_id=reply.pk)
    reply.refresh_from_db()
    assert reply.state == ReplyState.FAILED
    assert "without a word" in reply.error
    assert not Turn.objects.filter(role="assistant").exists()

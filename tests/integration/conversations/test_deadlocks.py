"""Rows are locked in one order: who deletes, titles and learns at one moment waits, and a deadlock begins anew."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest
from django.db import IntegrityError, connection, transaction
from psycopg.errors import ForeignKeyViolation

from conversations.models import Conversation, Reply, ReplyEvent, TitleBy
from conversations.services import conversation_delete, message_post
from conversations.services.titles import title_store
from conversations.services.trace import conversation_lock
from memory.adapters import deadlocks
from memory.adapters.deadlocks import made_again
from memory.models import Session, Turn
from memory.services import forgetting
from memory.services.spaces import space_lock
from tests.threads import seeing_thread

pytestmark = pytest.mark.django_db(transaction=True)

# Longer than what the other side does before it waits.
HELD_S = 0.5


def at_once(first: Callable[[threading.Event], object], second: Callable[[], object]) -> list[Exception]:
    """Do the second thing once the first has told that it holds its lock; return what either of them raised."""
    begun, failures = threading.Event(), list[Exception]()

    def run(work: Callable[[], object]) -> None:
        try:
            work()
        except Exception as error:
            failures.append(error)
        finally:
            connection.close()

    threads = [seeing_thread(target=run, args=(lambda: first(begun),))]
    threads[0].start()
    assert begun.wait(10)
    threads.append(seeing_thread(target=run, args=(second,)))
    threads[1].start()
    for thread in threads:
        thread.join()
    return failures


@pytest.fixture
def once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the order of locks alone avoid a deadlock: nothing is made again."""
    monkeypatch.setattr(deadlocks, "ATTEMPTS", 1)


def test_conversation_is_deleted_while_a_round_is_learnt_that_its_reply_rests_on(
    conversation: Conversation, once: None
) -> None:
    reply = message_post(conversation=conversation, text="I live in Lyon.")

    @transaction.atomic
    def learn(begun: threading.Event) -> None:
        space_lock(conversation.space_id)
        begun.set()
        time.sleep(HELD_S)
        ReplyEvent.objects.create(space_id=conversation.space_id, reply=reply, number=99, kind="step")

    assert at_once(learn, lambda: conversation_delete(conversation=conversation)) == []
    assert not Conversation.objects.exists() and not Reply.objects.exists() and not Session.objects.exists()


def test_conversation_is_titled_while_it_is_deleted(conversation: Conversation, once: None) -> None:
    message_post(conversation=conversation, text="I live in Lyon.")
    asked, titled = Turn.objects.filter(session=conversation.session_id).order_by("index"), []

    @transaction.atomic
    def delete_slowly(begun: threading.Event) -> None:
        conversation_lock(conversation.pk)
        begun.set()
        time.sleep(HELD_S)
        list(Turn.objects.select_for_update())
        conversation_delete(conversation=conversation)

    failures = at_once(
        delete_slowly, lambda: titled.append(title_store(conversation.pk, "Lyon", asked, ["I live in Lyon."]))
    )
    assert (failures, titled) == ([], [False])
    assert not Conversation.objects.exists()


def test_deletion_that_another_one_breaks_is_made_again_as_a_whole(conversation: Conversation, monkeypatch) -> None:
    message_post(conversation=conversation, text="I live in Lyon.")
    tried: list[int] = []

    def refer(space_id: int) -> None:
        tried.append(space_id)
        if len(tried) == 1:
            raise IntegrityError from ForeignKeyViolation()

    monkeypatch.setattr(forgetting, "memory_changed_after_commit", refer)
    conversation_delete(conversation=conversation)
    assert len(tried) == 2 and not Turn.objects.exists() and not Session.objects.exists()


def test_who_is_ended_by_a_deadlock_begins_anew(conversation: Conversation) -> None:
    message_post(conversation=conversation, text="I live in Lyon.")
    both, tries = threading.Barrier(2), []

    def conversation_title() -> None:
        Conversation.objects.filter(pk=conversation.pk).update(title="Lyon", title_by=TitleBy.PERSON)

    def turns_date() -> None:
        Turn.objects.update(speaker="Ana R.")

    def crossing(one: Callable[[], object], two: Callable[[], object]) -> Callable[[], None]:
        @made_again
        def work() -> None:
            tries.append(one)
            one()
            if tries.count(one) == 1:
                both.wait(10)
            two()

        return work

    first, second = crossing(conversation_title, turns_date), crossing(turns_date, conversation_title)
    assert at_once(lambda begun: (begun.set(), first()), second) == []
    assert len(tries) == 3
    assert Conversation.objects.get().title == "Lyon" and Turn.objects.get().speaker == "Ana R."

"""The queue of replies: in order, fair, limited; nothing is lost, nothing is written twice, and nobody is asked in vain."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from kombu.exceptions import OperationalError

from conversations import dispatch
from conversations.core.errors import TooManyWaiting
from conversations.models import Conversation, Reply, ReplyState
from conversations.services import conversation_create, message_post, reply_regenerate, reply_stop
from conversations.services.generation import next_begin, replies_run, reply_write
from conversations.services.queue import REPLY_QUEUE, REPLY_TASK, next_claim
from conversations.services.trace import Trace
from memory.adapters.precedence import precedence
from memory.models import OutboxRecord
from memory.services import space_personal
from tests.fakes.engines import WordByWordResponder
from tests.threads import seeing_thread

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def fresh_allowance() -> None:
    cache.clear()


@pytest.fixture
def talks() -> Callable[[str, int], list[Conversation]]:
    """Make an account with conversations over its own memory."""

    def make(name: str, count: int) -> list[Conversation]:
        person = User.objects.create_user(name)
        return [conversation_create(owner=person, space=space_personal(user=person)) for _ in range(count)]

    return make


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """What the broker is given."""
    tasks: list[tuple[str, str]] = []
    monkeypatch.setattr(
        dispatch.current_app, "send_task", lambda task, *, queue, kwargs=None: tasks.append((task, queue))
    )
    return tasks


def say(conversation: Conversation, *texts: str) -> list[Reply]:
    return [message_post(conversation=conversation, text=text) for text in texts]


def promised() -> int:
    return OutboxRecord.objects.filter(task=REPLY_TASK, queue=REPLY_QUEUE).count()


def claims() -> list[Trace]:
    """Claim all that may be written at once."""
    found = []
    while (trace := next_claim()) is not None:
        found.append(trace)
    return found


def end(trace: Trace) -> None:
    trace.write("Noted.")
    trace.finish(ReplyState.DONE)


def owners(traces: list[Trace]) -> list[str]:
    return [trace.reply.conversation.owner.username for trace in traces]


def test_worker_is_asked_for_once_a_conversation_whatever_waits_in_it(conversation, answering):
    replies = say(conversation, "One", "Two", "Three")
    assert promised() == 1
    assert replies_run() == 3
    assert promised() == 1
    ended = Reply.objects.order_by("finished_at").values_list("pk", "state")
    assert list(ended) == [(reply.pk, ReplyState.DONE) for reply in replies]
    say(conversation, "Four")
    assert promised() == 2


def test_only_the_first_reply_of_a_conversation_is_claimed(conversation):
    first, second = say(conversation, "One", "Two")
    [trace] = claims()
    assert trace.reply.pk == first.pk and next_claim() is None
    end(trace)
    [trace] = claims()
    assert trace.reply.pk == second.pk


def test_person_has_no_more_replies_written_at_once_than_the_setting_says(talks, settings):
    settings.DSMART_REPLIES_A_PERSON = 2
    for conversation in talks("ana", 3):
        say(conversation, "One", "Two")
    written = claims()
    assert owners(written) == ["ana", "ana"]
    end(written[0])
    assert owners(claims()) == ["ana"]


def test_new_person_is_next_whatever_waits_already(talks, settings):
    settings.DSMART_REPLIES_A_PERSON = 1
    for conversation in talks("ana", 3):
        say(conversation, *(f"Message {number}" for number in range(20)))
    [busy] = claims()
    [ben] = talks("ben", 1)
    say(ben, "Hello")
    assert owners(claims()) == ["ben"], "one of ana's replies is being written"
    end(busy)
    [cleo] = talks("cleo", 1)
    say(cleo, "Hello")
    trace = next_claim()
    assert owners([trace]) == ["cleo"], "ana was served a moment ago"


def test_people_take_turns_on_one_worker(talks):
    for name in ("ana", "ben", "cleo"):
        for conversation in talks(name, 2):
            say(conversation, "One", "Two")
    served = []
    while (trace := next_claim()) is not None:
        served += owners([trace])
        end(trace)
    assert served[:9] == ["ana", "ben", "cleo"] * 3
    assert sorted(served) == sorted(["ana", "ben", "cleo"] * 4)


@pytest.mark.django_db(transaction=True)
def test_workers_that_look_at_once_write_each_reply_once_and_in_order(talks, answering, settings):
    settings.DSMART_REPLIES_A_PERSON = 2
    responder = WordByWordResponder("Noted.", between=lambda index: threading.Event().wait(0.003))
    answering(responder)
    conversations = [conversation for name in ("ana", "ben") for conversation in talks(name, 3)]
    for number in range(4):
        for conversation in conversations:
            say(conversation, f"Message {number}")
    at_once: list[int] = []

    def watch() -> None:
        while not over.wait(0.002):
            running = Reply.objects.filter(state=ReplyState.RUNNING)
            at_once.append(max(running.filter(conversation__owner=user).count() for user in User.objects.all()))
        connection.close()

    def work() -> None:
        replies_run(seconds=60)
        connection.close()

    over = threading.Event()
    watcher = seeing_thread(target=watch)
    workers = [seeing_thread(target=work) for _ in range(5)]
    for thread in (watcher, *workers):
        thread.start()
    for thread in workers:
        thread.join()
    over.set()
    watcher.join()
    assert not Reply.objects.exclude(state=ReplyState.DONE).exists()
    assert len(responder.asked) == Reply.objects.count() == 24
    assert set(Reply.objects.values_list("attempt", flat=True)) == {1}
    for conversation in conversations:
        ended = Reply.objects.filter(conversation=conversation).order_by("finished_at")
        assert [reply.pk for reply in ended] == sorted(reply.pk for reply in ended)
    assert max(at_once) <= 2


@pytest.mark.django_db(transaction=True)
def test_message_that_comes_while_the_reply_before_it_ends_is_not_left_waiting(conversation, answering, sent):
    """The message asks for no worker, because a reply is being written; the worker that ends it waits for the message."""
    say(conversation, "One")
    trace = next_claim()
    sent.clear()
    begun = threading.Event()

    def post() -> None:
        with transaction.atomic():
            say(conversation, "Two")
            begun.set()
            time.sleep(0.5)
        connection.close()

    poster = seeing_thread(target=post)
    poster.start()
    assert begun.wait(10)
    end(trace)
    assert replies_run() == 1
    poster.join()
    assert (REPLY_TASK, REPLY_QUEUE) not in sent


def test_worker_that_has_looked_long_enough_asks_another_to_go_on(conversation, answering):
    say(conversation, "One", "Two")
    OutboxRecord.objects.all().delete()
    assert replies_run(seconds=0) == 1
    assert promised() == 1


def test_stop_withdraws_a_waiting_reply_at_once_and_lets_the_next_one_go(conversation, answering):
    first, second = say(conversation, "One", "Two")
    OutboxRecord.objects.all().delete()
    reply_stop(reply=first)
    first.refresh_from_db()
    assert (first.state, first.text) == (ReplyState.STOPPED, "")
    assert [event.data["state"] for event in first.events.order_by("number")] == ["queued", "stopped"]
    assert promised() == 1
    [trace] = claims()
    assert trace.reply.pk == second.pk


def test_sweep_asks_for_nobody_where_nothing_is_lost(conversation, sent):
    replies = say(conversation, *(f"Message {number}" for number in range(20)))
    dispatch.sweep()
    assert sent == [], "the worker that was asked for may be on its way"
    claims()
    Reply.objects.update(created_at=timezone.now() - timedelta(minutes=5))
    dispatch.sweep()
    assert sent == [], "one is being written, the others stand behind it"
    assert len(replies) == 20


def test_sweep_asks_once_in_a_while_for_what_nobody_came_for(talks, sent):
    for conversation in talks("ana", 2):
        say(conversation, "One", "Two")
    Reply.objects.update(created_at=timezone.now() - timedelta(minutes=5))
    for _ in range(3):
        dispatch.sweep()
    assert sent == [(REPLY_TASK, REPLY_QUEUE)] * 2, "one a conversation"
    Reply.objects.exclude(looked_for_at=None).update(looked_for_at=timezone.now() - dispatch.GRACE)
    dispatch.sweep()
    assert len(sent) == 4


def test_sweep_finds_the_reply_of_a_dead_worker(conversation, answering, sent):
    say(conversation, "One")
    [trace] = claims()
    Reply.objects.update(created_at=timezone.now() - timedelta(minutes=5))
    dispatch.sweep()
    assert sent == [], "its lease holds"
    Reply.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    dispatch.sweep()
    assert len(sent) == 1
    assert replies_run() == 1
    trace.reply.refresh_from_db()
    assert (trace.reply.state, trace.reply.attempt) == (ReplyState.DONE, 2)


def test_sweep_that_does_not_reach_the_broker_tries_again(conversation, monkeypatch, sent):
    def unreachable(task: str, *, queue: str) -> None:
        raise OperationalError("no broker")

    say(conversation, "One")
    Reply.objects.update(created_at=timezone.now() - timedelta(minutes=5))
    with monkeypatch.context() as broken:
        broken.setattr(dispatch.current_app, "send_task", unreachable)
        with pytest.raises(OperationalError):
            dispatch.sweep()
    dispatch.sweep()
    assert len(sent) == 1


WAITING = "2 of your messages are waiting for a reply, which is the most that can."


def test_message_beyond_the_limit_is_refused_and_leaves_nothing(talks, settings, answering):
    settings.DSMART_WAITING_MESSAGES = 2
    one, two = talks("ana", 2)
    say(one, "One")
    say(two, "Two")
    with pytest.raises(TooManyWaiting, match=WAITING):
        say(two, "Three")
    assert Reply.objects.count() == 2 and two.session.turns.count() == 1
    [ben] = talks("ben", 1)
    say(ben, "Hello")
    replies_run()
    say(two, "Three")


def test_answering_anew_counts_among_what_waits(talks, settings, answering):
    one, two = talks("ana", 2)
    [reply] = say(one, "One")
    replies_run()
    settings.DSMART_WAITING_MESSAGES = 1
    say(two, "Two")
    with pytest.raises(TooManyWaiting):
        reply_regenerate(reply=reply)


def test_refusal_is_a_sentence_on_the_page_and_in_the_api(conversation, settings):
    settings.DSMART_WAITING_MESSAGES = 2
    say(conversation, "One", "Two")
    client = Client()
    client.force_login(conversation.owner)
    page = client.post(reverse("message-new", args=[conversation.pk]), {"text": "Three"})
    assert page.status_code == 429
    assert WAITING in page.content.decode() and ">Three</textarea>" in page.content.decode()
    blank = client.post(reverse("conversation-new"), {"text": "Three"})
    assert blank.status_code == 429 and WAITING in blank.content.decode()
    answer = client.post(reverse("api-messages", args=[conversation.pk]), {"text": "Three"}, "application/json")
    assert answer.status_code == 429 and WAITING in answer.json()["detail"]
    assert Conversation.objects.count() == 1 and Reply.objects.count() == 2


def test_first_is_who_has_said_nothing_else_that_waits(talks, answering) -> None:
    who_waited: list[bool] = []

    def has_to_wait() -> bool:
        began = time.monotonic()
        precedence.give_way(within_s=0.05)
        return time.monotonic() - began >= 0.05

    def beside(index: int) -> None:
        assert not has_to_wait()
        thread = threading.Thread(target=lambda: who_waited.append(has_to_wait()))
        thread.start()
        thread.join()

    answering(WordByWordResponder("Noted.", between=beside))
    [alone], [busy] = talks("ana", 1), talks("ben", 1)
    say(alone, "I live in Lyon.")
    replies_run()
    say(busy, "I live in Lyon.", "Where do I live?")
    replies_run()
    assert who_waited == [True, False, False]


def test_claim_knows_what_is_asked_where_the_memory_is_not_behind(talks, answering) -> None:
    [conversation] = talks("ana", 1)
    say(conversation, "I live in Lyon.")
    first = next_begin()
    assert first is not None and first.query is not None and first.query.text == "I live in Lyon."
    reply_write(first)
    say(conversation, "Where do I live?")
    second = next_begin()
    assert second is not None and second.query is None, "the round before it is not learnt"

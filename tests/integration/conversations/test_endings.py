"""A reply that is done never looks unfinished: not to a page, a socket or the API, whatever they read while it ended."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from channels.db import database_sync_to_async
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.urls import reverse

from conversations.models import Conversation, Reply, ReplyState
from conversations.services import message_post, reply_run
from tests.integration.conversations.sockets import BrowserSocket

HTMX = {"HTTP_HX_REQUEST": "true"}
PAST_THE_END = 1000


@contextlib.contextmanager
def around_the_reading_of_events(
    before: Callable[[], object], after: Callable[[], object] = lambda: None
) -> Iterator[None]:
    """Act between what is read before the events of a reply and the events, and after them; once."""
    acted: list[str] = []

    def watch(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        if acted or not (sql.startswith("SELECT") and 'FROM "conversations_replyevent"' in sql):
            return execute(sql, params, many, context)
        acted.append(sql)
        before()
        found = execute(sql, params, many, context)
        after()
        return found

    with connection.execute_wrapper(watch):
        yield
    assert acted, "no events were read"


@pytest.fixture
def reader(ana: User) -> Client:
    client = Client()
    client.force_login(ana)
    return client


@pytest.fixture
def asked(conversation: Conversation, answering) -> Reply:
    return message_post(conversation=conversation, text="Where do I live?")


def run(reply: Reply) -> None:
    reply_run(reply_id=reply.pk)


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["conversation", "reply", "reply-round"])
def test_page_of_a_reply_that_ends_while_it_is_read_shows_the_end(reader, asked, name):
    path = reverse(name, args=[asked.conversation_id if name == "conversation" else asked.pk])
    with around_the_reading_of_events(lambda: run(asked)):
        html = reader.get(path, **({} if name == "conversation" else HTMX)).content.decode()
    assert 'data-state="done"' in html and "You live in Paris." in html
    assert "data-live" not in html and "Answering" not in html


@pytest.mark.django_db
def test_page_of_a_reply_that_ends_and_is_taken_back_while_it_is_read_is_not_found(reader, asked):
    with around_the_reading_of_events(lambda: run(asked), asked.delete):
        assert reader.get(reverse("reply", args=[asked.pk]), **HTMX).status_code == 404


@pytest.mark.django_db
def test_api_tells_the_end_whatever_number_was_seen(reader, asked):
    def events(after: int) -> list[dict[str, Any]]:
        return reader.get(reverse("api-reply-events", args=[asked.pk]), {"after": after}).json()

    assert events(PAST_THE_END) == []
    run(asked)
    everything = events(0)
    last = everything[-1]
    assert (last["kind"], last["data"]["state"]) == ("state", "done")
    assert [event["number"] for event in everything] == list(range(1, len(everything) + 1))
    assert events(last["number"]) == events(PAST_THE_END) == [last]


@pytest.fixture
async def opened(ana: User, conversation: Conversation):
    made: list[BrowserSocket] = []

    async def open_one() -> BrowserSocket:
        socket = BrowserSocket(ana, f"/ws/conversations/{conversation.pk}/")
        assert await socket.connect() is None
        made.append(socket)
        return socket

    yield open_one
    for socket in made:
        await socket.leave()


async def until_the_end(socket: BrowserSocket) -> list[dict[str, Any]]:
    seen = [await socket.receive()]
    while seen[-1].get("data", {}).get("state") != "done":
        seen.append(await socket.receive())
    return seen


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("after", ["its last", PAST_THE_END])
async def test_socket_that_comes_after_the_end_is_told_of_it(opened, asked, after):
    await database_sync_to_async(run)(asked)
    count = await database_sync_to_async(asked.events.count)()
    socket = await opened()
    await socket.send({"type": "resume", "reply": asked.pk, "after": count if after == "its last" else after})
    told = await socket.receive()
    assert (told["type"], told["number"], told["data"]["state"]) == ("event", count, ReplyState.DONE)


@pytest.mark.django_db(transaction=True)
async def test_socket_that_resumes_past_the_end_still_gets_what_comes(opened, asked):
    socket = await opened()
    await socket.send({"type": "resume", "reply": asked.pk, "after": PAST_THE_END})
    await socket.send({"type": "ping"})
    assert await socket.receive() == {"type": "pong"}
    await database_sync_to_async(run)(asked)
    numbers = [message["number"] for message in await until_the_end(socket)]
    assert numbers == list(range(2, numbers[-1] + 1))


@pytest.mark.django_db(transaction=True)
async def test_socket_resumes_a_reply_that_ends_while_it_is_read(opened, asked):
    """The number that the page has, and the events after it, are read one after the other: the end is in neither or sent."""
    socket = await opened()
    watched = around_the_reading_of_events(lambda: run(asked))
    await database_sync_to_async(watched.__enter__)()
    await socket.send({"type": "resume", "reply": asked.pk, "after": 1})
    numbers = [message["number"] for message in await until_the_end(socket)]
    await database_sync_to_async(watched.__exit__)(None, None, None)
    assert numbers == list(range(2, numbers[-1] + 1))


@pytest.mark.django_db(transaction=True)
async def test_reply_that_was_taken_back_is_waited_for_no_longer(opened, asked):
    reply_id = asked.pk
    await database_sync_to_async(run)(asked)
    await database_sync_to_async(asked.delete)()
    socket = await opened()
    await socket.send({"type": "resume", "reply": reply_id, "after": 1})
    assert await socket.receive() == {"type": "withdrawn", "reply": reply_id}


@pytest.mark.django_db(transaction=True)
async def test_two_tabs_on_one_reply_see_the_same_events_in_the_same_order(opened, asked):
    first, second = await opened(), await opened()
    await first.send({"type": "resume", "reply": asked.pk, "after": 0})
    shown = [await first.receive()]
    await database_sync_to_async(run)(asked)
    shown += await until_the_end(first)
    also_shown = await until_the_end(second)
    assert shown == also_shown
    assert [message["number"] for message in shown] == list(range(1, len(shown) + 1))
    late = await opened()
    await late.send({"type": "resume", "reply": asked.pk, "after": 0})
    assert await until_the_end(late) == shown

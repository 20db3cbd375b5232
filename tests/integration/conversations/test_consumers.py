"""The sockets: only for their owner, in order, without gaps, and patient with nonsense."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from channels.db import database_sync_to_async
from channels.layers import get_channel_layer
from django.contrib.auth.models import AnonymousUser, User
from django.core.cache import cache

from conversations import allowance, events
from conversations.access import look_at
from conversations.core.types import Stage
from conversations.models import Conversation, Reply, ReplyState
from conversations.services import conversation_create, conversation_delete, message_post, reply_run
from memory.core.reasoning_tree.types import ActionKind, Level
from memory.events import memory_changed
from memory.services import space_personal
from memory.services.members import member_add, member_remove
from tests.fakes.engines import WordByWordResponder
from tests.fakes.searching import ROOT, SearchingResponder, node, result
from tests.integration.conversations.sockets import BrowserSocket

pytestmark = pytest.mark.django_db(transaction=True)
Open = Callable[..., Any]


@pytest.fixture(autouse=True)
def fresh_allowance() -> None:
    cache.clear()


@pytest.fixture
async def opened() -> AsyncIterator[Open]:
    """Open sockets as a person, and close them after the test."""
    made: list[BrowserSocket] = []

    async def open_as(user: Any, path: str) -> BrowserSocket:
        socket = BrowserSocket(user, path)
        assert await socket.connect() is None
        made.append(socket)
        return socket

    yield open_as
    for socket in made:
        await socket.leave()
    # A look that the last socket left behind would meet the database being emptied.
    await look_at([])


def address(conversation: Conversation) -> str:
    return f"/ws/conversations/{conversation.pk}/"


def say(conversation: Conversation, text: str) -> Reply:
    return message_post(conversation=conversation, text=text)


def record(reply: Reply, number: int, kind: str, data: dict[str, object]) -> None:
    events.record(reply, number=number, kind=kind, data=data)


async def test_socket_of_another_or_of_nobody_is_refused(conversation):
    ben = await sync_to_async(User.objects.create_user)("ben")
    for user in (ben, AnonymousUser()):
        for path in (address(conversation), f"/ws/spaces/{conversation.space_id}/"):
            assert await BrowserSocket(user, path).connect() == 4404


async def test_message_is_posted_once_and_its_reply_arrives_in_order(opened, conversation, ana, answering):
    answering(WordByWordResponder("You live in Paris, as you said."))
    socket = await opened(ana, address(conversation))
    for _ in range(2):
        await socket.send({"type": "message", "text": "Where do I live?", "key": "k1"})
    first = await socket.until("posted")
    second = await socket.until("posted")
    reply_id = first[-1]["reply"]
    assert second[-1] == {"type": "posted", "key": "k1", "reply": reply_id}
    await database_sync_to_async(reply_run)(reply_id=reply_id)
    seen = [message for message in first + second if message["type"] == "event"]
    while not seen or seen[-1]["data"].get("state") != "done":
        message = await socket.receive()
        if message["type"] == "event":
            seen.append(message)
    assert [message["number"] for message in seen] == list(range(1, len(seen) + 1))
    words = "".join(message["data"]["text"] for message in seen if message["kind"] == "delta")
    assert words == "You live in Paris, as you said."


async def test_resume_replays_what_comes_after_the_last_number(opened, conversation, ana):
    reply = await database_sync_to_async(say)(conversation, "Hello")
    for number in range(2, 7):
        await database_sync_to_async(record)(reply, number, "delta", {"text": str(number)})
    socket = await opened(ana, address(conversation))
    await socket.send({"type": "resume", "reply": reply.pk, "after": 3})
    assert [(await socket.receive())["number"] for _ in range(3)] == [4, 5, 6]
    await database_sync_to_async(record)(reply, 7, "delta", {"text": "7"})
    assert (await socket.receive())["number"] == 7


async def test_lost_wakeups_leave_no_gap_and_no_double(opened, conversation, ana, monkeypatch):
    reply = await database_sync_to_async(say)(conversation, "Hello")
    socket = await opened(ana, address(conversation))
    with monkeypatch.context() as silent:
        silent.setattr(events, "send_to_group", lambda group, message: None)
        for number in (2, 3, 4):
            await database_sync_to_async(record)(reply, number, "delta", {"text": str(number)})
    await database_sync_to_async(record)(reply, 5, "delta", {"text": "5"})
    assert [(await socket.receive())["number"] for _ in range(5)] == [1, 2, 3, 4, 5]
    late = {"type": "reply.event", "reply": reply.pk, "number": 3, "kind": "delta", "data": {"text": "3"}}
    await get_channel_layer().group_send(events.conversation_group(conversation.pk), late)
    assert await socket.receive_nothing(timeout=0.3)


async def test_levels_of_a_search_come_in_order_while_it_runs_and_are_replayed(opened, conversation, ana, answering):
    levels = (Level(0, (ROOT,), 0, 0.0), Level(1, (node(1, ROOT, ActionKind.THINK, text="Hm."),), 2, 5.0))
    answering(SearchingResponder(Stage("search", "thought it over"), *levels, result(None), text="I do not know."))
    reply = await database_sync_to_async(say)(conversation, "Where does Maya work?")
    watching = await opened(ana, address(conversation))
    await watching.send({"type": "resume", "reply": reply.pk, "after": 0})
    seen = [await watching.receive()]
    await database_sync_to_async(reply_run)(reply_id=reply.pk)
    while seen[-1].get("data", {}).get("state") != "done":
        seen.append(await watching.receive())
    events = [message for message in seen if message["type"] == "event"]
    kinds = [message["kind"] for message in events]
    assert kinds == ["state", "state", "step", "step", "step", "step", "delta", "step", "state"]
    assert [message["data"] for message in events[2:6]] == [
        {"steps": [1], "kinds": ["stage"], "line": "thought it over"},
        {"steps": [2, 3], "kinds": ["search", "search_node"]},
        {"steps": [4], "kinds": ["search_node"]},
        {"steps": [2], "kinds": ["search"]},
    ]
    late = await opened(ana, address(conversation))
    await late.send({"type": "resume", "reply": reply.pk, "after": 3})
    replayed = [await late.receive() for _ in range(len(events) - 3)]
    assert replayed == events[3:]


async def test_reply_of_another_conversation_is_not_resumed_or_stopped(opened, conversation, ana):
    def elsewhere() -> Reply:
        ben = User.objects.create_user("ben")
        return say(conversation_create(owner=ben, space=space_personal(user=ben)), "A secret")

    reply = await database_sync_to_async(elsewhere)()
    socket = await opened(ana, address(conversation))
    await socket.send({"type": "resume", "reply": reply.pk, "after": 0})
    assert await socket.receive() == {"type": "withdrawn", "reply": reply.pk}
    await socket.send({"type": "stop", "reply": reply.pk})
    assert (await socket.receive())["type"] == "refused"
    await database_sync_to_async(reply.refresh_from_db)()
    assert not reply.stop_requested


async def test_stop_withdraws_a_reply_that_waits(opened, conversation, ana):
    reply = await database_sync_to_async(say)(conversation, "Hello")
    socket = await opened(ana, address(conversation))
    await socket.send({"type": "stop", "reply": reply.pk})
    await socket.send({"type": "ping"})
    await socket.until("pong")
    await database_sync_to_async(reply.refresh_from_db)()
    assert reply.stop_requested and reply.state == ReplyState.STOPPED


@pytest.mark.parametrize(
    "frame",
    [
        "not json",
        "[1, 2]",
        '{"type": "message", "text": 5, "key": "k"}',
        '{"type": "message", "text": "no key", "key": ""}',
        '{"type": "resume", "reply": true, "after": 0}',
        '{"type": "resume", "reply": 99999999999999999999, "after": 0}',
        '{"type": "resume", "reply": 1, "after": -1}',
        '{"type": "delete everything"}',
        '{"type": "message", "text": "a\\u0000b", "key": "k"}',
        '{"type": "message", "text": "Hello", "key": "a\\ud800"}',
        '{"type": "\\u0000", "more": [{"\\udfff": 1}]}',
        "[" * 100_000,
    ],
)
async def test_nonsense_is_refused_with_a_sentence_and_the_socket_lives_on(opened, conversation, ana, frame):
    socket = await opened(ana, address(conversation))
    await socket.send_text(frame)
    answer = await socket.receive()
    assert answer["type"] == "refused" and answer["message"].endswith((".", "again."))
    await socket.send({"type": "ping"})
    assert await socket.receive() == {"type": "pong"}


async def test_message_that_is_empty_or_too_long_is_refused_with_its_key(opened, conversation, ana):
    socket = await opened(ana, address(conversation))
    for text, said in (("   ", "empty"), ("x" * 20_001, "20,001 characters")):
        await socket.send({"type": "message", "text": text, "key": "k"})
        answer = await socket.receive()
        assert (answer["type"], answer["key"]) == ("refused", "k")
        assert said in answer["message"]


async def test_key_of_another_message_is_refused(opened, conversation, ana):
    socket = await opened(ana, address(conversation))
    await socket.send({"type": "message", "text": "Hello", "key": "k"})
    await socket.until("posted")
    await socket.send({"type": "message", "text": "Goodbye", "key": "k"})
    refused = (await socket.until("refused"))[-1]
    said = "Another message was sent under the same key. This one was not taken; send it again."
    assert refused == {"type": "refused", "key": "k", "message": said}


async def test_frame_over_the_limit_is_refused_unread(opened, conversation, ana):
    socket = await opened(ana, address(conversation))
    await socket.send({"type": "message", "text": "x" * 200_000, "key": "k"})
    assert "too much for one message" in (await socket.receive())["message"]


async def test_messages_over_the_allowance_are_refused(opened, conversation, ana, monkeypatch):
    monkeypatch.setattr(allowance, "MESSAGES_A_MINUTE", 1)
    monkeypatch.setattr(allowance.time, "time", lambda: 1_000_000.0)
    socket = await opened(ana, address(conversation))
    for key in ("a", "b"):
        await socket.send({"type": "message", "text": "Hello", "key": key})
    refused = (await socket.until("refused"))[-1]
    assert refused["key"] == "b"


async def test_flood_of_frames_closes_the_socket(opened, conversation, ana):
    socket = await opened(ana, address(conversation))
    for _ in range(260):
        await socket.send({"type": "ping"})
    assert await socket.closed() == 4429


async def test_changed_memory_is_told_to_the_conversation_and_to_the_space(opened, conversation, ana):
    talk = await opened(ana, address(conversation))
    margin = await opened(ana, f"/ws/spaces/{conversation.space_id}/")
    await database_sync_to_async(memory_changed)(space_id=conversation.space_id)
    assert await talk.receive() == {"type": "memory"}
    assert await margin.receive() == {"type": "memory"}


async def test_end_of_a_check_is_told_to_the_page_of_its_conversation_alone(opened, conversation, ana):
    talk = await opened(ana, address(conversation))
    margin = await opened(ana, f"/ws/spaces/{conversation.space_id}/")
    await database_sync_to_async(events.reply_checked)(conversation_id=conversation.pk, reply_id=7)
    await database_sync_to_async(memory_changed)(space_id=conversation.space_id)
    assert await talk.receive() == {"type": "checked", "reply": 7}
    assert await margin.receive() == {"type": "memory"}


async def test_signed_out_person_can_send_nothing_more(conversation, opened):
    socket = await opened(conversation.owner, address(conversation))
    await sync_to_async(socket.session.delete)()
    await socket.send({"type": "message", "text": "Still here?", "key": "k1"})
    assert await socket.closed() == 4404
    assert not await Reply.objects.aexists()


async def test_removed_member_sees_nothing_more_of_a_space(conversation, opened):
    guest = await database_sync_to_async(User.objects.create_user)("guest")
    membership = await database_sync_to_async(member_add)(space=conversation.space, user=guest)
    theirs = await opened(guest, f"/ws/spaces/{conversation.space_id}/")
    mine = await opened(conversation.owner, f"/ws/spaces/{conversation.space_id}/")
    await database_sync_to_async(member_remove)(membership=membership)
    assert await theirs.closed() == 4404
    await database_sync_to_async(memory_changed)(space_id=conversation.space_id)
    assert (await mine.receive())["type"] == "memory"


async def test_message_into_a_conversation_that_was_deleted_closes_the_socket(opened, conversation, ana):
    socket = await opened(ana, address(conversation))
    await database_sync_to_async(conversation_delete)(conversation=conversation)
    await socket.send({"type": "message", "text": "Still there?", "key": "k"})
    assert await socket.closed() == 4404

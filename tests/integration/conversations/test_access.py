"""A socket ends with the session that it was opened with, and says nothing after that moment."""

from __future__ import annotations

import asyncio
import shutil
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from channels.consumer import AsyncConsumer
from channels.db import database_sync_to_async
from channels.layers import get_channel_layer
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session as BrowserSession
from django.db import OperationalError
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from redis import Redis
from redis.backoff import ConstantBackoff
from redis.retry import Retry

from conversations import access
from conversations.events import conversation_group
from conversations.models import Conversation, Reply
from memory import events
from memory.models import Membership
from memory.selectors.access import Claim, claims_that_hold
from tests.e2e.team_servers import redis_server
from tests.integration.conversations.sockets import BrowserSocket
from tests.threads import seeing_thread

pytestmark = pytest.mark.django_db(transaction=True)
Open = Callable[..., Any]
End = Callable[[BrowserSocket, Conversation], object]
PASSWORD = "correct horse battery"


@pytest.fixture
async def opened() -> AsyncIterator[Open]:
    made: list[BrowserSocket] = []

    async def open_as(user: User, path: str) -> BrowserSocket:
        socket = BrowserSocket(user, path)
        assert await socket.connect() is None
        made.append(socket)
        return socket

    yield open_as
    for socket in made:
        await socket.leave()


@pytest.fixture(params=["embedded", "team"])
def channel_layer(request: pytest.FixtureRequest, settings: Any, tmp_path: Path) -> Iterator[None]:
    """The channel layer of each way to run the product."""
    if request.param == "embedded":
        yield
        return
    if shutil.which("redis-server") is None:
        pytest.skip("redis-server is not installed")
    with redis_server(tmp_path) as address:
        Redis.from_url(address, retry=Retry(ConstantBackoff(0.1), 100)).ping()
        layer = "channels_redis.pubsub.RedisPubSubChannelLayer"
        settings.CHANNEL_LAYERS = {"default": {"BACKEND": layer, "CONFIG": {"hosts": [address]}}}
        yield


def talk(conversation: Conversation) -> str:
    return f"/ws/conversations/{conversation.pk}/"


def browser_of(socket: BrowserSocket) -> Client:
    browser = Client()
    browser.cookies["sessionid"] = socket.session.session_key
    return browser


def sign_out(socket: BrowserSocket, conversation: Conversation) -> None:
    assert browser_of(socket).post(reverse("sign-out")).status_code == 302


def change_password(socket: BrowserSocket, conversation: Conversation) -> None:
    form = {"new_password1": PASSWORD, "new_password2": PASSWORD}
    assert browser_of(socket).post(reverse("password"), form).status_code == 302


def change_password_elsewhere(socket: BrowserSocket, conversation: Conversation) -> None:
    owner = User.objects.get(pk=conversation.owner_id)
    owner.set_password(PASSWORD)
    owner.save()


def switch_off(socket: BrowserSocket, conversation: Conversation) -> None:
    owner = User.objects.get(pk=conversation.owner_id)
    owner.is_active = False
    owner.save(update_fields=["is_active"])


def delete_account(socket: BrowserSocket, conversation: Conversation) -> None:
    User.objects.get(pk=conversation.owner_id).delete()


def delete_session(socket: BrowserSocket, conversation: Conversation) -> None:
    BrowserSession.objects.filter(session_key=socket.session.session_key).delete()


def remove_member(socket: BrowserSocket, conversation: Conversation) -> None:
    Membership.objects.filter(space_id=conversation.space_id).delete()


ENDINGS = [
    sign_out,
    change_password,
    change_password_elsewhere,
    switch_off,
    delete_account,
    delete_session,
    remove_member,
]


# What nobody tells of, as where another program writes to the database.
def expire(socket: BrowserSocket, conversation: Conversation) -> None:
    BrowserSession.objects.update(expire_date=timezone.now() - timedelta(seconds=1))


def delete_session_silently(socket: BrowserSocket, conversation: Conversation) -> None:
    BrowserSession.objects.all()._raw_delete("default")


def switch_off_silently(socket: BrowserSocket, conversation: Conversation) -> None:
    User.objects.update(is_active=False)


def change_password_silently(socket: BrowserSocket, conversation: Conversation) -> None:
    User.objects.update(password="!")


def remove_member_silently(socket: BrowserSocket, conversation: Conversation) -> None:
    Membership.objects.all()._raw_delete("default")


SILENT = [
    expire,
    delete_session_silently,
    switch_off_silently,
    change_password_silently,
    remove_member_silently,
]


def name_of(ending: End) -> str:
    return ending.__name__


async def test_sockets_of_another_session_go_on(opened, conversation, ana, monkeypatch):
    monkeypatch.setattr(access, "LOOK_S", 3600)
    phone, desk = [await opened(ana, f"/ws/spaces/{conversation.space_id}/") for _ in range(2)]
    await database_sync_to_async(sign_out)(phone, conversation)
    assert await phone.closed() == 4404
    await desk.send({"type": "ping"})
    assert await desk.receive() == {"type": "pong"}


@pytest.mark.parametrize("ending", SILENT, ids=name_of)
async def test_sockets_end_within_seconds_of_what_nobody_tells(opened, conversation, ana, ending, monkeypatch):
    assert access.LOOK_S <= 2
    monkeypatch.setattr(access, "LOOK_S", 0.2)
    sockets = [await opened(ana, path) for path in (talk(conversation), f"/ws/spaces/{conversation.space_id}/")]
    await database_sync_to_async(ending)(sockets[0], conversation)
    assert [await socket.closed() for socket in sockets] == [4404, 4404]


@pytest.mark.parametrize("ending", SILENT, ids=name_of)
async def test_what_ended_opens_no_socket(conversation, ana, ending):
    sockets = [BrowserSocket(ana, path) for path in (talk(conversation), f"/ws/spaces/{conversation.space_id}/")]
    for socket in sockets:
        await socket.sign_in()
    await database_sync_to_async(ending)(sockets[0], conversation)
    assert [await socket.connect() for socket in sockets] == [4404, 4404]


class Stream:
    """A reply that streams from a thread, a word a millisecond, and when each word left the server."""

    def __init__(self, conversation: Conversation, monkeypatch: pytest.MonkeyPatch, *, frame_s: float = 0) -> None:
        self.left: list[tuple[float, dict[str, Any]]] = []
        self.group = conversation_group(conversation.pk)
        self.number = 0
        self.is_over = threading.Event()
        send = AsyncConsumer.send

        async def noted(consumer: AsyncConsumer, message: dict[str, Any]) -> None:
            if message["type"] == "websocket.send":
                self.left.append((time.monotonic(), message))
                await asyncio.sleep(frame_s)
            await send(consumer, message)

        monkeypatch.setattr(AsyncConsumer, "send", noted)

    def say_word(self) -> None:
        self.number += 1
        word = {"type": "reply.event", "reply": 1, "number": self.number, "kind": "delta", "data": {"text": "word "}}
        events.send_to_group(self.group, word)

    def run(self) -> None:
        while not self.is_over.is_set():
            self.say_word()
            time.sleep(0.001)

    async def has_said(self, count: int) -> None:
        async with asyncio.timeout(20):
            while len(self.left) < count:
                await asyncio.sleep(0.005)


@pytest.mark.parametrize("ending", ENDINGS, ids=name_of)
async def test_nothing_is_said_after_the_end_in_the_middle_of_a_reply(opened, conversation, ana, ending, monkeypatch):
    monkeypatch.setattr(access, "LOOK_S", 3600)
    socket = await opened(ana, talk(conversation))
    stream = Stream(conversation, monkeypatch)
    writer = seeing_thread(target=stream.run)
    writer.start()
    try:
        await stream.has_said(50)

        def end() -> float:
            ending(socket, conversation)
            return time.monotonic()

        ended_at = await database_sync_to_async(end)()
        assert await socket.closed() == 4404
        await asyncio.sleep(0.2)
    finally:
        stream.is_over.set()
        writer.join()
    assert [moment for moment, _ in stream.left if moment > ended_at] == []


async def test_what_was_queued_before_the_end_is_not_said_after_it(opened, conversation, ana, monkeypatch):
    monkeypatch.setattr(access, "LOOK_S", 3600)
    socket = await opened(ana, talk(conversation))
    stream = Stream(conversation, monkeypatch, frame_s=0.02)
    await asyncio.to_thread(lambda: [stream.say_word() for _ in range(500)])
    await stream.has_said(5)

    def end() -> float:
        sign_out(socket, conversation)
        return time.monotonic()

    ended_at = await database_sync_to_async(end)()
    assert await socket.closed() == 4404
    await asyncio.sleep(0.2)
    assert len(stream.left) < 400
    assert [moment for moment, _ in stream.left if moment > ended_at] == []


async def test_end_of_one_session_leaves_no_gap_in_what_another_is_told(opened, conversation, ana, monkeypatch):
    phone, desk = await opened(ana, talk(conversation)), await opened(ana, talk(conversation))
    stream = Stream(conversation, monkeypatch)
    writer = seeing_thread(target=stream.run)
    writer.start()
    try:
        await stream.has_said(100)
        await database_sync_to_async(sign_out)(phone, conversation)
        assert await phone.closed() == 4404
        await stream.has_said(len(stream.left) + 100)
    finally:
        stream.is_over.set()
        writer.join()
    numbers = [(await desk.receive())["number"] for _ in range(stream.number)]
    assert numbers == list(range(1, stream.number + 1))


async def test_end_in_another_process_is_heard(channel_layer, opened, conversation, ana, monkeypatch):
    monkeypatch.setattr(access, "LOOK_S", 3600)
    socket = await opened(ana, talk(conversation))
    await asyncio.sleep(0.3)  # until the layer has taken note of who listens
    monkeypatch.setattr(events.access_withdrawn, "send", lambda **told: [])
    await database_sync_to_async(sign_out)(socket, conversation)
    assert await socket.closed() == 4404


async def test_nothing_is_said_while_the_database_cannot_say_who_is_signed_in(opened, conversation, ana, monkeypatch):
    monkeypatch.setattr(access, "LOOK_S", 0.1)
    socket = await opened(ana, talk(conversation))

    async def out_of_reach(claims: object) -> set[Claim]:
        raise OperationalError("no database")

    with monkeypatch.context() as broken:
        broken.setattr(access, "look_at", out_of_reach)
        await asyncio.sleep(0.3)
        await get_channel_layer().group_send(conversation_group(conversation.pk), {"type": "conversation.changed"})
        assert await socket.receive_nothing(timeout=0.3)
    assert await socket.receive() == {"type": "conversation"}


async def test_message_of_a_session_that_nobody_told_the_end_of_is_not_taken(opened, conversation, ana, monkeypatch):
    monkeypatch.setattr(access, "LOOK_S", 3600)
    socket = await opened(ana, talk(conversation))
    await database_sync_to_async(delete_session_silently)(socket, conversation)
    await socket.send({"type": "message", "text": "Still here?", "key": "k"})
    assert await socket.closed() == 4404
    assert not await Reply.objects.aexists()


def test_all_sockets_are_looked_at_in_three_queries(conversation, ana, django_assert_num_queries):
    browsers = [Client() for _ in range(20)]
    for browser in browsers:
        browser.force_login(ana)
    keys = [browser.session.session_key for browser in browsers]
    browsers[0].logout()
    claims = {Claim(key, ana.pk, conversation.space_id) for key in keys}
    with django_assert_num_queries(3):
        allowed = claims_that_hold(claims | {Claim(keys[1], ana.pk + 1, conversation.space_id)})
    assert allowed == {Claim(key, ana.pk, conversation.space_id) for key in keys[1:]}
    assert claims_that_hold({Claim(keys[1], ana.pk, conversation.space_id + 1)}) == set()

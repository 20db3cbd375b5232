"""What requests, sockets, tasks and threads see where a query forgets to ask whose the rows are."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from channels.db import database_sync_to_async
from django.contrib.auth.models import AnonymousUser, User
from django.db import connection, transaction
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.test import RequestFactory
from django.urls import reverse
from rest_framework.test import APIClient

import conversations.selectors
import memory.tasks
from conversations.models import Conversation
from conversations.services import conversation_create, message_post
from conversations.tasks import write_replies
from dsmart_web.queues import queue_states
from dsmart_web.scope_of_requests import ScopeMiddleware
from memory.adapters.row_security.scope import NOTHING, carrying, everything, of_person, spaces, within
from memory.models import GraphCheckRecord, Space
from memory.selectors.access import space_of
from memory.services import space_create
from memory.services.tokens import token_make
from tests.integration.conversations.sockets import BrowserSocket

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def ana(db) -> Space:
    return space_create(name="ana", owner=User.objects.create_user("ana"))


@pytest.fixture
def ben(ana) -> Space:
    return space_create(name="ben", owner=User.objects.create_user("ben"))


def visible() -> list[str]:
    """Return the names of all spaces, as a query that forgot its filter does."""
    with connection.cursor() as cursor:
        cursor.execute("select name from memory_space order by name")
        return [name for (name,) in cursor.fetchall()]


def owner_of(space: Space) -> User:
    return space.members.get()


def answer(request: HttpRequest) -> HttpResponse:
    return HttpResponse(" ".join(visible()))


def streamed(request: HttpRequest) -> StreamingHttpResponse:
    return StreamingHttpResponse(name for _ in range(2) for name in visible())


def asked(user: Any, path: str = "/", view: Any = answer) -> Any:
    request = RequestFactory().get(path)
    request.user = user
    return ScopeMiddleware(view)(request)


def test_request_sees_the_spaces_of_its_user(ana, ben):
    assert asked(owner_of(ben)).content == b"ben"
    assert asked(AnonymousUser()).content == b""
    admin = User.objects.create_superuser("admin")
    assert asked(admin).content == b""
    assert asked(admin, reverse("admin:index")).content == b"ana ben"
    assert asked(owner_of(ben), reverse("admin:index")).content == b"ben"
    assert visible() == ["ana", "ben"]  # the test's own scope is back


def test_stream_sees_what_its_request_saw(ana, ben):
    response = asked(owner_of(ana), view=streamed)
    with within(NOTHING):
        assert b"".join(response.streaming_content) == b"anaana"
        assert visible() == []


async def test_stream_of_an_event_loop_sees_what_its_request_saw(ana, ben):
    async def pieces() -> Any:
        for _ in range(2):
            for name in await sync_to_async(visible)():
                yield name

    user = await sync_to_async(owner_of)(ana)
    response = await sync_to_async(asked)(user, view=lambda request: StreamingHttpResponse(pieces()))
    with within(NOTHING):
        assert [piece async for piece in response.streaming_content] == [b"ana", b"ana"]


def test_api_that_forgets_its_filter_tells_nothing_of_others(ana, ben, monkeypatch):
    monkeypatch.setattr("memory.api.spaces.selectors.spaces_of", lambda user: Space.objects.order_by("id"))
    api = APIClient()
    api.credentials(HTTP_AUTHORIZATION=f"Token {token_make(user=owner_of(ben))}")
    with within(NOTHING):
        listed = api.get(reverse("api-spaces")).json()["results"]
        hers = api.get(reverse("api-space", args=[ana.pk]))
        after = visible()
    assert ([one["name"] for one in listed], hers.status_code, after) == (["ben"], 404, [])


async def test_socket_that_forgets_its_filter_opens_nobodys_conversation(ana, ben, monkeypatch):
    def made() -> tuple[Conversation, User]:
        return conversation_create(owner=owner_of(ana), space=ana, title="x"), owner_of(ben)

    conversation, stranger = await database_sync_to_async(made)()
    monkeypatch.setattr(conversations.selectors, "conversation_of", lambda user, pk: Conversation.objects.get(pk=pk))
    with within(NOTHING):
        socket = BrowserSocket(stranger, f"/ws/conversations/{conversation.pk}/")
        assert await socket.connect() == 4404


def told_by(task: Any, *args: Any, service: str, module: Any, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return what a task sees in the service that it calls."""
    seen: list[str] = []
    monkeypatch.setattr(module, service, lambda **_: seen.extend(visible()))
    with within(NOTHING):
        task(*args)
        assert visible() == []
    return seen


def test_tasks_of_memory_see_the_space_of_their_id(ana, ben, monkeypatch):
    check = GraphCheckRecord.objects.create(space=ben, reasoner="built-in")
    for task, service, row_id in (
        (memory.tasks.maintain_space, "space_maintain", ben.pk),
        (memory.tasks.index_space, "space_index", ben.pk),
        (memory.tasks.check_graph, "graph_check_run", check.pk),
    ):
        assert told_by(task, row_id, service=service, module=memory.tasks, monkeypatch=monkeypatch) == ["ben"]
    assert (
        told_by(memory.tasks.check_graph, 0, service="graph_check_run", module=memory.tasks, monkeypatch=monkeypatch)
        == []
    )


def test_reply_is_written_within_the_space_of_its_conversation(ana, ben, monkeypatch):
    seen: list[list[str]] = []

    class Looking:
        name = "looking"

        def reply(self, query: object) -> Any:
            seen.append(visible())  # in the thread of the responder
            yield from ()

    monkeypatch.setattr("conversations.bootstrap.responder", lambda name, *, engine, space_id: Looking())
    for space in (ana, ben):
        said = conversation_create(owner=owner_of(space), space=space, title="x")
        message_post(conversation=said, text="Hello")
    with within(NOTHING):
        assert write_replies() == 2
        assert visible() == []
    assert seen == [["ana"], ["ben"]]


def test_task_that_is_killed_leaves_no_scope_on_its_connection(ana, ben, monkeypatch):
    def killed(**_: object) -> None:
        with transaction.atomic():
            assert visible() == ["ben"]
            raise SystemExit

    monkeypatch.setattr(memory.tasks, "space_maintain", killed)
    with within(NOTHING):
        with pytest.raises(SystemExit):
            memory.tasks.maintain_space(ben.pk)
        assert visible() == []


def test_thread_begins_with_no_scope_and_carries_one_where_it_is_given(ana, ben):
    seen: list[list[str]] = []

    def look() -> None:
        seen.append(visible())
        connection.close()

    with spaces(ana.pk):
        for work in (look, carrying(look)):
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
    assert seen == [[], ["ana"]]


async def test_thread_of_an_event_loop_sees_what_its_task_does(ana, ben):
    user = await sync_to_async(owner_of)(ben)
    with within(of_person(user.pk)):
        assert await database_sync_to_async(visible)() == ["ben"]
    with within(NOTHING):
        assert await database_sync_to_async(visible)() == []


def test_rollback_of_a_transaction_leaves_no_scope_behind(ana, ben):
    def failing() -> None:
        with transaction.atomic():
            with spaces(ben.pk):
                assert visible() == ["ben"]
            raise KeyError

    with spaces(ana.pk):
        assert visible() == ["ana"]
        with pytest.raises(KeyError):
            failing()
        assert visible() == ["ana"]
    with within(NOTHING):
        assert visible() == []


def test_health_and_what_waits_is_counted_over_all_spaces(ana, ben):
    for space in (ana, ben):
        message_post(conversation=conversation_create(owner=owner_of(space), space=space, title="x"), text="Hello")
    with within(NOTHING):
        assert queue_states()["reply"].length == 2


def test_row_that_is_gone_narrows_to_nothing(ana):
    with space_of(GraphCheckRecord, 0):
        assert visible() == []
    with everything():
        assert visible() == ["ana"]

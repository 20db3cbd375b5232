"""Conversations, messages and replies over the API."""

from __future__ import annotations

import json

import pytest
from django.core.cache import cache
from rest_framework.test import APIClient

from conversations import allowance
from conversations.models import Conversation, Reply, ReplyState
from conversations.services import reply_run
from memory.models import Turn
from memory.services import space_create
from tests.integration.memory.api import address, client_of, results

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def fresh_counts() -> None:
    cache.clear()


@pytest.fixture
def api(ana) -> APIClient:
    return client_of(ana)


@pytest.fixture
def posted(api, conversation, answering) -> Reply:
    answer = api.post(address("messages", conversation.pk), {"text": "Where do I live?", "key": "m"}, format="json")
    return Reply.objects.get(pk=answer.json()["id"])


def test_conversation_is_begun_in_the_own_space(api, ana):
    made = api.post(address("conversations"), {"title": "Plans", "remember": False}, format="json")
    assert made.status_code == 201, made.content
    assert (made.json()["title"], made.json()["is_remembered"]) == ("Plans", False)
    assert made.json()["space"] == ana.memberships.get().space_id


def test_conversation_in_another_persons_space_is_not_found(api, django_user_model):
    foreign = space_create(name="Foreign", owner=django_user_model.objects.create_user("ben"))
    assert api.post(address("conversations"), {"space": foreign.pk}, format="json").status_code == 404
    assert not Conversation.objects.exists()


@pytest.mark.parametrize(
    "body",
    [
        {"engine": "transformers:/etc"},
        {"responder": "nobody"},
        {"title": "x" * 201},
        {"title": "a\x00"},
        {"space": "x"},
        {"remember": "perhaps"},
        [],
    ],
)
def test_hostile_conversation_is_refused(api, body):
    assert api.post(address("conversations"), body, format="json").status_code == 400
    assert not Conversation.objects.exists()


def test_conversation_is_renamed_archived_and_deleted(api, conversation):
    path = address("conversation", conversation.pk)
    assert api.patch(path, {"title": "Plans", "engine": "builtin"}, format="json").json()["title"] == "Plans"
    assert api.patch(path, {"is_archived": True}, format="json").json()["is_archived"] is True
    assert results(api.get(address("conversations"))) == []
    [archived] = results(api.get(address("conversations"), {"archived": True}))
    assert (archived["id"], archived["engine"]) == (conversation.pk, "builtin")
    assert api.patch(path, {"is_archived": False}, format="json").json()["is_archived"] is False
    assert api.patch(path, {"engine": "nobody"}, format="json").status_code == 400
    assert api.delete(path).status_code == 204
    assert not Conversation.objects.exists() and not Turn.objects.exists()


def test_message_is_accepted_with_its_reply_and_stored_once(api, conversation, answering):
    path, body = address("messages", conversation.pk), {"text": "Where do I live?", "key": "m-1"}
    first, again = api.post(path, body, format="json"), api.post(path, body, format="json")
    assert (first.status_code, again.status_code) == (202, 202)
    assert first.json()["state"] == "queued" and first.json()["id"] == again.json()["id"]
    headers = [
        api.post(path, {"text": "And now?"}, format="json", HTTP_IDEMPOTENCY_KEY="m-2").json()["id"] for _ in range(2)
    ]
    assert headers[0] == headers[1] != first.json()["id"]
    assert Turn.objects.count() == 2 and Reply.objects.count() == 2


def test_key_of_another_message_is_a_conflict(api, conversation, answering):
    path = address("messages", conversation.pk)
    api.post(path, {"text": "Where do I live?", "key": "m-1"}, format="json")
    answer = api.post(path, {"text": "And now?", "key": "m-1"}, format="json")
    said = "Another message was sent under the same key. This one was not taken; send it again."
    assert (answer.status_code, answer.json()) == (409, {"detail": said})
    assert Turn.objects.count() == Reply.objects.count() == 1


@pytest.mark.parametrize(
    "text", ["", "  \n ", "a\x07b", "x" * 20_001, None, ["a"], {"a": 1}], ids=lambda text: repr(text)[:12]
)
def test_hostile_message_is_refused_and_nothing_is_stored(api, conversation, text):
    answer = api.post(address("messages", conversation.pk), {"text": text}, format="json")
    assert answer.status_code == 400 and "text" in answer.json()
    assert not Turn.objects.exists() and not Reply.objects.exists()


def test_messages_have_an_allowance(api, conversation, monkeypatch):
    monkeypatch.setattr(allowance, "MESSAGES_A_MINUTE", 2)
    monkeypatch.setattr(allowance.time, "time", lambda: 1_000_000.0)
    path = address("messages", conversation.pk)
    codes = [api.post(path, {"text": f"Words {number}."}, format="json").status_code for number in range(3)]
    assert codes == [202, 202, 429]
    assert Turn.objects.count() == 2


def test_reply_is_followed_by_its_events(api, posted):
    queued = api.get(address("reply-events", posted.pk)).json()
    assert [(event["number"], event["data"]) for event in queued] == [(1, {"state": "queued"})]
    reply_run(reply_id=posted.pk)
    events = api.get(address("reply-events", posted.pk), {"after": 1}).json()
    assert [event["number"] for event in events] == list(range(2, len(events) + 2))
    assert "".join(event["data"]["text"] for event in events if event["kind"] == "delta") == "You live in Paris."
    assert events[-1]["kind"] == "state" and events[-1]["data"]["state"] == "done"
    assert api.get(address("reply", posted.pk)).json()["text"] == "You live in Paris."


@pytest.mark.parametrize("after", ["x", "-1", str(2**40), "1.5"])
def test_events_after_no_number_are_refused(api, posted, after):
    assert api.get(address("reply-events", posted.pk), {"after": after}).status_code == 400


def test_messages_show_what_was_said_and_answered(api, conversation, posted):
    reply_run(reply_id=posted.pk)
    [shown] = api.get(address("messages", conversation.pk)).json()
    assert (shown["message"], shown["reply_text"]) == ("Where do I live?", "You live in Paris.")
    assert shown["reply"]["id"] == posted.pk
    assert api.get(address("messages", conversation.pk), {"before": 0}).json() == []


def test_reply_is_stopped(api, posted):
    assert api.post(address("reply-stop", posted.pk)).status_code == 202
    reply_run(reply_id=posted.pk)
    assert api.get(address("reply", posted.pk)).json()["state"] == "stopped"


def test_reply_is_made_anew_only_when_it_is_finished(api, posted):
    early = api.post(address("reply-regenerate", posted.pk))
    assert early.status_code == 409 and "still being written" in early.json()["detail"]
    reply_run(reply_id=posted.pk)
    fresh = api.post(address("reply-regenerate", posted.pk))
    assert fresh.status_code == 202 and fresh.json()["id"] != posted.pk
    assert Reply.objects.get(round__aside_with=None).pk == fresh.json()["id"]


def test_retry_is_for_failed_replies(api, posted):
    reply_run(reply_id=posted.pk)
    assert api.post(address("reply-retry", posted.pk)).status_code == 409
    Reply.objects.filter(pk=posted.pk).update(state=ReplyState.FAILED)
    assert api.post(address("reply-retry", posted.pk)).status_code == 202


def test_conversation_is_taken_out(api, conversation, posted):
    reply_run(reply_id=posted.pk)
    path = address("conversation-export", conversation.pk)
    document = json.loads(api.get(path).content)
    assert [turn["text"] for turn in document["turns"]] == ["Where do I live?", "You live in Paris."]
    assert "Where do I live?" in api.get(path, {"form": "markdown"}).content.decode()
    assert api.get(path, {"form": "exe"}).status_code == 400


def test_session_of_a_conversation_is_written_by_talking_only(api, conversation):
    session = conversation.session_id
    turn = {"role": "user", "speaker": "Ana", "text": "Hello."}
    assert api.post(address("turns", session), turn, format="json").status_code == 409
    assert api.delete(address("session", session)).status_code == 409
    assert Conversation.objects.exists() and not Turn.objects.exists()


def test_reads_cost_the_same_at_any_length(api, conversation, answering, django_assert_num_queries):
    def talk(number: int) -> Reply:
        path = address("messages", conversation.pk)
        answer = api.post(path, {"text": f"Words {number}.", "key": str(number)}, format="json")
        reply_run(reply_id=answer.json()["id"])
        return Reply.objects.get(pk=answer.json()["id"])

    reply = talk(0)
    for _ in range(2):
        with django_assert_num_queries(1):
            api.get(address("conversations"))
        with django_assert_num_queries(7):
            api.get(address("messages", conversation.pk))
        with django_assert_num_queries(4):
            api.get(address("reply", reply.pk))
        with django_assert_num_queries(6):
            api.get(address("reply-events", reply.pk))
        for number in range(1, 12):
            talk(number)
        for _ in range(10):
            api.post(address("conversations"), {}, format="json")

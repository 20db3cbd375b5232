"""A conversation can be taken out and brought in; a wrong file changes nothing."""

from __future__ import annotations

import json

import pytest

from conversations.core.errors import ImportRefused
from conversations.models import Conversation
from conversations.services import conversation_export, conversation_import, message_post, reply_run
from memory.models import EditRecord, MaintenanceState, Round, Turn

pytestmark = pytest.mark.django_db


@pytest.fixture
def spoken(conversation, answering):
    reply_run(reply_id=message_post(conversation=conversation, text="I live in **Paris** — привет 🙂").pk)
    reply_run(reply_id=message_post(conversation=conversation, text="Where do I live?").pk)
    conversation.refresh_from_db()
    return conversation


def words(conversation: Conversation) -> list[tuple[str, str, str]]:
    return list(Turn.objects.filter(session=conversation.session).values_list("role", "speaker", "text"))


def test_exported_conversation_comes_back_the_same(spoken, ana):
    payload = conversation_export(conversation=spoken, format="json").encode()
    copy = conversation_import(owner=ana, space=spoken.space, payload=payload)
    assert words(copy) == words(spoken)
    marks = Turn.objects.filter(session=copy.session).values_list("role", "is_generated")
    assert set(marks) == {("user", False), ("assistant", True)}
    assert copy.title == spoken.title
    assert copy.session.started_at == spoken.session.started_at
    there, again = json.loads(payload), json.loads(conversation_export(conversation=copy, format="json"))
    traces = [turn.pop("trace") for turn in there["turns"]]
    stage, answer = traces[3]
    assert stage == {"number": 1, "kind": "stage", "data": {"name": "memory", "detail": ""}}
    assert (answer["kind"], answer["data"]["text"]) == ("answer", there["turns"][3]["text"])
    assert [turn.pop("trace") for turn in again["turns"]] == [[]] * 4, "an import passes over the traces"
    assert again == there


def test_imported_words_are_queued_to_be_learnt(spoken, ana):
    payload = conversation_export(conversation=spoken, format="json").encode()
    copy = conversation_import(owner=ana, space=spoken.space, payload=payload)
    states = Round.objects.filter(session=copy.session).values_list("maintenance", flat=True)
    assert list(states) == [MaintenanceState.PENDING] * 2


def test_wish_of_an_imported_chat_is_neither_carried_out_nor_learnt(spoken, ana):
    data = json.loads(conversation_export(conversation=spoken, format="json"))
    data["turns"][2]["text"] = "Forget that I live in Paris."
    copy = conversation_import(owner=ana, space=spoken.space, payload=json.dumps(data).encode())
    states = Round.objects.filter(session=copy.session).values_list("maintenance", "is_wish")
    assert list(states) == [(MaintenanceState.PENDING, False), (MaintenanceState.SKIPPED, True)]
    assert words(copy)[0] == words(spoken)[0]
    assert not EditRecord.objects.exists()


def test_markdown_export_reads_as_a_dialogue(spoken):
    text = conversation_export(conversation=spoken, format="markdown")
    assert text.startswith("# I live in **Paris**")
    assert text.index("**Ana**") < text.index("**assistant**")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda data: b"\xff\xfe\x00", "not text"),
        (lambda data: b"{", "not JSON"),
        (lambda data: b"[" * 100_000, "not JSON"),
        (lambda data: json.dumps([1]).encode(), "not an exported conversation"),
        (lambda data: json.dumps(data | {"format": "other"}).encode(), "format"),
        (lambda data: b'{"version": ' + b"9" * 5_000 + b"}", "not JSON"),
        (lambda data: json.dumps(data | {"title": "a\x00b"}).encode(), "title"),
        (lambda data: json.dumps(data | {"started_at": "9999-12-31T23:59:59-14:00"}).encode(), "started_at"),
        (lambda data: json.dumps(data | {"started_at": "0001-01-01T00:00:00+14:00"}).encode(), "started_at"),
        (lambda data: json.dumps(data | {"turns": [data["turns"][0] | {"speaker": "\0"}]}).encode(), r"turns\.0\.sp"),
        (lambda data: json.dumps(data | {"turns": [{"role": "system"}]}).encode(), r"turns\.0\.role"),
        (lambda data: json.dumps(data | {"turns": [data["turns"][0] | {"text": "a\x00b"}]}).encode(), "Turn 1"),
        (lambda data: b" " * (10 * 1024 * 1024 + 1), "larger than 10 MB"),
    ],
)
def test_wrong_file_is_refused_and_changes_nothing(spoken, ana, change, said):
    data = json.loads(conversation_export(conversation=spoken, format="json"))
    with pytest.raises(ImportRefused, match=said):
        conversation_import(owner=ana, space=spoken.space, payload=change(data))
    assert Conversation.objects.count() == 1

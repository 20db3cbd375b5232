"""What a reply calls noted is stored by then, and is all that it calls so."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from conversations.models import Conversation, Reply, ReplyState
from conversations.services import conversation_create, message_post, reply_run
from memory import bootstrap
from memory.models import MaintenanceState, Round, TripleRecord
from memory.services import space_maintain, space_personal
from tests.fakes.engines import WordEmbedder

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def words_for_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap, "embedder", lambda: WordEmbedder())


def replied(conversation: Conversation, text: str) -> Reply:
    reply = message_post(conversation=conversation, text=text)
    reply_run(reply_id=reply.pk)
    reply.refresh_from_db()
    assert (reply.state, reply.error) == (ReplyState.DONE, "")
    return reply


def stored(reply: Reply) -> list[tuple[str, str]]:
    return list(TripleRecord.objects.filter(round=reply.round_id).values_list("predicate", "value"))


@pytest.mark.parametrize("responder", ["graph", "d_smart", "fused"])
def test_what_is_noted_is_stored_when_it_is_said(ana: User, responder: str) -> None:
    conversation = conversation_create(owner=ana, space=space_personal(user=ana), responder=responder)
    first = replied(conversation, "I live in Lyon.")
    assert (first.text, stored(first)) == ("Noted: you live in Lyon.", [("livesIn", "Lyon")])
    assert Round.objects.get(pk=first.round_id).maintenance == MaintenanceState.PENDING
    space_maintain(space_id=conversation.space_id)
    second = replied(conversation, "I live in Rome now.")
    assert second.text == "Noted: you live in Rome now, no longer in Lyon."
    assert list(TripleRecord.objects.filter(superseded_in=second.round_id).values_list("value", flat=True)) == ["Lyon"]


def test_what_is_said_again_is_not_noted_again(ana: User) -> None:
    conversation = conversation_create(owner=ana, space=space_personal(user=ana), responder="graph")
    replied(conversation, "I live in Lyon.")
    space_maintain(space_id=conversation.space_id)
    again = replied(conversation, "I live in Lyon.")
    assert (again.text, stored(again)) == ("I keep your words, though I read no new fact in them.", [])


def test_answer_rests_on_what_was_just_told(ana: User) -> None:
    conversation = conversation_create(owner=ana, space=space_personal(user=ana), responder="graph")
    reply = replied(conversation, "I live in Lyon. Where do I live?")
    assert reply.text == "Noted: you live in Lyon. You live in Lyon."


def test_chat_without_memory_notes_and_stores_nothing(ana: User) -> None:
    conversation = conversation_create(owner=ana, space=space_personal(user=ana), responder="graph", remember=False)
    reply = replied(conversation, "I live in Lyon.")
    assert (reply.text, stored(reply)) == ("This chat is not remembered.", [])

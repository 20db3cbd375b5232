"""What stayed unknown: every refusal is listed with its question, and is settled in place or by what is said later."""

from __future__ import annotations

import hashlib
from html import unescape

import pytest
from django.contrib.auth.models import User
from django.db.models.signals import post_save
from django.test import Client
from django.urls import reverse

from conversations.core.errors import MessageRefused
from conversations.models import Conversation, Reply, ReplyState
from conversations.selectors import unknowns_in
from conversations.services import conversation_create, message_post, reply_run
from conversations.services.unknowns import SETTLE_TASK, unknown_answer, unknowns_settle
from memory import bootstrap
from memory.models import OutboxRecord, TripleRecord, Turn
from memory.services import space_maintain, space_personal
from tests.fakes.engines import WordEmbedder

pytestmark = pytest.mark.django_db(transaction=True)
DENTIST, EXAM = "Who is my dentist?", "When is my exam?"


@pytest.fixture(autouse=True)
def words_for_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap, "embedder", lambda: WordEmbedder())


@pytest.fixture
def reader(ana: User) -> Client:
    client = Client()
    client.force_login(ana)
    return client


def chat(owner: User, *, responder: str = "d_smart", remember: bool = True) -> Conversation:
    space = space_personal(user=owner)
    return conversation_create(owner=owner, space=space, responder=responder, remember=remember)


def replied(conversation: Conversation, text: str) -> Reply:
    reply = message_post(conversation=conversation, text=text)
    return written(reply)


def written(reply: Reply) -> Reply:
    reply_run(reply_id=reply.pk)
    space_maintain(space_id=reply.conversation.space_id)
    reply.refresh_from_db()
    assert (reply.state, reply.error) == (ReplyState.DONE, "")
    return reply


def listed(reader: Client, conversation: Conversation) -> list[str]:
    page = unescape(reader.get(reverse("space-unknowns", args=[conversation.space_id])).content.decode())
    return [part.partition("</p>")[0] for part in page.split('<p class="need-words">')[1:]]


@pytest.mark.parametrize("responder", ["d_smart", "graph", "sgmem", "goal_mem", "slsm"])
def test_every_refusal_of_a_reply_is_listed_with_its_question(reader: Client, ana: User, responder: str) -> None:
    talk = chat(ana, responder=responder)
    replied(talk, "I live in Lyon.")
    assert replied(talk, "Where do I live?").text.endswith("Lyon.") or responder == "sgmem"
    assert "I don't know that yet." in replied(talk, f"{DENTIST} {EXAM}").text
    assert listed(reader, talk) == [EXAM, DENTIST]


def test_an_unknown_is_answered_in_place_in_the_words_of_the_person(reader: Client, ana: User) -> None:
    talk = chat(ana)
    replied(talk, DENTIST)
    replied(talk, EXAM)
    page = reader.get(reverse("space-unknowns", args=[talk.space_id])).content.decode()
    form = page.split('action="')[1:]
    [action] = [one.partition('"')[0] for one in form if "/unknowns/" in one and DENTIST in one.partition("</form>")[0]]
    refused = reader.post(action, {"text": " "}, follow=True)
    assert (
        "The message is empty." in refused.content.decode() and "Your answer was sent" not in refused.content.decode()
    )
    assert listed(reader, talk) == [EXAM, DENTIST]
    answer = reader.post(action, {"text": "My dentist is called Rita."}, follow=True)
    assert "Your answer was sent to the conversation." in answer.content.decode()
    assert listed(reader, talk) == [EXAM]
    reply = Reply.objects.latest("pk")
    assert reply.round.turns.get().text == "My dentist is called Rita."
    written(reply)
    [rita] = TripleRecord.objects.filter(space=talk.space_id, value="Rita", predicate="hasDentist")
    assert rita.sentence.text == "My dentist is called Rita."
    again = reader.post(action, {"text": "My dentist is called Bob."}, follow=True)
    assert "cannot be answered here any more" in again.content.decode()
    assert listed(reader, talk) == [EXAM]


@pytest.mark.parametrize("text", ["Yes", "ok", "Forget that I live in Lyon."])
def test_what_is_no_answer_is_not_sent_as_one(reader: Client, ana: User, text: str) -> None:
    talk = chat(ana)
    replied(talk, "I live in Lyon.")
    replied(talk, DENTIST)
    assert replied(talk, "Forget that I live in Lyon.").asks_to_forget
    [unknown] = unknowns_in(ana, talk.space)
    answer = reader.post(reverse("unknown-answer", args=[talk.space_id, unknown.pk]), {"text": text}, follow=True)
    assert "Say the answer in a sentence." in answer.content.decode()
    assert Turn.objects.filter(text=text).count() == text.startswith("Forget") and listed(reader, talk) == [DENTIST]


def test_an_unknown_that_was_answered_meanwhile_is_not_answered_twice(ana: User) -> None:
    talk = chat(ana)
    replied(talk, DENTIST)
    [unknown] = unknowns_in(ana, talk.space)
    unknown_answer(unknown=unknown, conversation=talk, text="My dentist is called Rita.")
    with pytest.raises(MessageRefused, match="was answered already"):
        unknown_answer(unknown=unknown, conversation=talk, text="My dentist is called Bob.")
    assert not Turn.objects.filter(text__contains="Bob").exists()


def test_a_question_of_any_length_can_stay_unknown(reader: Client, ana: User) -> None:
    talk = chat(ana)
    noise = "".join(hashlib.sha256(bytes([number])).hexdigest() for number in range(60))
    reply = replied(talk, f"Where does {noise} live?")
    assert reply.state == ReplyState.DONE


def test_an_unknown_is_settled_by_what_is_said_later_in_any_chat(reader: Client, ana: User) -> None:
    talk = chat(ana)
    replied(talk, DENTIST)
    replied(talk, EXAM)
    other = chat(ana)
    promised: list[tuple[str, object]] = []

    def noted(instance: OutboxRecord, **signal: object) -> None:
        promised.append((instance.task, instance.arguments))

    post_save.connect(noted, sender=OutboxRecord)
    try:
        told = replied(other, "My dentist is called Rita.")
    finally:
        post_save.disconnect(noted, sender=OutboxRecord)
    assert (SETTLE_TASK, {"round_id": told.round_id}) in promised
    assert unknowns_settle(round_id=told.round_id) == 1
    assert listed(reader, talk) == [EXAM]
    assert unknowns_settle(round_id=told.round_id) == 0


def test_a_chat_that_is_not_remembered_is_not_answered_in_place(reader: Client, ana: User) -> None:
    talk = chat(ana, remember=False)
    replied(talk, DENTIST)
    page = reader.get(reverse("space-unknowns", args=[talk.space_id])).content.decode()
    assert "asked in a chat that is not remembered" in page and "Answer</button>" not in page

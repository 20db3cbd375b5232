"""The chat over `fused` and `sgmem`: the reply, and the sentences that it stands on in the page."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from conversations.models import ReplyState
from conversations.services import conversation_create, message_post, reply_run
from memory import bootstrap
from memory.core.types import Role
from memory.models import Space
from memory.services import round_add_turn, round_complete, round_open, session_create, space_maintain, space_personal
from tests.fakes.engines import WordEmbedder
from tests.integration.memory.graphs import START

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def words_for_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap, "embedder", lambda: WordEmbedder())


def told(space: Space, *texts: str) -> None:
    session = session_create(space=space, started_at=START)
    for minute, text in enumerate(texts):
        at = START + timedelta(minutes=minute)
        turn = round_open(session=session, speaker="Ana", role=Role.USER, text=text, said_at=at)
        round_add_turn(round=turn.round, speaker="assistant", role=Role.ASSISTANT, text="Noted.", said_at=at)
        round_complete(round=turn.round, engine="builtin")
    space_maintain(space_id=space.pk)


@pytest.mark.parametrize("responder", ["fused", "sgmem"])
def test_a_reply_shows_the_sentences_that_it_stands_on(ana, responder: str) -> None:
    space = space_personal(user=ana)
    told(space, "I planted three cherry trees in the old garden.", "My neighbour keeps bees.")
    conversation = conversation_create(owner=ana, space=space, responder=responder)
    reply = message_post(conversation=conversation, text="Where did I plant the cherry trees?")
    reply_run(reply_id=reply.pk)
    reply.refresh_from_db()
    assert (reply.state, reply.error) == (ReplyState.DONE, "")
    assert reply.text == "In the old garden."
    [used] = reply.sentences_used.select_related("sentence")
    assert (used.sentence.text, used.why) == (
        "I planted three cherry trees in the old garden.",
        "says it in these words",
    )
    client = Client()
    client.force_login(ana)
    page = client.get(reverse("conversation", args=[conversation.pk])).content.decode()
    assert "I planted three cherry trees in the old garden." in page
    assert "says it in these words" in page


def test_both_are_offered_in_plain_words_and_the_recipes_are_not(ana) -> None:
    client = Client()
    client.force_login(ana)
    page = client.get(reverse("talk")).content.decode()
    select = page.partition('<select id="id_responder"')[2].partition("</select>")[0]
    assert '<option value="fused"' in select and "Search what was said" in select
    assert '<option value="sgmem"' in select and "Follow related sentences" in select
    assert "Recipe" not in select


@pytest.mark.parametrize(
    ("told", "asked", "noted"),
    [
        ("I own three cherry trees.", "How many cherry trees do I own?", "Noted: you own "),
        # Whether what was done once is noted is the reader's to judge; it is found in what was said.
        ("I planted three cherry trees.", "How many cherry trees did I plant?", ""),
    ],
)
def test_what_is_told_is_noted_and_can_be_asked_for(ana, told: str, asked: str, noted: str) -> None:
    space = space_personal(user=ana)
    conversation = conversation_create(owner=ana, space=space, responder="fused")
    for text in (told, asked):
        reply = message_post(conversation=conversation, text=text)
        reply_run(reply_id=reply.pk)
        space_maintain(space_id=space.pk)
    first, second = conversation.replies.order_by("id")
    assert first.text.startswith(noted)
    assert second.text == "Three."

"""Added engines in conversations: offered by the memory, named as people named them, replaced where they are gone."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from conversations.core.responders.answers import CANNOT
from conversations.models import Conversation, Reply, ReplyState
from conversations.services import conversation_choose, message_post, reply_run
from memory import bootstrap
from memory.adapters.language_models.scripted import Rule
from memory.adapters.language_models.scripted_server import ScriptedServer
from memory.core.errors import UnknownEngine
from memory.models import EngineRecord, Space
from memory.services import space_create
from memory.services.added_engines import engine_add, engine_change, engine_remove, engines_offer
from memory.services.members import member_add
from tests.fakes.engines import WordByWordResponder

pytestmark = pytest.mark.django_db
GONE = "The engine that this conversation chose is not offered here any more."


@pytest.fixture
def running() -> Iterator[ScriptedServer]:
    bootstrap.reset()
    with ScriptedServer([Rule(reply="Paris is the capital of France.")]) as server:
        yield server
    bootstrap.reset()


@pytest.fixture
def added(ana: User, conversation: Conversation, running: ScriptedServer) -> EngineRecord:
    return engine_add(by=ana, name="Tiny & co", base_url=running.base_url, model="scripted", key="sk-secret")


@pytest.fixture
def reader(ana: User) -> Client:
    client = Client()
    client.force_login(ana)
    return client


def page_of(reader: Client, conversation: Conversation) -> str:
    return reader.get(reverse("conversation", args=[conversation.pk])).content.decode()


def test_conversation_chooses_an_engine_that_its_memory_offers_and_names_it(reader, conversation, added):
    assert f'<option value="{added.engine}" data-has-model' in page_of(reader, conversation)
    reader.post(reverse("conversation-engine", args=[conversation.pk]), {"engine": added.engine, "responder": "base"})
    reply = message_post(conversation=conversation, text="What is the capital of France?")
    reply_run(reply_id=reply.pk)
    reply.refresh_from_db()
    assert (reply.state, reply.engine, reply.text) == (ReplyState.DONE, added.engine, "Paris is the capital of France.")
    page = page_of(reader, conversation)
    assert " · Tiny &amp; co</p>" in page and "sk-secret" not in page and GONE not in page


def test_page_names_engines_in_a_constant_number_of_queries(reader, conversation, added, django_assert_max_num_queries):
    conversation_choose(conversation=conversation, engine=added.engine, responder="base")
    reply_run(reply_id=message_post(conversation=conversation, text="Hello").pk)
    with django_assert_max_num_queries(40) as one:
        page_of(reader, conversation)
    for _ in range(4):
        reply_run(reply_id=message_post(conversation=conversation, text="Hello").pk)
    with django_assert_max_num_queries(len(one.captured_queries)):
        assert page_of(reader, conversation).count(" · Tiny &amp; co</p>") == 5


def test_engine_of_another_memory_is_refused_in_the_words_for_none(reader, ana, conversation, added):
    ben = User.objects.create_user("ben")
    theirs = space_create(name="Ben's", owner=ben)
    member_add(space=theirs, user=ana)
    engines_offer(space=conversation.space, engines=[])
    with pytest.raises(UnknownEngine) as refused:
        conversation_choose(conversation=conversation, engine=added.engine, responder="")
    with pytest.raises(UnknownEngine) as unknown:
        conversation_choose(conversation=conversation, engine="added:999999", responder="")
    assert str(refused.value) == str(unknown.value)
    answer = reader.patch(
        reverse("api-conversation", args=[conversation.pk]),
        {"engine": added.engine, "title": "New"},
        content_type="application/json",
    )
    assert (answer.status_code, answer.json()["engine"]) == (400, [bootstrap.GONE])
    conversation.refresh_from_db()
    assert (conversation.engine, conversation.title) == ("", "")
    page = reader.post(reverse("conversation-engine", args=[conversation.pk]), {"engine": added.engine}, follow=True)
    assert "There is no engine of that name." in page.content.decode()


def test_first_page_offers_each_memorys_engines_for_that_memory(reader, ana, added):
    other = space_create(name="Other", owner=ana)
    elsewhere = space_create(name="Elsewhere", owner=User.objects.create_user("ben"))
    engine_change(engine=added, name="Tiny", base_url=added.base_url, model="scripted", is_shared=True)
    engines_offer(space=elsewhere, engines=[added])
    engines_offer(space=other, engines=[added])
    mine = Space.objects.get(memberships__user=ana, name="My memory")
    engines_offer(space=mine, engines=[])
    page = reader.get(reverse("talk")).content.decode()
    assert re.search(rf'<option value="{added.engine}" data-has-model data-spaces="{other.pk}"', page)
    refused = reader.post(reverse("conversation-new"), {"text": "Hi", "engine": added.engine, "space": mine.pk})
    assert (refused.status_code, bootstrap.GONE in refused.content.decode()) == (422, True)
    reader.post(reverse("conversation-new"), {"text": "Hi", "engine": added.engine, "space": other.pk})
    assert Conversation.objects.get(space=other).engine == added.engine


@pytest.mark.parametrize("how", ["removed", "withdrawn"])
def test_conversation_goes_on_with_the_default_and_says_so(reader, conversation, added, answering, how):
    conversation_choose(conversation=conversation, engine=added.engine, responder="base")
    answering(WordByWordResponder("You live in Paris."))
    if how == "removed":
        engine_remove(engine=added)
    else:
        engines_offer(space=conversation.space, engines=[])
    assert GONE in page_of(reader, conversation)
    reply = message_post(conversation=conversation, text="Where do I live?")
    assert (reply.engine, reply.responder) == ("builtin", "d_smart")
    reply_run(reply_id=reply.pk)
    assert Reply.objects.get().state == ReplyState.DONE
    reader.post(reverse("conversation-engine", args=[conversation.pk]), {"engine": "", "responder": ""})
    assert GONE not in page_of(reader, conversation)


def test_reply_that_was_queued_before_the_engine_went_fails_in_words_and_is_written_at_the_next_try(
    reader, conversation, added
):
    conversation_choose(conversation=conversation, engine=added.engine, responder="base")
    reply = message_post(conversation=conversation, text="Hello")
    engine_remove(engine=added)
    reply_run(reply_id=reply.pk)
    reply.refresh_from_db()
    assert (reply.state, reply.error) == (ReplyState.FAILED, bootstrap.GONE)
    assert " · an engine that was removed</p>" in page_of(reader, conversation)
    reader.post(reverse("reply-retry", args=[reply.pk]))
    assert Reply.objects.get(is_current=True).engine == "builtin"


def test_failed_reply_and_what_the_built_in_engine_cannot_do_lead_to_the_engines(
    reader, conversation, added, answering, running
):
    link = re.escape(f'<a href="{reverse("settings")}#engines">') + "Settings &gt; Engines?</a>"
    answering(WordByWordResponder(CANNOT))
    conversation_choose(conversation=conversation, engine="builtin", responder="")
    reply_run(reply_id=message_post(conversation=conversation, text="Write a poem.").pk)
    assert len(re.findall(link, page_of(reader, conversation))) == 1
    assert '<h2 id="engines">' in reader.get(reverse("settings")).content.decode()
    Reply.objects.update(state=ReplyState.FAILED, text="", error="Check its <key> in Settings > Engines.")
    assert re.search(f"Check its &lt;key&gt; in {link}", page_of(reader, conversation))

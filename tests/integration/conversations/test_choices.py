"""What writes a conversation's replies and how they are found: offered in plain words, refused where it cannot work."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.conf import settings as configured
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from conversations import bootstrap
from conversations.core.choices import RESPONDERS
from conversations.core.errors import ResponderUnavailable
from conversations.models import Conversation, Reply, ReplyState
from conversations.services import conversation_choose, conversation_create, message_post, reply_run
from memory.services import space_personal

pytestmark = pytest.mark.django_db
MODEL = "http:some-model"


@pytest.fixture(autouse=True)
def another_engine(settings) -> None:
    settings.DSMART_EXTRA_ENGINES = [MODEL]


@pytest.fixture
def reader(ana: User) -> Client:
    client = Client()
    client.force_login(ana)
    return client


def test_every_responder_is_described_in_words_and_one_sentence_or_two():
    described = {choice.name: choice for choice in RESPONDERS}
    assert set(bootstrap.responder_names()) <= set(described)
    assert all(choice.explanation.endswith(".") and "_" not in choice.label for choice in RESPONDERS)


def test_setting_takes_the_names_that_are_described():
    assert configured.DSMART_RESPONDER in {bootstrap.AUTO, *(choice.name for choice in RESPONDERS)}


def test_first_page_offers_the_ways_of_answering_with_what_they_do_and_need(reader):
    html = reader.get(reverse("talk")).content.decode()
    select = html[html.index('<select id="id_responder"') :]
    assert re.search(r'<option value="" [^>]*selected>Default</option>', select)
    assert re.search(
        r'<option value="base" [^>]*data-needs-model[^>]*>Answer freely \(needs a language model\)', select
    )
    assert RESPONDERS[0].explanation in select
    engines = html[html.index('<select id="id_engine"') :]
    assert re.search(rf'<option value="{MODEL}" data-has-model', engines)
    assert re.search(r'<option value="builtin"  ?>', engines)


def test_first_message_takes_the_chosen_way(reader):
    reader.post(reverse("conversation-new"), {"text": "Hello", "engine": MODEL, "responder": "base"})
    assert Conversation.objects.get().responder == "base"
    assert Reply.objects.get().responder == "base"


def test_way_that_needs_a_model_is_refused_beside_an_engine_without_one(reader):
    answer = reader.post(reverse("conversation-new"), {"text": "Hello", "engine": "builtin", "responder": "base"})
    assert answer.status_code == 422
    assert "the engine &#x27;builtin&#x27; has none" in answer.content.decode()
    assert not Conversation.objects.exists()


def test_conversation_without_a_choice_follows_the_setting(conversation, settings):
    settings.DSMART_RESPONDER = "base"
    assert message_post(conversation=conversation, text="Hello").responder == "base"
    settings.DSMART_RESPONDER = "graph"
    assert message_post(conversation=conversation, text="Hello again").responder == "graph"


def test_search_is_the_default_where_no_language_model_has_to_be_waited_for():
    assert bootstrap.default_responder("builtin") == "d_smart"
    assert bootstrap.default_responder(MODEL) == "graph"


def test_menu_changes_engine_and_way_together_and_only_if_they_fit(reader, conversation):
    address = reverse("conversation-engine", args=[conversation.pk])
    reader.post(address, {"engine": MODEL, "responder": "base"})
    conversation.refresh_from_db()
    assert (conversation.engine, conversation.responder) == (MODEL, "base")
    html = reader.post(address, {"engine": "builtin", "responder": "base"}, follow=True).content.decode()
    assert "Choose another engine, or another way of answering." in html
    html = reader.post(address, {"engine": "", "responder": "nonsense"}, follow=True).content.decode()
    assert "There is no way of answering of that name." in html
    conversation.refresh_from_db()
    assert (conversation.engine, conversation.responder) == (MODEL, "base")


def test_service_refuses_a_name_that_is_none(ana, conversation):
    with pytest.raises(ResponderUnavailable, match="There is no responder 'nobody'"):
        conversation_create(owner=ana, space=space_personal(user=ana), responder="nobody")
    with pytest.raises(ResponderUnavailable):
        conversation_choose(conversation=conversation, engine="", responder="nobody")
    with pytest.raises(ResponderUnavailable, match=r"Did you mean d_smart\b"):
        conversation_choose(conversation=conversation, engine="", responder="dsmart")


def test_api_chooses_and_refuses_in_the_same_words(reader, conversation):
    address = reverse("api-conversation", args=[conversation.pk])

    def change(**fields: str) -> tuple[int, dict[str, object]]:
        answer = reader.patch(address, fields, content_type="application/json")
        return answer.status_code, answer.json()

    assert change(engine=MODEL, responder="base")[1]["responder"] == "base"
    assert change(responder="")[1]["responder"] == ""
    status, problem = change(engine="builtin", responder="base")
    assert status == 400 and "has none" in str(problem)
    assert change(responder="nobody")[0] == 400
    created = reader.post(
        reverse("api-conversations"), {"responder": "base", "engine": "builtin"}, content_type="application/json"
    )
    assert created.status_code == 400 and "has none" in str(created.json())


def test_role_that_the_settings_name_and_nobody_plays_is_named_on_page_api_and_in_the_reply(
    reader, conversation, settings
):
    settings.DSMART_ROLES = {"read_minds": "prompted"}
    words = "DSMART_ROLES names the role &#x27;read_minds&#x27;. There is no such role."
    page = reader.post(reverse("conversation-new"), {"text": "Hello", "engine": "builtin"})
    assert (page.status_code, words in page.content.decode()) == (422, True)
    created = reader.post(reverse("api-conversations"), {"engine": "builtin"}, content_type="application/json")
    assert created.status_code == 400
    assert created.json()["engine"][0].startswith(unescape(words))
    reply = message_post(conversation=conversation, text="Hello")
    reply_run(reply_id=reply.pk)
    reply.refresh_from_db()
    assert (reply.state, reply.error.startswith(unescape(words))) == (ReplyState.FAILED, True)

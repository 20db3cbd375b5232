"""A chat without memory says so: the responder is told that nothing of it is kept."""

from __future__ import annotations

import pytest

from conversations.services import conversation_create, message_post
from conversations.services.generation import query_of
from memory.services import space_personal

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("remember", [True, False])
def test_query_tells_whether_its_chat_is_remembered(ana, remember):
    conversation = conversation_create(owner=ana, space=space_personal(user=ana), remember=remember)
    reply = message_post(conversation=conversation, text="I live in Lyon.")
    assert query_of(reply).is_remembered is remember

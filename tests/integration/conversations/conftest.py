"""A person with a conversation, and replies by a responder that the test holds."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User

from conversations import bootstrap as conversation_bootstrap
from conversations.models import Conversation
from conversations.services import conversation_create
from memory.services import space_personal
from tests.fakes.engines import WordByWordResponder


@pytest.fixture(autouse=True)
def no_wait_for_memory(settings) -> None:
    """Nothing is learnt in these tests, so no reply waits for it."""
    settings.DSMART_MEMORY_WAIT_S = 0


@pytest.fixture
def ana(db) -> User:
    return User.objects.create_user("ana", first_name="Ana")


@pytest.fixture
def conversation(ana: User) -> Conversation:
    return conversation_create(owner=ana, space=space_personal(user=ana))


@pytest.fixture
def answering(monkeypatch: pytest.MonkeyPatch) -> Callable[[object], None]:
    """Make every reply the work of the given responder."""

    def use(responder: object) -> None:
        monkeypatch.setattr(conversation_bootstrap, "responder", lambda name, *, engine, space_id: responder)

    use(WordByWordResponder("You live in Paris."))
    return use

"""Memory over small providers, so that these tests are about the services."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from memory.models import Space
from memory.services import space_create
from memory.services.sentence_graph import graphs
from tests.fakes.engines import LivesInExtractor, small_models


@pytest.fixture
def ana(db) -> User:
    return User.objects.create_user("ana", first_name="Ana")


@pytest.fixture
def space(ana: User) -> Space:
    return space_create(name="Ana's memory", owner=ana)


@pytest.fixture
def extractor(monkeypatch: pytest.MonkeyPatch) -> LivesInExtractor:
    """The engine of the test: its only role is this extractor."""
    # What this process knows of a memory that a module made once, it may know from another test.
    graphs.cache_clear()
    return small_models(monkeypatch)

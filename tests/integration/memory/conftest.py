"""Memory over small providers, so that these tests are about the services."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from memory import bootstrap
from memory.models import Space
from memory.services import space_create
from tests.fakes.engines import LivesInExtractor, StopSegmenter, WordEmbedder, engine_of


@pytest.fixture
def ana(db) -> User:
    return User.objects.create_user("ana", first_name="Ana")


@pytest.fixture
def space(ana: User) -> Space:
    return space_create(name="Ana's memory", owner=ana)


@pytest.fixture
def extractor(monkeypatch: pytest.MonkeyPatch) -> LivesInExtractor:
    """The engine of the test: its only role is this extractor."""
    made = LivesInExtractor()
    monkeypatch.setattr(bootstrap, "embedder", lambda: WordEmbedder())
    monkeypatch.setattr(bootstrap, "segmenter", lambda: StopSegmenter())
    monkeypatch.setattr(bootstrap, "engine", lambda name="": engine_of(made, name=name))
    return made

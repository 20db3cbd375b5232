"""A replay over small providers: sentences, vectors and facts without any model."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from django.contrib.auth.models import User

from conversations import bootstrap as conversation_bootstrap
from conversations.services import asking
from memory import bootstrap
from memory.models import Space
from memory.services import space_create
from memory.services.accounts import owner_account
from tests.fakes.engines import LivesInExtractor, WordByWordResponder, small_models
from tests.fakes.entailment import JudgingEntailment
from tests.integration.evaluation.checked_talk import checking, conversation, told  # noqa: F401  (fixtures)
from tests.integration.evaluation.scored_talk import use


@pytest.fixture
def owner(db: None) -> User:
    return owner_account()


@pytest.fixture
def small_engine(monkeypatch: pytest.MonkeyPatch) -> LivesInExtractor:
    monkeypatch.setattr(bootstrap, "engine_warm", lambda name="": None)
    return small_models(monkeypatch)


@pytest.fixture
def space(owner: User, small_engine: LivesInExtractor) -> Space:
    return space_create(name="Ana's memory", owner=owner)


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> JudgingEntailment:
    """The configured entailment model: the test tells it what to say."""
    made = JudgingEntailment()
    use(monkeypatch, made)
    return made


@pytest.fixture
def answering(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Make `name` a responder that says the text."""

    def use(**texts: str) -> None:
        monkeypatch.setattr(conversation_bootstrap, "responder_names", lambda: list(texts), raising=False)
        monkeypatch.setattr(conversation_bootstrap, "responder_check", lambda name, *, engine: None)
        monkeypatch.setattr(
            conversation_bootstrap,
            "responder",
            lambda name, *, engine, space_id: WordByWordResponder(texts[name]),
            raising=False,
        )

    assert asking.bootstrap is conversation_bootstrap
    return use


@pytest.fixture
def dialogue_file(tmp_path: Path) -> Callable[..., Path]:
    """Write cases in the jsonl format; each says where its people live, session after session."""

    def write(*cases: dict[str, object], name: str = "homes") -> Path:
        path = tmp_path / f"{name}.jsonl"
        path.write_text("".join(json.dumps(case) + "\n" for case in cases), encoding="utf-8")
        return path

    return write


def moving_case(case_id: str = "ana", *places: str) -> dict[str, object]:
    """A case with a session a place: "I live in <place>.", a reply, and a remark."""
    return {
        "id": case_id,
        "category": "moves",
        "sessions": [
            {
                "started_at": f"2024-03-{day:02}T18:20:00",
                "turns": [
                    {"role": "user", "speaker": "Ana", "text": f"I live in {place}."},
                    {"role": "assistant", "speaker": "Assistant", "text": "Noted."},
                    {"role": "user", "speaker": "Ana", "text": "That is all."},
                ],
            }
            for day, place in enumerate(places or ("Paris", "Lyon"), start=1)
        ],
        "questions": [
            {"question": "Where do I live?", "answers": [(places or ("Lyon",))[-1]], "not": ["Paris"]},
            {"question": "What is my brother's name?", "answers": [], "category": "not known"},
        ],
    }

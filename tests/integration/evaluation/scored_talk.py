"""Rounds with replies of the test's own, and the entailment model that reads them."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memory import bootstrap
from memory.core.ports import EntailmentModel
from memory.core.types import Role
from memory.models import Session, Turn
from memory.services import round_add_turn, round_complete, round_open
from tests.integration.memory.dialogues import START


def use(monkeypatch: pytest.MonkeyPatch, model: EntailmentModel | None, why: str = "") -> None:
    """Make a model the configured one; None is no model, for the reason given."""
    monkeypatch.setattr(bootstrap, "entailment_model", lambda: model)
    monkeypatch.setattr(bootstrap, "entailment_absence", lambda: why)


def talk(session: Session, *messages: tuple[str, str], is_wish: bool = False) -> list[Turn]:
    """Write rounds of a message and a reply down, and return the replies."""
    replies = []
    for text, answer in messages:
        at = START + timedelta(minutes=session.turns.count())
        turn = round_open(session=session, speaker="Ana", role=Role.USER, text=text, said_at=at)
        replies.append(
            round_add_turn(round=turn.round, speaker="assistant", role=Role.ASSISTANT, text=answer, said_at=at)
        )
        round_complete(round=turn.round, is_wish=is_wish)
    return replies

"""Dialogue is written down once, whatever is sent twice."""

from __future__ import annotations

import pytest

from memory.core.types import Role
from memory.models import MaintenanceState, OutboxRecord, Round, Session, Turn
from memory.services import round_complete, round_open, session_create, space_personal
from memory.services.dialogue import MAINTENANCE_TASK
from tests.integration.memory.dialogues import START, new_session, say

pytestmark = pytest.mark.django_db


def test_session_with_a_known_key_is_not_made_again(space):
    assert new_session(space, key="s1").pk == new_session(space, key="s1").pk
    assert new_session(space).pk != new_session(space).pk


def test_round_with_a_known_turn_key_is_not_opened_again(space):
    session = new_session(space)
    words = {"speaker": "Ana", "role": Role.USER, "text": "Hello.", "said_at": START, "key": "k1"}
    first, second = round_open(session=session, **words), round_open(session=session, **words)
    assert first.pk == second.pk
    assert Turn.objects.count() == Round.objects.count() == 1


def test_turns_are_numbered_through_the_session(space):
    session = new_session(space)
    say(session, "One.", "Two.")
    assert list(session.turns.values_list("index", "role")) == [
        (0, "user"), (1, "assistant"), (2, "user"), (3, "assistant"),
    ]  # fmt: skip
    assert list(session.rounds.values_list("index", flat=True)) == [0, 1]


def test_complete_round_promises_its_maintenance_once(space):
    [round] = say(new_session(space), "Hello.")
    round_complete(round=round)
    assert list(OutboxRecord.objects.values_list("task", "arguments")) == [
        ("memory.maintain_space", {"space_id": space.pk})
    ]


def test_round_of_a_session_that_is_not_remembered_is_skipped(space):
    session = session_create(space=space, started_at=START, is_remembered=False)
    [round] = say(session, "I live in Paris.")
    round.refresh_from_db()
    assert round.maintenance == MaintenanceState.SKIPPED
    assert not OutboxRecord.objects.filter(task=MAINTENANCE_TASK).exists()


def test_personal_space_is_made_once(ana):
    assert space_personal(user=ana).pk == space_personal(user=ana).pk
    assert Session.objects.count() == 0

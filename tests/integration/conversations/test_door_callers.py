"""Whom a program acts for: in which memory, and what is sent again."""

from __future__ import annotations

from datetime import date

import pytest
from django.contrib.auth.models import User

from conversations.core.errors import SpaceUnknown
from conversations.doors.callers import Caller, own_grant, space_meant
from conversations.doors.mcp.tools import Tools
from memory.models import Membership, Turn
from memory.services import space_create, space_personal
from memory.services.members import member_add
from memory.services.tokens import TokenGrant

pytestmark = pytest.mark.django_db


def test_token_of_a_memory_that_its_person_left_is_refused(ana):
    ben = User.objects.create_user("ben")
    team = space_create(name="Team", owner=ana)
    member_add(space=team, user=ben)
    grant = TokenGrant(ben, scope="write", space_id=team.pk, token_id=1)
    assert space_meant(grant, "") == team
    Membership.objects.filter(user=ben).delete()
    with pytest.raises(SpaceUnknown, match="not among yours any more"):
        space_meant(grant, "")


def test_what_is_sent_again_after_midnight_is_stored_once(ana, answering, monkeypatch):
    tools = Tools(Caller(own_grant(ana), space_personal(user=ana)), reads_itself=True)
    for day in (1, 2):
        monkeypatch.setattr("django.utils.timezone.localdate", lambda *_, day=day: date(2026, 1, day))
        tools.remember("I live in Porto.", key="k1")
        tools.remember(f"Today is day {day}.", key=f"day {day}")
    told = Turn.objects.order_by("pk").values_list("text", "session__key")
    assert [text for text, _ in told] == ["I live in Porto.", "Today is day 1.", "Today is day 2."]
    assert len({key for _, key in told}) == 2

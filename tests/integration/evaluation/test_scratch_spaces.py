"""Temporary spaces: what they offer while they are used, and what a person gets who keeps one."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from evaluation.services.spaces import scratch_create, space_leave
from memory.models import EngineRecord, Membership, Space

pytestmark = pytest.mark.django_db


def test_kept_space_offers_no_engine_that_another_added_for_themselves(space: Space, owner: User) -> None:
    ben = User.objects.create_user("ben")
    added = [("hers", owner, False), ("shared", owner, True), ("his", ben, False)]
    for name, by, is_shared in added:
        engine = EngineRecord.objects.create(
            name=name, base_url="http://127.0.0.1:1/v1", model="m", is_shared=is_shared, added_by=by
        )
        engine.offered_in.add(space)
    scratch = scratch_create(title="A case", like=space)
    assert set(scratch.engines.values_list("name", flat=True)) == {"hers", "shared", "his"}
    space_leave(space=scratch, to=ben)
    assert set(scratch.engines.values_list("name", flat=True)) == {"shared", "his"}
    [membership] = Membership.objects.filter(space=scratch)
    assert (membership.user, membership.role) == (ben, Membership.Role.OWNER)
    assert space.engines.count() == 3


def test_space_that_nobody_keeps_is_forgotten(space: Space) -> None:
    scratch = scratch_create(title="A case", like=space)
    number = scratch.pk
    space_leave(space=scratch, to=None)
    assert not Space.objects.filter(pk=number).exists()

"""Who takes part in annotation: roles and what they allow, invitations by link, changes and removal."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.exceptions import PermissionDenied
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from evaluation.core.errors import AnnotationRefused, UnknownName
from evaluation.models import (
    Annotation,
    AnnotationItem,
    AnnotationProject,
    Guideline,
    ReviewEvent,
    ReviewInvitation,
    ReviewMember,
)
from evaluation.selectors.annotation.events import events_of
from evaluation.selectors.annotation.projects import people_of, projects_of, review_spaces_of
from evaluation.selectors.annotation.roles import may, role_in
from evaluation.services.annotation.members import (
    invitation_make,
    invitation_take,
    invitation_withdraw,
    member_change,
    member_remove,
)
from evaluation.services.annotation.projects import (
    guideline_add,
    project_close,
    project_delete,
    project_make,
    project_reopen,
)
from evaluation.services.annotation.queue import item_skip
from memory.models import Membership
from memory.selectors import spaces_of
from memory.services import space_forget
from tests.integration.evaluation.annotated import NO, YES, account, item, project, says, team
from tests.threads import seeing_thread

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("role", "allowed"),
    [
        ("owner", {"label", "read", "curate", "own"}),
        ("curator", {"label", "read", "curate"}),
        ("annotator", {"label"}),
        ("reader", {"read"}),
        (None, set()),
    ],
)
def test_each_role_allows_its_acts_and_no_others(role, allowed):
    space, who = team(**({"eve": role} if role else {}))
    eve = who.get("eve") or account("eve")
    assert role_in(space, eve) == role
    assert {act for act in ("label", "read", "curate", "own") if may(role_in(space, eve), act)} == allowed


def test_owners_of_the_memory_are_owners_and_its_members_readers_until_given_a_role():
    space, who = team(ana="annotator")
    ben = account("ben")
    Membership.objects.create(space=space, user=ben)
    Membership.objects.create(space=space, user=who["ana"])
    ReviewMember.objects.create(space=space, user=who["owner"], role="reader")
    assert [role_in(space, user) for user in (who["owner"], who["ana"], ben)] == ["owner", "annotator", "reader"]
    assert [(one.user.username, one.role, one.is_fixed) for one in people_of(space)] == [
        ("ana", "annotator", False), ("ben", "reader", False), ("owner", "owner", True),
    ]  # fmt: skip


def test_projects_are_those_of_spaces_with_a_role_and_give_no_memory():
    space, who = team(ana="annotator")
    made = project(space, who["owner"])
    other, others = team_of_others()
    project(other, others)
    assert list(projects_of(who["ana"])) == [made] == list(projects_of(who["owner"]))
    assert list(review_spaces_of(who["ana"])) == [space] and not spaces_of(who["ana"]).exists()


def team_of_others():
    from memory.services import space_create

    bob = account("bob")
    return space_create(name="Others", owner=bob), bob


def test_invitation_gives_its_role_once():
    space, who = team()
    invitation, secret = invitation_make(space=space, role="annotator", by=who["owner"])
    assert secret not in str(ReviewInvitation.objects.values().get()) and secret not in str(
        list(ReviewEvent.objects.values())
    )
    ana, ben = account("ana"), account("ben")
    assert invitation_take(secret=secret, user=ana).role == "annotator" == role_in(space, ana)
    with pytest.raises(AnnotationRefused, match="used already"):
        invitation_take(secret=secret, user=ben)
    invitation.refresh_from_db()
    assert (invitation.taken_by, role_in(space, ben)) == (ana, None)
    assert [(one.what, one.name) for one in events_of(space)] == [("join", "ana"), ("invite", "owner")]


def test_invitation_ends_by_time_and_by_withdrawal():
    space, who = team()
    ana = account("ana")
    late, secret = invitation_make(space=space, role="reader", by=who["owner"])
    ReviewInvitation.objects.filter(pk=late.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    withdrawn, other = invitation_make(space=space, role="reader", by=who["owner"])
    invitation_withdraw(invitation=withdrawn, by=who["owner"])
    for one in (secret, other):
        with pytest.raises(AnnotationRefused, match="expired"):
            invitation_take(secret=one, user=ana)
    for one in ("", "nonsense", secret[:-1], "\ud800"):
        with pytest.raises(AnnotationRefused, match="no such invitation"):
            invitation_take(secret=one, user=ana)
    assert role_in(space, ana) is None


def test_invitation_taken_by_somebody_who_is_in_stays_good_for_another():
    space, who = team(cur="curator")
    _, secret = invitation_make(space=space, role="annotator", by=who["owner"])
    for name, role in (("cur", "curator"), ("owner", "owner")):
        with pytest.raises(AnnotationRefused, match=f"already, as {role}"):
            invitation_take(secret=secret, user=who[name])
    ben = account("ben")
    Membership.objects.create(space=space, user=ben)
    assert invitation_take(secret=secret, user=ben).role == "annotator" and role_in(space, who["cur"]) == "curator"


def test_only_owners_invite_change_and_remove():
    space, who = team(cur="curator", ana="annotator", rob="reader")
    for name in ("cur", "ana", "rob"):
        for act in (
            lambda by: invitation_make(space=space, role="owner", by=by),
            lambda by: member_change(space=space, user=who["ana"], role="owner", by=by),
            lambda by: member_remove(space=space, user=who["owner"], by=by),
        ):
            with pytest.raises(PermissionDenied):
                act(who[name])
    assert ReviewMember.objects.filter(role="owner").count() == 0 == ReviewInvitation.objects.count()
    with pytest.raises(AnnotationRefused, match="no role 'king'"):
        invitation_make(space=space, role="king", by=who["owner"])


def test_role_is_changed_and_taken_and_people_may_leave():
    space, who = team(ana="annotator")
    eve = account("eve")
    member_change(space=space, user=who["ana"], role="curator", by=who["owner"])
    assert role_in(space, who["ana"]) == "curator"
    member_remove(space=space, user=who["ana"], by=who["ana"])
    assert role_in(space, who["ana"]) is None
    with pytest.raises(AnnotationRefused, match="does not take part"):
        member_change(space=space, user=eve, role="reader", by=who["owner"])
    with pytest.raises(AnnotationRefused, match="given no role"):
        member_remove(space=space, user=eve, by=who["owner"])
    assert [(one.what, one.about["who"]) for one in events_of(space)] == [("remove", "ana"), ("role", "ana")]


def test_last_owner_stays_one():
    space, who = team(ana="owner")
    for act in (
        lambda: member_change(space=space, user=who["owner"], role="reader", by=who["ana"]),
        lambda: member_remove(space=space, user=who["owner"], by=who["owner"]),
    ):
        with pytest.raises(AnnotationRefused, match="owner owns the memory"):
            act()
    Membership.objects.filter(space=space).delete()
    for act in (
        lambda: member_change(space=space, user=who["ana"], role="reader", by=who["ana"]),
        lambda: member_remove(space=space, user=who["ana"], by=who["ana"]),
    ):
        with pytest.raises(AnnotationRefused, match="needs an owner"):
            act()
    assert role_in(space, who["ana"]) == "owner"


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"name": "  "}, "name"),
        ({"name": "x" * 121}, "name"),
        ({"annotators": 0}, "1 to 9"),
        ({"annotators": 10}, "1 to 9"),
        ({"gold_every": 1}, "gold check"),
        ({"gold_every": -1}, "gold check"),
        ({"lease_minutes": 0}, "minutes"),
        ({"order": "alphabetical"}, "no order"),
        ({"guideline": "x" * 50_001}, "guideline"),
    ],
)
def test_project_that_cannot_be_is_refused(options, why):
    space, who = team()
    with pytest.raises(AnnotationRefused, match=why):
        project_make(**{"space": space, "by": who["owner"], "name": "Facts", "kind": "fact_verdict", **options})
    with pytest.raises(UnknownName, match="nonsense"):
        project_make(space=space, by=who["owner"], name="Facts", kind="nonsense")
    assert not AnnotationProject.objects.exists()


def test_projects_are_made_and_changed_by_curators_and_deleted_by_owners():
    space, who = team(cur="curator", ana="annotator", rob="reader")
    made = project(space, who["cur"])
    for name in ("ana", "rob"):
        for act in (
            lambda by: project(space, by),
            lambda by: guideline_add(project=made, text="Mine.", by=by),
            lambda by: project_close(project=made, by=by),
            lambda by: project_reopen(project=made, by=by),
        ):
            with pytest.raises(PermissionDenied):
                act(who[name])
    with pytest.raises(PermissionDenied):
        project_delete(project=made, by=who["cur"])
    assert [(one.version, one.by) for one in Guideline.objects.all()] == [(1, who["cur"])]
    says(who["ana"], item(made, "f0"), YES)
    says(who["ana"], item(made, "g0", gold=NO), YES)
    project_delete(project=made, by=who["owner"])
    assert not Guideline.objects.exists()
    assert [(one.what, one.about) for one in events_of(space)] == [
        ("delete", {"name": "Facts", "items": 2}),
    ]  # fmt: skip


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("act", ["label", "skip"])
def test_project_is_deleted_while_somebody_labels_or_skips(act):
    space, who = team(ana="annotator")
    made = project(space, who["owner"], items=1)
    done, one = [], made.items.get()

    def delete():
        try:
            project_delete(project=made, by=who["owner"])
            done.append("deleted")
        finally:
            connection.close()

    thread = seeing_thread(target=delete)
    with transaction.atomic():
        if act == "label":
            says(who["ana"], one, {"verdict": "true"})
        else:
            item_skip(item=one, user=who["ana"], reason="It is long.")
        thread.start()
        thread.join(timeout=1)
        assert thread.is_alive()
    thread.join()
    assert (done, AnnotationItem.objects.count(), Annotation.objects.count()) == (["deleted"], 0, 0)
    assert ReviewEvent.objects.get().about == {"name": "Facts", "items": 1}


def test_project_is_deleted_by_as_many_queries_whatever_it_holds(db):
    counts = []
    space, who = team(ana="annotator")
    for size in (1, 250):
        made = project(space, who["owner"], items=size)
        says(who["ana"], made.items.first(), {"verdict": "true"})
        with CaptureQueriesContext(connection) as caught:
            project_delete(project=made, by=who["owner"])
        counts.append(len(caught))
    assert counts[0] == counts[1] and not AnnotationItem.objects.exists()


def test_forgotten_space_takes_its_annotation_along():
    space, who = team(ana="annotator")
    made = project(space, who["owner"], items=1)
    says(who["ana"], made.items.get(), YES)
    space_forget(space=space)
    assert not AnnotationProject.objects.exists() and not ReviewEvent.objects.exists()

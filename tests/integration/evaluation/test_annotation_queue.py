"""The queue of annotation: slots, leases, gold checks, skips, and what happens when something changes meanwhile."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

import pytest
from django.core.exceptions import PermissionDenied
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from evaluation.core.errors import AnnotationRefused
from evaluation.models import AnnotationItem, ItemLease, ItemSkip, ItemStanding, QueuePlace
from evaluation.services.annotation import queue
from evaluation.services.annotation.adjudication import item_withdraw
from evaluation.services.annotation.audit import export_note
from evaluation.services.annotation.projects import guideline_add, project_close, project_reopen
from evaluation.services.annotation.queue import item_skip, items_free_for, items_take
from tests.integration.evaluation.annotated import NO, YES, item, project, says, team

pytestmark = pytest.mark.django_db


@pytest.fixture
def people():
    return team(ana="annotator", ben="annotator", cat="annotator")


def keys(leases):
    return [lease.item.key for lease in leases]


def test_items_come_in_order_and_what_is_held_comes_first(people):
    space, who = people
    made = project(space, who["owner"], items=4)
    first = items_take(project=made, user=who["ana"])
    assert keys(first) == ["f0", "f1"] and [lease.guideline.version for lease in first] == [1, 1]
    again = items_take(project=made, user=who["ana"])
    assert [lease.token for lease in again] == [lease.token for lease in first]
    says(who["ana"], first[0].item, YES, token=first[0].token)
    assert keys(items_take(project=made, user=who["ana"])) == ["f1", "f2"]
    assert keys(items_take(project=made, user=who["ana"], count=9)) == ["f1", "f2", "f3"]


def test_item_is_given_to_no_more_people_than_it_wants(people):
    space, who = people
    made = project(space, who["owner"], items=2)
    assert keys(items_take(project=made, user=who["ana"])) == ["f0", "f1"]
    assert keys(items_take(project=made, user=who["ben"])) == ["f0", "f1"]
    assert items_take(project=made, user=who["cat"]) == []
    ItemLease.objects.filter(user=who["ben"]).update(until=timezone.now() - timedelta(seconds=1))
    assert keys(items_take(project=made, user=who["cat"])) == ["f0", "f1"]


def test_slot_that_was_taken_after_the_search_began_is_not_given(people, monkeypatch):
    space, who = people
    made = project(space, who["owner"], items=2, annotators=1)
    items_take(project=made, user=who["ana"], count=1)
    searched = []

    def stale(user):
        searched.append(user)
        return AnnotationItem.objects.all() if len(searched) == 1 else items_free_for(user)

    monkeypatch.setattr(queue, "items_free_for", stale)
    assert keys(items_take(project=made, user=who["ben"], count=1)) == ["f1"]


def test_lapsed_lease_is_given_anew_with_another_token(people):
    space, who = people
    made = project(space, who["owner"], items=1)
    [old] = items_take(project=made, user=who["ana"])
    ItemLease.objects.update(until=timezone.now() - timedelta(seconds=1))
    [new] = items_take(project=made, user=who["ana"])
    assert new.item == old.item and new.token != old.token and ItemLease.objects.count() == 1


def test_queue_begins_once_more_with_what_was_skipped_and_what_came_free(people):
    space, who = people
    made = project(space, who["owner"], items=3, annotators=1)
    [first] = items_take(project=made, user=who["ben"], count=1)
    [skipped] = items_take(project=made, user=who["ana"], count=1)
    item_skip(item=skipped.item, user=who["ana"], reason="I cannot read it.")
    [last] = items_take(project=made, user=who["ana"], count=1)
    says(who["ana"], last.item, YES)
    assert (first.item.key, skipped.item.key, last.item.key) == ("f0", "f1", "f2")
    ItemLease.objects.filter(user=who["ben"]).delete()
    assert keys(items_take(project=made, user=who["ana"])) == ["f0", "f1"]
    says(who["ana"], skipped.item, YES)
    assert not ItemSkip.objects.exists()


def test_skipped_item_is_free_for_others_and_wants_a_reason(people):
    space, who = people
    made = project(space, who["owner"], items=1, annotators=1)
    [lease] = items_take(project=made, user=who["ana"])
    for reason in ("  ", "x" * 501):
        with pytest.raises(AnnotationRefused, match="why you skip"):
            item_skip(item=lease.item, user=who["ana"], reason=reason)
    item_skip(item=lease.item, user=who["ana"], reason="Too long.")
    [given] = items_take(project=made, user=who["ben"])
    says(who["ben"], given.item, NO)
    with pytest.raises(AnnotationRefused, match="labelled this item already"):
        item_skip(item=lease.item, user=who["ben"], reason="Too late.")


def test_one_item_in_each_block_is_a_gold_check_and_none_twice(people):
    space, who = people
    made = project(space, who["owner"], items=30, gold_every=5)
    for number in range(3):
        item(made, f"g{number}", gold=YES)
    for name in ("ana", "ben"):
        given = []
        while len(given) < 30:
            [lease] = items_take(project=made, user=who[name], count=1)
            given.append(lease.item.key[0])
            says(who[name], lease.item, YES)
        blocks = [Counter(given[start : start + 5])["g"] for start in range(0, 30, 5)]
        assert blocks == [1, 1, 1, 0, 0, 0]
    assert QueuePlace.objects.get(user=who["ana"]).given == 30


def test_gold_checks_do_not_stand_at_the_same_place_of_each_block(people):
    space, who = people
    made = project(space, who["owner"], gold_every=5)
    for number in range(50):
        item(made, f"g{number}", gold=YES)
        item(made, f"f{number}")
    places = []
    for number in range(60):
        [lease] = items_take(project=made, user=who["ana"], count=1)
        says(who["ana"], lease.item, YES)
        if lease.item.gold is not None:
            places.append(number % 5)
    assert len(places) == 12 and len(set(places)) > 1


def test_skipped_gold_check_comes_after_the_others(people):
    space, who = people
    made = project(space, who["owner"], items=20, gold_every=2)
    for number in range(2):
        item(made, f"g{number}", gold=YES)
    golds = []
    while len(golds) < 3:
        [lease] = items_take(project=made, user=who["ana"], count=1)
        if lease.item.gold is None:
            says(who["ana"], lease.item, YES)
        else:
            golds.append(lease.item.key)
            item_skip(item=lease.item, user=who["ana"], reason="No idea.")
    assert golds == ["g0", "g1", "g0"]


def test_withdrawn_item_is_taken_out_of_all_hands(people):
    space, who = people
    made = project(space, who["owner"], items=2)
    [held, _] = items_take(project=made, user=who["ana"])
    item_withdraw(item=held.item, by=who["owner"], why="It names somebody.")
    assert keys(items_take(project=made, user=who["ana"])) == ["f1"]
    assert keys(items_take(project=made, user=who["ben"])) == ["f1"]


def test_closed_project_gives_nothing_until_it_is_opened_again(people):
    space, who = people
    made = project(space, who["owner"], items=1)
    project_close(project=made, by=who["owner"])
    with pytest.raises(AnnotationRefused, match="closed"):
        items_take(project=made, user=who["ana"])
    project_reopen(project=made, by=who["owner"])
    assert keys(items_take(project=made, user=who["ana"])) == ["f0"]


def test_new_guideline_comes_with_what_is_given_from_then_on(people):
    space, who = people
    made = project(space, who["owner"], items=3)
    [held] = items_take(project=made, user=who["ana"], count=1)
    guideline_add(project=made, text="Be strict.", by=who["owner"])
    label = says(who["ana"], held.item, YES, token=held.token)
    [later] = items_take(project=made, user=who["ana"], count=1)
    assert (label.guideline.version, later.guideline.text) == (1, "Be strict.")
    assert says(who["ana"], later.item, YES, token=later.token).guideline.version == 2


def test_reader_and_stranger_are_given_nothing():
    space, who = team(rob="reader")
    made = project(space, who["owner"], items=1)
    with pytest.raises(PermissionDenied):
        items_take(project=made, user=who["rob"])
    assert not ItemLease.objects.exists() and not QueuePlace.objects.exists()


def test_whoever_takes_labels_of_open_items_out_labels_no_more():
    space, who = team(cur="curator")
    made = project(space, who["owner"], items=1)
    export_note(project=made, by=who["cur"], form="jsonl", is_full=False)
    [lease] = items_take(project=made, user=who["cur"])
    export_note(project=made, by=who["cur"], form="jsonl", is_full=True)
    assert not ItemLease.objects.exists()
    with pytest.raises(AnnotationRefused, match="blind"):
        items_take(project=made, user=who["cur"])
    with pytest.raises(AnnotationRefused, match="blind"):
        says(who["cur"], lease.item, YES, token=lease.token)
    assert keys(items_take(project=made, user=who["owner"])) == ["f0"]


def test_next_item_costs_the_same_queries_whatever_came_before(people):
    space, who = people
    made = project(space, who["owner"], items=60)
    counts = []
    for number in range(25):
        if number in (2, 24):
            with CaptureQueriesContext(connection) as seen:
                leases = items_take(project=made, user=who["ana"])
            counts.append(len(seen))
        else:
            leases = items_take(project=made, user=who["ana"])
        says(who["ana"], leases[0].item, YES, token=leases[0].token)
    assert counts[0] == counts[1] <= 12
    assert AnnotationItem.objects.filter(standing=ItemStanding.OPEN, wants=1).count() == 25

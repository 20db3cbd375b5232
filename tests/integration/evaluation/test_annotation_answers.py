"""Answers of annotators: stored once, credited, taken back only while they are blind, and what becomes of an item by them."""

from __future__ import annotations

import threading
import uuid
from datetime import timedelta

import pytest
from django.core.exceptions import PermissionDenied
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from evaluation.core.annotation.catalogue import kind_named
from evaluation.core.annotation.patterns import pattern_of
from evaluation.core.errors import AnnotationRefused
from evaluation.models import Annotation, AnnotationItem, ItemLease, ReviewEvent, ReviewMember, Settlement
from evaluation.selectors.annotation.items import disputes_of, item_seen, sides_of
from evaluation.selectors.annotation.progress import own_progress, people_progress, project_progress
from evaluation.selectors.annotation.projects import items_of
from evaluation.selectors.annotation.roles import role_in
from evaluation.services.annotation.adjudication import item_settle, item_withdraw
from evaluation.services.annotation.answers import answer_reveal, answer_undo
from evaluation.services.annotation.members import member_remove
from evaluation.services.annotation.projects import guideline_add, project_close
from evaluation.services.annotation.queue import item_skip, items_take
from tests.integration.evaluation.annotated import NO, UNSURE, YES, item, project, says, team
from tests.threads import seeing_thread

LAPSED = timedelta(seconds=1)


@pytest.fixture
def people(db):
    return team(ana="annotator", ben="annotator", cat="annotator", cur="curator")


def stands(item):
    item.refresh_from_db()
    return item.standing, item.wants, item.final


def test_item_ends_agreed_or_disputed_with_its_last_label(people):
    space, who = people
    made = project(space, who["owner"], items=2)
    same, other = AnnotationItem.objects.order_by("place")
    says(who["ana"], same, YES)
    assert stands(same) == ("open", 1, None)
    says(who["ben"], same, YES)
    assert stands(same) == ("agreed", 0, YES)
    AnnotationItem.objects.filter(pk=other.pk).update(machine=NO)
    says(who["ana"], other, YES)
    says(who["ben"], other, UNSURE)
    assert stands(other) == ("disputed", 0, None)
    assert other.pattern == pattern_of(
        kind_named(made.kind), people={"ana": YES, "ben": UNSURE}, machine=NO, final=None
    )
    assert project_progress(made).__dict__ == {
        "total": 2, "open": 0, "disputed": 1, "agreed": 1, "settled": 0, "withdrawn": 0, "wanted": 0,
    }  # fmt: skip


def test_three_annotators_agree_only_together(people):
    space, who = people
    project(space, who["owner"], items=1, annotators=3)
    one = AnnotationItem.objects.get()
    for name, answer in (("ana", YES), ("ben", YES), ("cat", NO)):
        says(who[name], one, answer)
    assert stands(one) == ("disputed", 0, None)


def test_same_answer_sent_twice_is_stored_once(people):
    space, who = people
    made = project(space, who["owner"], items=2, annotators=1)
    one, two = AnnotationItem.objects.order_by("place")
    number = uuid.uuid4()
    first = says(who["ana"], one, YES, sent_as=number, comment=" Clear. ", milliseconds=-4)
    project_close(project=made, by=who["owner"])
    assert says(who["ana"], one, NO, sent_as=number) == first
    assert list(Annotation.objects.values_list("answer", "comment", "milliseconds")) == [(YES, "Clear.", 0)]
    made.is_closed = False
    made.save()
    with pytest.raises(AnnotationRefused, match="another item"):
        says(who["ana"], two, YES, sent_as=number)
    assert stands(two) == ("open", 1, None)


@pytest.mark.parametrize("answer", [None, [], {}, {"verdict": "maybe"}, {"verdict": "true", "more": 1}, {"verdict": 1}])
def test_answer_that_is_none_is_refused(people, answer):
    space, who = people
    project(space, who["owner"], items=1)
    with pytest.raises(AnnotationRefused):
        says(who["ana"], AnnotationItem.objects.get(), answer)
    assert not Annotation.objects.exists()


def test_second_answer_and_long_comment_are_refused(people):
    space, who = people
    project(space, who["owner"], items=1)
    one = AnnotationItem.objects.get()
    with pytest.raises(AnnotationRefused, match="more than 2000 characters"):
        says(who["ana"], one, YES, comment="x" * 2001)
    says(who["ana"], one, YES)
    with pytest.raises(AnnotationRefused, match="an answer of yours"):
        says(who["ana"], one, NO)


def test_lease_that_lapsed_under_an_open_page_is_good_while_the_item_wants_a_label(people):
    space, who = people
    made = project(space, who["owner"], items=1, annotators=1)
    [lease] = items_take(project=made, user=who["ana"])
    guideline_add(project=made, text="Be strict.", by=who["owner"])
    ItemLease.objects.update(until=timezone.now() - LAPSED)
    label = says(who["ana"], lease.item, YES, token=lease.token)
    assert (label.guideline.version, stands(lease.item)) == (1, ("agreed", 0, YES))


def test_lease_that_lapsed_gives_way_to_whoever_has_the_item_now(people):
    space, who = people
    made = project(space, who["owner"], items=1, annotators=1)
    [lease] = items_take(project=made, user=who["ana"])
    ItemLease.objects.update(until=timezone.now() - LAPSED)
    [now] = items_take(project=made, user=who["ben"])
    with pytest.raises(AnnotationRefused, match="a colleague has it now"):
        says(who["ana"], lease.item, YES, token=lease.token)
    says(who["ben"], now.item, NO, token=now.token)
    with pytest.raises(AnnotationRefused, match="A colleague has labelled this item"):
        says(who["ana"], lease.item, YES, token=lease.token)
    assert [label.name for label in Annotation.objects.all()] == ["ben"]


def test_label_of_a_withdrawn_item_is_refused_with_the_reason(people):
    space, who = people
    made = project(space, who["owner"], items=1)
    [lease] = items_take(project=made, user=who["ana"])
    item_withdraw(item=lease.item, by=who["cur"], why="It names somebody.")
    with pytest.raises(AnnotationRefused, match="It names somebody"):
        says(who["ana"], lease.item, YES, token=lease.token)
    with pytest.raises(AnnotationRefused, match="withdrawn already"):
        item_withdraw(item=lease.item, by=who["cur"], why="Again.")
    assert stands(lease.item) == ("withdrawn", 0, None) and not ItemLease.objects.exists()


def test_answer_taken_back_gives_the_item_again(people):
    space, who = people
    made = project(space, who["owner"], items=1)
    [lease] = items_take(project=made, user=who["ana"])
    label = says(who["ana"], lease.item, YES, token=lease.token)
    again = answer_undo(annotation=label, user=who["ana"])
    assert again.item == lease.item and stands(lease.item) == ("open", 2, None)
    with pytest.raises(AnnotationRefused, match="taken back already"):
        answer_undo(annotation=label, user=who["ana"])
    says(who["ana"], lease.item, NO, token=again.token)
    assert [(one.answer, one.undone_at is None) for one in Annotation.objects.order_by("pk")] == [
        (YES, False), (NO, True),
    ]  # fmt: skip
    assert [one.what for one in ReviewEvent.objects.filter(project=made).order_by("pk")] == [
        "make", "label", "undo", "label",
    ]  # fmt: skip


def test_agreed_item_is_open_again_when_an_answer_is_taken_back(people):
    space, who = people
    project(space, who["owner"], items=1)
    one = AnnotationItem.objects.get()
    says(who["ana"], one, YES)
    label = says(who["ben"], one, YES)
    answer_undo(annotation=label, user=who["ben"])
    assert stands(one) == ("open", 1, None)
    assert one.pattern == pattern_of(kind_named("fact_verdict"), people={"ana": YES}, machine=None, final=None)


def test_answer_stays_once_its_author_may_know_more(people):
    space, who = people
    project(space, who["owner"], items=4)
    one, two, three, four = AnnotationItem.objects.order_by("place")
    shown = says(who["ana"], one, YES)
    answer_reveal(annotation=shown)
    late = says(who["ana"], two, YES)
    Annotation.objects.filter(pk=late.pk).update(created_at=timezone.now() - timedelta(minutes=11))
    says(who["ben"], three, NO)
    reads = says(who["cur"], three, YES)
    says(who["ana"], four, NO)
    settled = says(who["ben"], four, YES)
    item_settle(item=four, by=who["cur"], answer=YES, reason="The source says so.")
    for label, by, why in (
        (shown, "ana", "seen what others said"),
        (late, "ana", "ten minutes"),
        (reads, "cur", "seen what others said"),
        (settled, "ben", "settled"),
    ):
        with pytest.raises(AnnotationRefused, match=why):
            answer_undo(annotation=label, user=who[by])
    with pytest.raises(Annotation.DoesNotExist):
        answer_undo(annotation=late, user=who["ben"])
    assert not Annotation.objects.exclude(undone_at=None).exists()


def test_removed_annotators_labels_stay_and_are_credited(people):
    space, who = people
    made = project(space, who["owner"], items=2)
    first, second = items_take(project=made, user=who["ana"])
    label = says(who["ana"], first.item, YES, token=first.token)
    member_remove(space=space, user=who["ana"], by=who["owner"])
    with pytest.raises(PermissionDenied):
        says(who["ana"], second.item, YES, token=second.token)
    with pytest.raises(PermissionDenied):
        answer_undo(annotation=label, user=who["ana"])
    assert not items_of(who["ana"]).exists() and not ItemLease.objects.exists()
    who["ana"].delete()
    label.refresh_from_db()
    assert (label.by, label.name, label.answer) == (None, "ana", YES)
    says(who["ben"], first.item, YES)
    assert stands(first.item) == ("agreed", 0, YES)
    assert [one.name for one in people_progress(made)] == ["ana", "ben"]


def test_guideline_changed_in_the_middle_leaves_old_labels_their_version(people):
    space, who = people
    made = project(space, who["owner"], items=2, guideline="Be kind.")
    one, two = AnnotationItem.objects.order_by("place")
    before = says(who["ana"], one, YES)
    guideline_add(project=made, text="Be strict.", by=who["cur"])
    after = says(who["ana"], two, YES)
    before.refresh_from_db()
    assert [(one.guideline.version, one.guideline.text) for one in (before, after)] == [
        (1, "Be kind."), (2, "Be strict."),
    ]  # fmt: skip


def test_gold_checks_count_for_nothing_but_their_accuracy(people):
    space, who = people
    made = project(space, who["owner"], annotators=1, gold_every=2)
    golds = [item(made, f"g{number}", gold=YES) for number in range(3)]
    for one, answer in zip(golds, (YES, NO, YES), strict=True):
        says(who["ana"], one, answer)
        says(who["ben"], one, YES)
    assert {stands(one) for one in golds} == {("open", 1, None)}
    assert project_progress(made).total == 0
    # Not before answers are final: a curator who labels reads both.
    assert [(one.name, one.labelled, one.gold.checked) for one in people_progress(made)] == [
        ("ana", 3, 0),
        ("ben", 3, 0),
    ]
    assert (own_progress(made, who["ana"]).labelled, own_progress(made, who["ana"]).gold.checked) == (3, 0)
    Annotation.objects.update(created_at=timezone.now() - timedelta(minutes=11))
    told = {one.name: (one.gold.right, one.gold.checked, one.gold.share) for one in people_progress(made)}
    assert told == {"ana": (2, 3, 2 / 3), "ben": (3, 3, 1.0)}
    assert own_progress(made, who["ana"]).gold.share == 2 / 3


def test_dispute_is_settled_by_somebody_who_did_not_label_it(people):
    space, who = people
    made = project(space, who["owner"], items=2)
    one, own = AnnotationItem.objects.order_by("place")
    says(who["ana"], one, YES, comment="It is written there.")
    says(who["ben"], one, NO)
    says(who["ana"], own, YES)
    says(who["cur"], own, NO)
    assert list(disputes_of(made, who["cur"])) == [one] and list(disputes_of(made, who["owner"])) == [one, own]
    [shown] = disputes_of(made, who["cur"])
    assert {(side.answer["verdict"], side.comment, side.name) for side in sides_of(shown, shown.live)} == {
        ("true", "It is written there.", ""), ("false", "", ""),
    }  # fmt: skip
    with pytest.raises(AnnotationRefused, match="labelled this item yourself"):
        item_settle(item=own, by=who["cur"], answer=YES, reason="Mine.")
    with pytest.raises(AnnotationRefused, match="characters why"):
        item_settle(item=one, by=who["cur"], answer=YES, reason=" ")
    with pytest.raises(PermissionDenied):
        item_settle(item=one, by=who["cat"], answer=YES, reason="I think so.")
    item_settle(item=one, by=who["cur"], answer=YES, reason="The source says so.")
    assert stands(one) == ("settled", 0, YES)
    with pytest.raises(AnnotationRefused, match="A colleague settled this item meanwhile: “The source says so"):
        item_settle(item=one, by=who["owner"], answer=UNSURE, reason="The source is another.")
    item_settle(item=one, by=who["owner"], answer=UNSURE, reason="The source is another.", again=True)
    assert stands(one) == ("settled", 0, UNSURE)
    assert [(one.name, one.reason) for one in Settlement.objects.order_by("pk")] == [
        ("cur", "The source says so."), ("owner", "The source is another."),
    ]  # fmt: skip


def test_item_that_nobody_disputes_is_not_settled(people):
    space, who = people
    project(space, who["owner"], items=1)
    one = AnnotationItem.objects.get()
    for _ in range(2):
        with pytest.raises(AnnotationRefused, match="do not disagree"):
            item_settle(item=one, by=who["cur"], answer=YES, reason="I think so.")
        says(who["ana" if _ == 0 else "ben"], one, YES)


def test_sides_have_an_order_that_is_not_that_of_time(people):
    space, who = people
    made = project(space, who["owner"], items=30)
    firsts = set()
    for one in AnnotationItem.objects.filter(project=made):
        says(who["ana"], one, YES)
        says(who["ben"], one, NO)
        labels = list(one.annotations.order_by("pk"))
        assert sides_of(one, labels) == sides_of(one, labels[::-1])
        firsts.add(sides_of(one, labels)[0].answer["verdict"])
    assert firsts == {"true", "false"}


def test_others_are_known_after_ones_own_label_and_named_when_nobody_disputes(people):
    space, who = people
    project(space, who["owner"], items=1)
    one = AnnotationItem.objects.get()
    AnnotationItem.objects.update(machine=NO)
    says(who["ben"], one, YES)
    seen = {}
    for name in ("ana", "cur"):
        one.refresh_from_db()
        seen[name] = item_seen(one, who[name], role_in(space, who[name]))
    assert [one.is_open_to for one in seen.values()] == [False, False]
    says(who["ana"], one, YES)
    one.refresh_from_db()
    by = {name: item_seen(one, who[name], role_in(space, who[name])) for name in ("ana", "cat", "cur")}
    assert not by["cat"].is_open_to
    assert [side.name for side in by["ana"].sides] == [""] and by["ana"].own.answer == YES and by["ana"].machine == NO
    assert {side.name for side in by["cur"].sides} == {"ana", "ben"} and by["cur"].final == YES


def test_storing_costs_the_same_queries_however_much_there_is(people):
    space, who = people
    made = project(space, who["owner"], items=30)
    counts = []
    for number, one in enumerate(AnnotationItem.objects.filter(project=made).order_by("place")):
        [lease] = items_take(project=made, user=who["ana"], count=1)
        with CaptureQueriesContext(connection) as seen:
            says(who["ana"], one, YES, token=lease.token)
        counts.append(len(seen)) if number in (1, 29) else None
    assert counts[0] == counts[1] <= 18
    ReviewMember.objects.filter(user=who["ana"]).delete()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("way", ["take", "store"])
def test_last_slot_is_taken_by_one_of_two_at_once(way):
    space, who = team(ana="annotator", ben="annotator")
    made = project(space, who["owner"], items=1, annotators=1)
    one = AnnotationItem.objects.get()
    begin, got = threading.Barrier(2), {}

    def act(name):
        try:
            begin.wait()
            got[name] = (
                len(items_take(project=made, user=who[name])) if way == "take" else says(who[name], one, YES).name
            )
        except AnnotationRefused as refusal:
            got[name] = str(refusal)
        finally:
            connection.close()

    threads = [seeing_thread(target=act, args=(name,)) for name in ("ana", "ben")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if way == "take":
        assert sorted(got.values()) == [0, 1] and ItemLease.objects.count() == 1
    else:
        assert Annotation.objects.count() == 1
        assert sorted(got.values(), key=len)[1] == (
            "A colleague has labelled this item meanwhile. Your answer was not needed."
        )


@pytest.mark.django_db(transaction=True)
def test_two_pages_of_one_person_send_one_answer_at_once():
    space, who = team(ana="annotator")
    project(space, who["owner"], items=1)
    one, number = AnnotationItem.objects.get(), uuid.uuid4()
    begin, got = threading.Barrier(2), []

    def act():
        try:
            begin.wait()
            got.append(says(who["ana"], one, YES, sent_as=number).pk)
        finally:
            connection.close()

    threads = [seeing_thread(target=act) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(got) == 2 and got == [Annotation.objects.get().pk] * 2


@pytest.mark.django_db(transaction=True)
def test_people_at_once_give_each_item_the_labels_that_it_wants_and_no_more():
    names = ("ana", "ben", "cat", "dan")
    space, who = team(**dict.fromkeys(names, "annotator"))
    made = project(space, who["owner"], items=12)
    begin, refused = threading.Barrier(len(names)), []

    def label_all(name, start=None):
        if start is not None:
            start.wait()
        while leases := items_take(project=made, user=who[name]):
            try:
                says(who[name], leases[0].item, YES, token=leases[0].token)
            except AnnotationRefused as refusal:
                refused.append(str(refusal))

    def act(name):
        try:
            label_all(name, begin)
        finally:
            connection.close()

    threads = [seeing_thread(target=act, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # Whoever came to the end while a colleague stored a label looks once more.
    for name in names:
        label_all(name)
    assert refused == [] and not ItemLease.objects.exists()
    assert {one.standing for one in AnnotationItem.objects.all()} == {"agreed"}
    assert {one.annotations.count() for one in AnnotationItem.objects.all()} == {2}


def test_skip_ends_where_the_label_is(people):
    space, who = people
    made = project(space, who["owner"], items=1)
    [lease] = items_take(project=made, user=who["ana"])
    item_skip(item=lease.item, user=who["ana"], reason="Later.")
    [back] = items_take(project=made, user=who["ana"])
    assert back.item == lease.item

"""Samples of runs and of live conversations: what is drawn, what it shows, and that it goes with what is forgotten."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest
from django.core.exceptions import PermissionDenied
from django.utils import timezone

from evaluation.core.errors import AnnotationRefused
from evaluation.core.runs.identity import frozen
from evaluation.core.tasks.types import Scoring, Task, TaskTurn
from evaluation.models import AnnotationItem, FactRecord, MachinePass, ReviewMember, RunCase, RunItem
from evaluation.services.annotation.from_conversations import conversations_sample
from evaluation.services.annotation.from_runs import run_sample
from evaluation.services.annotation.projects import project_make
from evaluation.services.annotation.sampling import Sample
from evaluation.services.fact_checks import checks_run
from memory.models import ConflictRecord, TripleRecord, Turn
from memory.services import round_retract, space_create, triple_forget
from tests.integration.evaluation.annotated import account
from tests.integration.evaluation.measured_runs import made_run

pytestmark = pytest.mark.django_db
RIGHT = {"graph": [1.0, 0.0, 1.0, 0.0], "plain": [1.0, 1.0, 1.0, 1.0]}


def made(space: Any, owner: Any, kind: str = "fact_verdict", **options: Any) -> Any:
    return project_make(space=space, by=owner, name="Drawn", kind=kind, **options)


def test_replies_of_a_run_become_items_to_be_rated(space, owner):
    run = made_run(space, owner, right=RIGHT, failed=[3], waiting=0)
    rate = made(space, owner, "human_evaluation")
    assert run_sample(project=rate, run=run, by=owner, sample=Sample(limit=4, seed=1)) == 4
    assert run_sample(project=rate, run=run, by=owner, sample=Sample(limit=20)) == 2
    one = rate.items.get(run_item__key="q0", run_item__system="graph")
    assert one.content == {
        "reply": "In Porto, says graph.",
        "dialogue": [{"speaker": "User", "text": "Where do I live (0)?"}],
        "evidence": [{"title": "Ana", "text": "I live in Porto."}],
    }
    assert (one.stratum, one.cluster, one.dataset, one.machine) == ("graph", "case-0", "jsonl", None)
    assert not rate.items.filter(run_item__key="q3").exists(), "a failed item has no reply"
    assert not MachinePass.objects.exists()


def test_sample_by_disagreement_takes_replies_with_the_most_different_scores_first(space, owner):
    run = made_run(space, owner, right=RIGHT)
    rate = made(space, owner, "human_evaluation", order="disagreement")
    run_sample(project=rate, run=run, by=owner, sample=Sample(limit=4, order="disagreement"))
    assert {item.run_item.key for item in rate.items.all()} == {"q1", "q3"}
    run_sample(project=rate, run=run, by=owner, sample=Sample(limit=8))
    places = rate.items.order_by("place").values_list("run_item__key", flat=True)
    assert set(places[:4]) == {"q1", "q3"}


def test_stratified_sample_takes_turns_of_systems(space, owner):
    run = made_run(space, owner, right={"graph": [1.0] * 12, "plain": [1.0] * 2})
    rate = made(space, owner, "human_evaluation")
    run_sample(project=rate, run=run, by=owner, sample=Sample(limit=4, order="stratified"))
    assert sorted(rate.items.values_list("stratum", flat=True)) == ["graph", "graph", "plain", "plain"]


def test_facts_of_replies_are_split_and_the_machine_is_asked(checking, space, owner):
    run = made_run(space, owner, right={"graph": [1.0]})
    reply = "You live in Porto and you have a dog. Is that right?"
    RunItem.objects.update(reply=reply)
    facts = made(space, owner)
    checking.splitter.name = "sentences"
    assert run_sample(project=facts, run=run, by=owner, sample=Sample()) == 2
    rows = facts.items.order_by("key").values_list("content__fact", "machine", "machine_by", "source__speaker")
    assert [*rows] == [
        ("You live in Porto and you have a dog.", None, "", "Assistant"),
        ("Is that right?", {"verdict": "not_a_claim"}, "sentences", "Assistant"),
    ]
    assert MachinePass.objects.get().project == facts


def test_reply_of_a_dialogue_is_shown_with_the_systems_own_replies_before_it(space, owner):
    run = made_run(space, owner, right={"graph": [1.0, 1.0]}, kind="dialogues", cases=1)
    turns = (TaskTurn("Hello."), TaskTurn("I am Ana.", given="Nice."), TaskTurn("Who am I?"))
    RunCase.objects.update(content=frozen(Task("t", "", Scoring.JUDGE, turns)))
    for key, item in zip(("1", "3"), RunItem.objects.order_by("index"), strict=True):
        RunItem.objects.filter(pk=item.pk).update(key=key, reply=f"Reply {key}.")
    rate = made(space, owner, "human_evaluation")
    run_sample(project=rate, run=run, by=owner, sample=Sample())
    told = rate.items.get(run_item__key="3").content["dialogue"]
    assert [(one["speaker"], one["text"]) for one in told] == [
        ("User", "Hello."), ("Assistant", "Reply 1."), ("User", "I am Ana."), ("Assistant", "Nice."), ("User", "Who am I?"),
    ]  # fmt: skip


def test_checked_facts_of_conversations_are_shown_with_what_they_were_held_against(checking, told, space, owner):
    told("I live in Porto.", "You live in Porto. You live in Rome. You sail every spring. Nice to meet you.")
    checks_run()
    facts = made(space, owner, order="uncertain")
    assert conversations_sample(project=facts, by=owner, sample=Sample()) == 4
    rome = facts.items.get(content__fact="You live in Rome.")
    assert rome.content == {
        "fact": "You live in Rome.",
        "dialogue": [{"speaker": "Ana", "text": "I live in Porto."}]
        if Turn.objects.filter(speaker="Ana").exists()
        else [{"speaker": Turn.objects.order_by("pk").first().speaker, "text": "I live in Porto."}],
        "evidence": [{"title": "Remembered", "text": "You live in Porto."}],
    }
    assert (rome.machine, rome.machine_by, rome.stratum) == ({"verdict": "false"}, "judging", "false")
    assert rome.source == {"speaker": Turn.objects.get(role="assistant").speaker}
    order = [*facts.items.order_by("place").values_list("content__fact", flat=True)]
    assert (order[0], order[-1]) == ("You sail every spring.", "Nice to meet you.")
    assert conversations_sample(project=facts, by=owner, sample=Sample()) == 0
    assert not MachinePass.objects.exists()


def test_sample_is_bounded_by_days(checking, told, space, owner):
    told("I live in Porto.", "You live in Porto.")
    checks_run()
    facts, today = made(space, owner), timezone.now().date()
    with pytest.raises(AnnotationRefused, match="No reply of these days was checked"):
        conversations_sample(project=facts, by=owner, sample=Sample(until=today - timedelta(days=1)))
    with pytest.raises(AnnotationRefused, match="No reply of these days was checked"):
        conversations_sample(project=facts, by=owner, sample=Sample(since=today + timedelta(days=1)))
    assert conversations_sample(project=facts, by=owner, sample=Sample(since=today, until=today)) == 1
    whole = Sample(since=date.min, until=date.max)
    assert conversations_sample(project=made(space, owner), by=owner, sample=whole) == 1


def test_items_go_with_what_they_show(checking, told, space, owner):
    told("I live in Porto.", "You live in Porto. You sail.")
    told("I live in Lyon.", "You live in Lyon.")
    checks_run()
    kinds = {kind: made(space, owner, kind) for kind in ("fact_verdict", "conflict_verdict", "message_facts")}
    counts = {kind: conversations_sample(project=one, by=owner, sample=Sample()) for kind, one in kinds.items()}
    assert counts == {"fact_verdict": 3, "conflict_verdict": 1, "message_facts": 2}
    shown = kinds["message_facts"].items.get(content__message="I live in Lyon.")
    assert shown.content["before"] == "You live in Porto. You sail."
    # The ground of one fact of the first reply is forgotten: both of its facts showed it.
    triple_forget(triple=TripleRecord.objects.get(value="Porto"), by=owner)
    assert (
        not AnnotationItem.objects.filter(content__icontains="Porto").exclude(project=kinds["message_facts"]).exists()
    )
    assert FactRecord.objects.filter(text="You sail.").exists()
    assert not AnnotationItem.objects.filter(project=kinds["conflict_verdict"]).exists()
    round_retract(round=Turn.objects.filter(text__startswith="You live in Porto").get().round)
    left = kinds["message_facts"].items.values_list("content", flat=True)
    assert [*left] == [{"message": "I live in Porto."}], "the reply is forgotten, what the person said is not"


def test_replies_of_conversations_are_drawn_with_the_message_before_and_go_with_it(told, space, owner):
    told("I live in Porto.", "You live in Porto.")
    told("I have a dog.", "How old is it?")
    rate = made(space, owner, "human_evaluation")
    assert conversations_sample(project=rate, by=owner, sample=Sample()) == 2
    assert conversations_sample(project=rate, by=owner, sample=Sample()) == 0
    turns = list(Turn.objects.order_by("pk"))
    assert [(one.content, one.source, one.turn, one.before) for one in rate.items.order_by("turn")] == [
        (
            {"reply": reply.text, "dialogue": [{"speaker": "owner", "text": message.text}]},
            {"speaker": "assistant"}, reply, message,
        )
        for message, reply in (turns[:2], turns[2:])
    ]  # fmt: skip
    with pytest.raises(AnnotationRefused, match="Nothing was replied in these days"):
        conversations_sample(project=rate, by=owner, sample=Sample(until=date(2000, 1, 1)))
    round_retract(round=turns[0].round)
    assert [one.turn for one in rate.items.all()] == [turns[3]]


def test_conflicts_are_shown_with_the_sentences_that_were_said(checking, told, space, owner):
    told("I live in Porto.", "Noted.")
    told("I live in Lyon.", "Noted.")
    conflicts = made(space, owner, "conflict_verdict")
    conversations_sample(project=conflicts, by=owner, sample=Sample())
    [one] = conflicts.items.all()
    row = ConflictRecord.objects.get()
    assert one.content["said"] == [
        {"title": one.content["said"][0]["title"], "text": "I live in Porto."},
        {"title": one.content["said"][1]["title"], "text": "I live in Lyon."},
    ]
    assert "Lyon" in one.content["new"] and "Porto" in one.content["old"]
    assert (one.machine, one.machine_by, one.conflict) == ({"verdict": "replaces"}, row.rule, row)


def test_only_members_of_the_memory_draw_from_it(space, owner):
    run = made_run(space, owner, right=RIGHT)
    facts = made(space, owner)
    outside = account("eve")
    ReviewMember.objects.create(space=space, user=outside, role="curator")
    with pytest.raises(PermissionDenied, match="Only members of the memory"):
        run_sample(project=facts, run=run, by=outside, sample=Sample())
    with pytest.raises(PermissionDenied, match="Only members of the memory"):
        conversations_sample(project=facts, by=outside, sample=Sample())
    other = space_create(name="Other", owner=owner)
    with pytest.raises(AnnotationRefused, match="another team's"):
        run_sample(project=made(other, owner), run=run, by=owner, sample=Sample())
    with pytest.raises(AnnotationRefused, match="1 to 20,000 items"):
        run_sample(project=facts, run=run, by=owner, sample=Sample(limit=0))
    with pytest.raises(AnnotationRefused, match="Nothing of a run"):
        run_sample(project=made(space, owner, "message_facts"), run=run, by=owner, sample=Sample())
    with pytest.raises(AnnotationRefused, match="There is no order 'best'"):
        run_sample(project=facts, run=run, by=owner, sample=replace(Sample(), order="best"))

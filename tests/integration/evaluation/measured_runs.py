"""Runs that have ended, written as rows: systems, cases, items and scores of the test's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone

from evaluation.core.runs.identity import RunIdentity
from evaluation.core.runs.plan import RunPlan
from evaluation.models import CaseState, EvaluationRun, ItemScore, ItemState, RunCase, RunItem, RunState
from memory.models import Space

IDENTITY = RunIdentity(
    code="abc1234",
    code_digest="c" * 64,
    prompts="p" * 64,
    data="d" * 64,
    engine="builtin",
    engine_digest="",
    embedder="small",
    config={"DSMART_SCORE_STRATEGY": "'strongest_sentence'"},
    measure={"kind": "answers"},
)
SAID = "2024-03-02T18:20:00+00:00"
CONTENT = {
    "id": "ana",
    "category": "people",
    "sessions": [
        {
            "key": "s1",
            "started_at": SAID,
            "turns": [
                {"role": "user", "speaker": "Ana", "text": "I live in Porto.", "said_at": SAID, "key": "t1"},
                {"role": "user", "speaker": "Ana", "text": "I have a dog.", "said_at": SAID, "key": "t2"},
            ],
        }
    ],
    "questions": [],
}  # fmt: skip
Right = Mapping[str, Sequence[float | None]]


def made_run(
    space: Space,
    by: User,
    *,
    right: Right,
    name: str = "A run",
    cases: int = 2,
    categories: Sequence[str] = ("one step", "two steps"),
    kind: str = "answers",
    metric: str = "accuracy",
    state: str = RunState.DONE,
    failed: Sequence[int] = (),
    waiting: int = 0,
    reason: str = "",
    extra: Mapping[str, float] | None = None,
    identity: RunIdentity = IDENTITY,
    **fields: Any,
) -> EvaluationRun:
    """Write a run in which item number n of a system has the n-th of its scores; None is unscored.

    Items are dealt to the cases in turn, and to the categories; the last `waiting` of each system have not ended.
    """
    plan = RunPlan(kind=kind, systems=tuple(right), engine="builtin")
    now = timezone.now()
    run = EvaluationRun.objects.create(
        space=space, created_by=by, name=name, kind=kind, systems=list(right), state=state, identity_digest=identity.digest,
        identity=identity.as_json(), plan=plan.as_json(), started_at=now - timedelta(minutes=1),
        **{"benchmark": "jsonl", "data_name": "people.jsonl", "engine": "builtin", **fields},
    )  # fmt: skip
    rows = RunCase.objects.bulk_create(
        [RunCase(run=run, index=n, key=f"case-{n}", content=CONTENT, state=CaseState.DONE) for n in range(cases)]
    )
    items, scores = [], []
    for system, values in right.items():
        for number, value in enumerate(values):
            is_waiting, is_failed = number >= len(values) - waiting, number in failed
            items.append(
                RunItem(
                    run=run, case=rows[number % cases], index=len(items), system=system, key=f"q{number}",
                    position=number + 1,
                    category=categories[number % len(categories)], question=f"Where do I live ({number})?",
                    expected=["Porto"], evidence=["t1"], found=["t1"] if value else ["t2"], cache_key="",
                    state=ItemState.WAITING if is_waiting else ItemState.FAILED if is_failed else ItemState.DONE,
                    reply="" if is_failed or is_waiting else f"In {'Porto' if value else 'Rome'}, says {system}.",
                    error="The model answered with nothing." if is_failed else "",
                    passages=[{"key": "t1", "text": "I live in Porto.", "speaker": "Ana", "said_at": SAID, "why": "near"}],
                    trace=[{"number": 1, "kind": "stage", "lines": ["Looked up what is known", "  2 facts"]}],
                    first_token_ms=20.0, total_ms=40.0 + number, calls=1, prompt_tokens=10, completion_tokens=2,
                    ended_at=None if is_waiting else now,
                )
            )  # fmt: skip
            if not is_waiting:
                named = {metric: None if is_failed else value, **({} if is_failed else extra or {})}
                scores += [
                    ItemScore(
                        item=items[-1], metric=one, value=given, reason=reason,
                        why="The judge answered in prose." if given is None else "",
                    )
                    for one, given in named.items()
                ]  # fmt: skip
    RunItem.objects.bulk_create(items, batch_size=1000)
    ItemScore.objects.bulk_create(scores, batch_size=2000)
    return run


def item_of(run: EvaluationRun, number: int, system: str = "") -> RunItem:
    return RunItem.objects.get(run=run, key=f"q{number}", system=system or run.systems[0])

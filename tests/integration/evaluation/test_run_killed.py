"""A run whose worker is killed in the middle ends as one that nothing happened to."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from evaluation.core.runs.plan import ANSWERS, RunPlan
from evaluation.models import CaseState, EvaluationRun, ItemScore, ItemState, RunState
from evaluation.services.runs import run_create, run_resume, run_rows, run_start, run_work
from evaluation.services.spaces import ACCOUNT
from memory.models import Space
from memory.services import space_create
from tests.integration.evaluation.run_worker import BREAK, BROKE_OFF, SYSTEMS, small_players, worker

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

CASES, QUESTIONS = 10, 10
ITEMS = CASES * QUESTIONS * len(SYSTEMS)
LEASE_S, WAIT_S = 2.0, 240.0
TIMES = ("s", "ms")


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    small_players(monkeypatch)
    path = tmp_path / "homes.jsonl"
    path.write_text("".join(json.dumps(case(number)) + "\n" for number in range(CASES)))
    return path


def case(number: int) -> dict[str, Any]:
    """A case with two homes, of which the second is asked for in many ways; one question makes every system break off."""
    homes = (f"Town{number}", f"City{number}")
    asked = [f"Where do I live, once more ({place})?" for place in range(QUESTIONS - 2)]
    return {
        "id": f"case {number}",
        "category": "homes",
        "sessions": [
            {
                "id": f"day {day}",
                "started_at": f"2024-03-0{day}T18:20:00",
                "turns": [
                    {"role": "user", "speaker": "Ana", "text": f"I live in {home}.", "id": f"home {day}"},
                    {"role": "assistant", "text": "Noted."},
                ],
            }
            for day, home in enumerate(homes, start=1)
        ],
        "questions": [
            *({"question": text, "answers": [homes[1]], "evidence": ["home 2"]} for text in asked),
            {"question": BREAK, "answers": ["nothing"]},
            {"question": "What is my dog called?", "answers": [], "category": "not known"},
        ],
    }


def made(data: Path, owner: str) -> EvaluationRun:
    user = User.objects.create_user(owner)
    space = space_create(name=f"{owner}'s memory", owner=user)
    return run_create(space=space, by=user, path=data, plan=RunPlan(ANSWERS, SYSTEMS))


def played(run: EvaluationRun) -> EvaluationRun:
    run_start(run=run, is_here=True)
    while run_work(run_id=run.pk):
        pass
    run.refresh_from_db()
    return run


def outcome(run: EvaluationRun) -> tuple[Any, ...]:
    """All that a run found, but for what tells the time."""
    columns = (
        "case__key",
        "index",
        "key",
        "system",
        "repeat",
        "position",
        "category",
        "question",
        "state",
        "reply",
        "error",
    )
    items = list(run.items.order_by("index").values_list(*columns, "found", "passages", "trace", "calls", "is_cached"))
    scores = list(
        ItemScore.objects.filter(item__run=run)
        .order_by("item__index", "metric")
        .values_list("item__index", "metric", "value", "why", "reason")
    )
    rows = [row for row in run_rows(run) if row.unit not in TIMES]
    return items, scores, rows, list(run.cases.order_by("index").values_list("key", "state", "rounds_failed"))


def wait_until(is_so: Callable[[], bool], *working: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + WAIT_S
    while not is_so():
        assert time.monotonic() < until
        assert [one.poll() for one in working] == [None] * len(working)
        time.sleep(0.05)


def test_killed_run_is_resumed_to_the_same_result_as_an_unbroken_one(data: Path, settings) -> None:
    settings.DSMART_LEASE_S = LEASE_S
    unbroken, broken = played(made(data, "ana")), made(data, "ben")
    assert (unbroken.state, unbroken.items.count()) == (RunState.DONE, ITEMS)
    run_start(run=broken, is_here=True)
    ended = broken.items.exclude(state=ItemState.WAITING)
    victim, other = (worker(broken.pk, lease_s=LEASE_S, pause_s=0.05) for _ in range(2))
    try:
        wait_until(lambda: ended.count() >= ITEMS // 3, victim, other)
        held = broken.cases.exclude(state=CaseState.DONE).filter(lease_until__gte=timezone.now())
        assert held.count() == 2
        victim.kill()
        assert victim.wait() == -signal.SIGKILL
        before = ended.count()
        wait_until(lambda: ended.count() > before, other)
        other.kill()
        assert other.wait() == -signal.SIGKILL
    finally:
        victim.kill()
        other.kill()
    before = dict(ended.values_list("pk", "ended_at"))
    assert ITEMS // 3 <= len(before) < ITEMS
    run_resume(run=broken, path=data, is_here=True)
    wait_until(
        lambda: not run_work(run_id=broken.pk) and EvaluationRun.objects.get(pk=broken.pk).state == RunState.DONE
    )
    assert outcome(broken) == outcome(unbroken)
    assert dict(ended.filter(pk__in=before).values_list("pk", "ended_at")) == before
    assert not Space.objects.filter(memberships__user__username=ACCOUNT).exists()
    failed = broken.items.filter(state=ItemState.FAILED)
    assert set(failed.values_list("question", "error")) == {(BREAK, BROKE_OFF)}
    assert failed.count() == CASES * len(SYSTEMS)

"""Runs of questions: made whole or not at all, played, stopped, paused, resumed, taken from the cache, judged."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError, connection
from django.db.models import QuerySet
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from conversations import bootstrap as conversation_bootstrap
from conversations.core.types import Delta
from evaluation.core.errors import EvaluationError, RunRefused
from evaluation.core.runs.plan import ANSWERS, RETRIEVAL, RunPlan
from evaluation.models import CaseState, EvaluationRun, ItemScore, ItemState, RunCase, RunState, ScoreOverride
from evaluation.selectors.item_scores import effective_scores
from evaluation.selectors.runs import run_progress, runs_of
from evaluation.services.runs import identity as identities
from evaluation.services.runs import run_create, run_delete, run_resume, run_rows, run_start, run_stop, run_work
from evaluation.services.runs.playing import run_play
from evaluation.services.runs.state import RUN_TASK, runs_sweep
from evaluation.services.spaces import ACCOUNT, KILLED_AFTER, abandoned_spaces_forget
from memory import bootstrap
from memory.bootstrap import engines
from memory.core.errors import ModelUnreachable, UnparsableReply
from memory.models import OutboxRecord, Space
from memory.selectors import spaces_of
from memory.services import space_create
from memory.services.added_engines import engine_add
from tests.integration.evaluation.run_worker import BREAK, BROKE_OFF, SYSTEMS, Homes, small_players

pytestmark = pytest.mark.django_db

BUILTIN = "builtin"


@pytest.fixture(autouse=True)
def players(monkeypatch: pytest.MonkeyPatch) -> None:
    small_players(monkeypatch)


@pytest.fixture
def space(owner: User) -> Space:
    return space_create(name="Ana's memory", owner=owner)


@pytest.fixture
def make(space: Space, owner: User, tmp_path: Path) -> Callable[..., EvaluationRun]:
    def run(
        *cases: dict[str, Any], systems: tuple[str, ...] = SYSTEMS, into: Space = space, **plan: Any
    ) -> EvaluationRun:
        path = written(tmp_path / "homes.jsonl", *(cases or (homes("ana"), homes("ben", "Rome", "Oslo"))))
        return run_create(space=into, by=owner, path=path, plan=RunPlan(ANSWERS, systems, **plan), tags=["nightly"])

    return run


def written(path: Path, *cases: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(case) + "\n" for case in cases))
    return path


def homes(name: str, *places: str) -> dict[str, Any]:
    """A case with a home in each session; the last one is asked for, then a thing that was not told, then one that breaks."""
    places = places or ("Paris", "Lyon")
    return {
        "id": name,
        "category": "homes",
        "sessions": [
            {
                "id": f"day {day}",
                "started_at": f"2024-03-0{day}T18:20:00",
                "turns": [{"role": "user", "speaker": "Ana", "text": f"I live in {place}.", "id": f"home {day}"}],
            }
            for day, place in enumerate(places, start=1)
        ],
        "questions": [
            {"question": "Where do I live?", "answers": [places[-1]], "evidence": [f"home {len(places)}"]},
            {"question": "What is my dog called?", "answers": [], "category": "not known"},
            {"question": BREAK, "answers": ["nothing"]},
        ],
    }


def play(run: EvaluationRun) -> EvaluationRun:
    if run.state == RunState.WAITING:
        run_start(run=run, is_here=True)
    while run_work(run_id=run.pk):
        pass
    run.refresh_from_db()
    return run


def scratch_spaces() -> QuerySet[Space]:
    return Space.objects.filter(memberships__user__username=ACCOUNT)


def figures(run: EvaluationRun) -> dict[tuple[str, str, str], tuple[float | None, int | None]]:
    return {
        (row.name, row.metric, row.group): (row.value, row.n) for row in run_rows(run) if row.unit not in ("s", "ms")
    }


def test_run_measures_every_system_on_every_question(make, space: Space) -> None:
    run = play(make())
    assert (run.state, run.why, run.benchmark, run.tags) == (RunState.DONE, "", "jsonl", ["nightly"])
    found = figures(run)
    assert {key[1:]: value for key, value in found.items() if key[0] == "latest"} == {
        ("accuracy", ""): (pytest.approx(4 / 6), 6),
        ("accuracy", "homes"): (0.5, 4),
        ("accuracy", "not known"): (1.0, 2),
        ("token_f1", ""): (pytest.approx((0.4 + 0.4 + 0 + 0) / 4), 4),
        ("token_f1", "homes"): (pytest.approx(0.2), 4),
        ("exact_match", ""): (0.0, 4),
        ("exact_match", "homes"): (0.0, 4),
        ("refused", ""): (1.0, 2),
        ("refused", "not known"): (1.0, 2),
        ("evidence_recall", ""): (1.0, 2),
        ("evidence_recall", "homes"): (1.0, 2),
        ("evidence_recall", "not known"): (None, 0),
        ("evidence_recall_unscored", ""): (2, 4),
        ("abstention_precision", ""): (1.0, 2),
        ("abstention_recall", ""): (1.0, 2),
        ("items", ""): (6, None),
        ("failed", ""): (2, 6),
        ("calls", ""): (0.0, 4),
        ("tokens", ""): (0.0, 4),
    }
    assert (found["first", "accuracy", "homes"], found["silent", "accuracy", ""]) == (
        (0.0, 4),
        (pytest.approx(2 / 6), 6),
    )
    assert found["first", "evidence_recall", ""] == found["silent", "evidence_recall", ""] == (0.0, 2)
    [row] = [row for row in run_rows(run) if (row.name, row.metric) == ("latest", "failed")]
    assert row.why == BROKE_OFF
    progress = run_progress(run)
    assert (progress.total, progress.done, progress.failed, progress.cached, progress.unscored) == (18, 12, 6, 0, 6)
    assert progress.seconds_left == 0.0
    assert not scratch_spaces().exists()


def test_item_keeps_what_it_rests_on_in_words_that_outlive_the_space(make) -> None:
    item = play(make()).items.get(case__key="ana", system="latest", key="1")
    assert (item.reply, item.found, item.evidence, item.expected) == (
        "You live in Lyon.", ["home 2"], ["home 2"], ["Lyon"],
    )  # fmt: skip
    assert item.passages == [
        {
            "key": "home 2",
            "text": "I live in Lyon.",
            "speaker": "Ana",
            "said_at": "2024-03-02T18:20:00+00:00",
            "why": "it tells a home",
        }
    ]
    assert (item.calls, item.prompt_tokens, item.is_cached) == (0, 0, False)
    assert item.total_ms > 0


@pytest.mark.parametrize(
    ("content", "plan", "message"),
    [
        ('{"id": "a", "sessions": [', {}, "cases.jsonl: not JSON"),
        ('{"task": "GR", "id": 1, "history": [{"user": "Hi."}]}', {}, "record 1, field history[0].bot: missing"),
        ('{"task": "GR", "id": 1, "history": [{"user": "Hi.", "bot": "Hi."}]}', {}, "There is nothing to measure"),
        ('{"task": "GR", "id": 1, "history": []}', {"format": "locomo"}, "record 1, field conversation: missing"),
        ('{"id": "a", "sessions": []}', {"only": "b"}, "has no case 'b'. Cases: a."),
        (json.dumps(homes("a")), {"systems": ("latest", "nobody")}, "There is no responder 'nobody'"),
        (json.dumps(homes("a")), {"systems": ("latest", "latest")}, "named twice"),
        (json.dumps(homes("a")), {"systems": ()}, "No system is named"),
        (json.dumps(homes("a")), {"engine": "http:gpt"}, "There is no engine 'http:gpt' here"),
        (json.dumps(homes("a")), {"engine": "added:7"}, "There is no such engine here"),
        (json.dumps(homes("a")), {"judge": "lenient"}, "There is no judge 'lenient'"),
        (json.dumps(homes("a")), {"judge": "answer"}, "has none"),
        (json.dumps(homes("a")), {"sample": 3}, "Give --limit"),
        (json.dumps(homes("a")), {"repeat": 0}, "--repeat must be at least 1"),
        (json.dumps(homes("a")), {"kind": RETRIEVAL, "systems": ("latest",)}, "There is no retriever 'latest'"),
        (json.dumps(homes("a")), {"kind": RETRIEVAL, "systems": ("s",), "judge": "words"}, "Leave the judge out"),
        (json.dumps(homes("a")), {"kind": RETRIEVAL, "systems": ("mini_rag",)}, "reads a knowledge graph"),
        (
            json.dumps({**homes("a"), "questions": [homes("a")["questions"][0] | {"id": "x"}] * 2}),
            {},
            "an id of its own",
        ),
    ],
)
def test_bad_run_is_refused_in_one_sentence_and_nothing_is_stored(
    content: str, plan: dict[str, Any], message: str, space: Space, owner: User, tmp_path: Path
) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text(content)
    with pytest.raises(EvaluationError) as refused:
        run_create(space=space, by=owner, path=path, plan=RunPlan(**{"kind": ANSWERS, "systems": SYSTEMS, **plan}))
    assert message in str(refused.value)
    assert not EvaluationRun.objects.exists() and not RunCase.objects.exists()


def test_run_of_too_many_items_is_refused_before_one_is_made(make, monkeypatch) -> None:
    monkeypatch.setattr("evaluation.services.runs.making.ITEMS_LIMIT", 18)
    assert make().items.count() == 18
    with pytest.raises(RunRefused, match="36 items, of 6 questions or turns, 3 systems and 2 repetitions; at most 18"):
        make(repeat=2)
    with pytest.raises(RunRefused, match="at most 18 can be measured"):
        make(limit=1, repeat=200_000_000)
    assert EvaluationRun.objects.count() == 1


def test_place_of_an_item_is_not_bounded_by_a_small_number(make) -> None:
    item = make(limit=1, systems=("first",)).items.first()
    item.position, item.repeat = 40_000, 40_000
    item.save()
    assert type(item).objects.filter(pk=item.pk, position=40_000, repeat=40_000).exists()


def test_item_that_the_database_does_not_take_as_it_is_fails_no_other_one(make, monkeypatch) -> None:
    class Odd(Homes):
        def reply(self, query):
            if query.text == BREAK:
                raise UnparsableReply("It broke\x00 off \ud800.", reply="")
            for part in super().reply(query):
                yield Delta(f"{part.text}\x00\udfff") if isinstance(part, Delta) else part

    monkeypatch.setattr(conversation_bootstrap, "responder", lambda name, *, engine, space_id: Odd(name, space_id, 0.0))
    case = homes("ana")
    case["sessions"][1]["turns"][0]["id"] = long = "home " * 60
    case["questions"][0]["evidence"] = [long]
    run = play(make(case, systems=("latest",)))
    told = list(run.items.order_by("index").values_list("reply", "error"))
    assert told == [
        ("You live in Lyon.\ufffd\ufffd", ""),
        ("I don't know that.\ufffd\ufffd", ""),
        ("", "It broke\ufffd off \ufffd."),
    ]
    item = run.items.get(key="1")
    assert item.found == item.evidence == [item.passages[0]["key"]] and len(item.found[0]) == 200
    assert figures(run)["latest", "evidence_recall", ""] == (1.0, 1)


def test_responder_that_the_engine_cannot_play_is_refused_by_name_and_a_row_of_all(make, monkeypatch) -> None:
    monkeypatch.setattr(conversation_bootstrap, "responder_check", needs_a_model)
    with pytest.raises(RunRefused, match="'silent' asks a language model"):
        make()
    run = play(make(systems=("all",)))
    assert run.systems == ["latest", "first"]
    [row] = [row for row in run_rows(run) if row.name == "silent"]
    assert (row.metric, row.value, row.why) == ("accuracy", None, "The responder 'silent' asks a language model.")


def needs_a_model(name: str, *, engine: str) -> None:
    if name == "silent":
        raise conversation_bootstrap.ResponderUnavailable("The responder 'silent' asks a language model.")


def test_stop_takes_effect_between_items_and_resume_plays_only_the_rest(make) -> None:
    run = make()
    run_start(run=run, is_here=True)
    assert run_work(run_id=run.pk, on_items=lambda count: run_stop(run=run))
    run.refresh_from_db()
    assert (run.state, run_progress(run).ended) == (RunState.STOPPED, 1)
    assert not run_work(run_id=run.pk)
    first = run.items.exclude(state=ItemState.WAITING).values_list("pk", "ended_at").get()
    run_resume(run=run, is_here=True)
    assert play(EvaluationRun.objects.get(pk=run.pk)).state == RunState.DONE
    assert run.items.filter(pk=first[0]).values_list("pk", "ended_at").get() == first
    with pytest.raises(RunRefused, match="nothing is to resume"):
        run_resume(run=run)


def test_task_gives_its_worker_back_in_time_and_asks_for_another(make, monkeypatch) -> None:
    run = run_start(run=make())
    asked = OutboxRecord.objects.filter(task=RUN_TASK, arguments={"run_id": run.pk}, queue="evaluation")
    assert asked.count() == 2
    asked.delete()
    monkeypatch.setattr("evaluation.services.runs.playing.TASK_S", 0.0)
    assert run_play(run_id=run.pk)
    assert (run_progress(run).ended, asked.count()) == (0, 1)
    monkeypatch.setattr("evaluation.services.runs.playing.TASK_S", 60.0)
    assert [run_play(run_id=run.pk) for _ in range(3)] == [True, True, False]
    run.refresh_from_db()
    assert run.state == RunState.DONE


def test_changed_file_code_or_setting_is_refused_with_what_differs(make, tmp_path: Path, settings, monkeypatch) -> None:
    run = make()
    run_start(run=run, is_here=True)
    run_stop(run=run)
    other = written(tmp_path / "other.jsonl", homes("cleo"))
    with pytest.raises(RunRefused, match=r"other.jsonl is not the file that the run .* was made from"):
        run_resume(run=run, path=other)
    settings.DSMART_REASONING_CALLS = 7
    monkeypatch.setattr(identities, "code_digest", lambda: "another")
    with pytest.raises(RunRefused, match="the code, DSMART_REASONING_CALLS changed since it was made"):
        run_resume(run=run, path=tmp_path / "homes.jsonl")
    run.refresh_from_db()
    assert run.state == RunState.STOPPED


def test_worker_with_other_code_pauses_the_run_unless_others_play_it(make, monkeypatch) -> None:
    run = run_start(run=make(), is_here=True)
    case = run.cases.first()
    monkeypatch.setattr(identities, "prompts_digest", lambda: "another")
    RunCase.objects.filter(pk=case.pk).update(lease_until=timezone.now() + timedelta(minutes=1))
    assert not run_work(run_id=run.pk)
    assert EvaluationRun.objects.get(pk=run.pk).state == RunState.RUNNING
    RunCase.objects.filter(pk=case.pk).update(lease_until=None)
    assert not run_work(run_id=run.pk)
    run.refresh_from_db()
    assert (run.state, run.why.count("the prompts changed")) == (RunState.PAUSED, 1)


def test_engine_that_dies_pauses_the_run_and_resume_goes_on(make, monkeypatch) -> None:
    gone = [True]

    class Dying(Homes):
        def reply(self, query):
            if self.name == "first" and gone:
                raise ModelUnreachable("The server does not answer. Is it running?")
            return super().reply(query)

    monkeypatch.setattr(
        conversation_bootstrap, "responder", lambda name, *, engine, space_id: Dying(name, space_id, 0.0)
    )
    run = play(make())
    assert (run.state, run.why) == (RunState.PAUSED, "The server does not answer. Is it running?")
    assert (run_progress(run).ended, run.items.exclude(error="").count()) == (3, 1)
    gone.clear()
    run_resume(run=run, is_here=True)
    resumed = play(EvaluationRun.objects.get(pk=run.pk))
    assert (resumed.state, resumed.why) == (RunState.DONE, "")
    assert set(resumed.items.exclude(error="").values_list("question", flat=True)) == {BREAK}


def judged_by(engine: str) -> dict[str, str]:
    return {"judge": f"answer@{engine}"}


def played_by(engine: str) -> dict[str, str]:
    return {"engine": engine}


@pytest.mark.parametrize("plan", [played_by, judged_by])
@pytest.mark.parametrize(
    "end", [lambda engine: engine.offered_in.clear(), lambda engine: engine.delete()], ids=["withdrawn", "removed"]
)
def test_engine_that_is_withdrawn_or_removed_pauses_the_run_and_is_refused_at_resume(
    plan, end, make, owner: User, client, monkeypatch
) -> None:
    monkeypatch.setattr(bootstrap, "engine", engines.engine)
    engine = engine_add(by=owner, name="Tiny", base_url="http://127.0.0.1:1/v1", model="tiny")
    engine.offered_in.set(Space.objects.all())
    gone = "There is no such engine here"
    run = run_start(run=make(systems=("latest",), **plan(engine.engine)), is_here=True)
    end(engine)
    assert not run_work(run_id=run.pk)
    run.refresh_from_db()
    assert (run.state, run.why.startswith(gone)) == (RunState.PAUSED, True)
    with pytest.raises(RunRefused, match=gone):
        run_resume(run=run)
    client.force_login(owner)
    said = client.post(reverse("run-resume", args=[run.pk]), follow=True).content.decode()
    assert "was not resumed" in said and gone in said
    assert EvaluationRun.objects.get(pk=run.pk).state == RunState.PAUSED


def test_judge_whose_engine_is_not_offered_is_refused(make, owner: User) -> None:
    engine = engine_add(by=owner, name="Tiny", base_url="http://127.0.0.1:1/v1", model="tiny")
    engine.offered_in.clear()
    with pytest.raises(RunRefused, match="There is no such engine here"):
        make(**judged_by(engine.engine))


def test_fault_of_the_database_loses_nothing(make, monkeypatch) -> None:
    class Full(Homes):
        def reply(self, query):
            raise OperationalError("No space left on device")

    working = conversation_bootstrap.responder
    monkeypatch.setattr(conversation_bootstrap, "responder", lambda name, *, engine, space_id: Full(name, space_id, 0))
    run = run_start(run=make(), is_here=True)
    with pytest.raises(OperationalError):
        run_work(run_id=run.pk)
    assert not run.items.exclude(state=ItemState.WAITING).exists()
    monkeypatch.setattr(conversation_bootstrap, "responder", working)
    assert play(run_start_again(run)).state == RunState.DONE


def run_start_again(run: EvaluationRun) -> EvaluationRun:
    return EvaluationRun.objects.get(pk=run.pk)


def test_case_that_kills_its_workers_fails_in_the_end(make) -> None:
    run = run_start(run=make(), is_here=True)
    run.cases.filter(key="ana").update(attempts=3)
    assert play(run).state == RunState.DONE
    errors = run.items.filter(case__key="ana").values_list("error", flat=True).distinct()
    assert list(errors) == ["The worker ended 3 times while it played this case."]
    assert figures(run)["latest", "accuracy", ""] == (pytest.approx(2 / 6), 6)


def test_judge_that_kills_its_workers_leaves_the_case_unscored_in_the_end(make, monkeypatch) -> None:
    class Killed(BaseException):
        """The process ends: nothing after it is done."""

    def kill(judge, replies):
        raise Killed

    run = run_start(run=make(homes("ana"), systems=("latest",), judge="words"), is_here=True)
    monkeypatch.setattr("evaluation.services.runs.judging.judge_batch", kill)
    for _ in range(4):
        with pytest.raises(Killed):
            run_work(run_id=run.pk)
    assert run.cases.get().attempts == 3
    assert play(run_start_again(run)).state == RunState.DONE
    judged = ItemScore.objects.filter(item__run=run, metric=run.identity["judge_metric"]).order_by("item__index")
    why = "The worker ended 3 times while the judge looked at this case."
    assert list(judged.values_list("value", "why")) == [(None, why), (None, why), (None, BROKE_OFF)]


def test_sweep_asks_for_a_worker_in_place_of_a_lost_one(make) -> None:
    run = run_start(run=make(), is_here=True)
    asked = OutboxRecord.objects.filter(task=RUN_TASK)
    runs_sweep()
    assert not asked.exists()
    now = timezone.now()
    EvaluationRun.objects.filter(pk=run.pk).update(started_at=now - timedelta(minutes=5))
    run.cases.update(lease_until=now + timedelta(minutes=1))
    runs_sweep()
    assert not asked.exists()
    run.cases.update(lease_until=now - timedelta(seconds=1))
    runs_sweep()
    assert asked.count() == 2


def test_second_run_takes_what_is_finished_from_the_cache(make, monkeypatch) -> None:
    first = play(make())
    asked: list[tuple[str, str]] = []

    class Listening(Homes):
        def reply(self, query):
            asked.append((self.name, query.text))
            return super().reply(query)

    monkeypatch.setattr(
        conversation_bootstrap, "responder", lambda name, *, engine, space_id: Listening(name, space_id, 0.0)
    )
    second = play(make())
    assert {text for _, text in asked} == {BREAK}
    assert [row.as_json() for row in run_rows(second) if row.metric != "seconds"] == [
        row.as_json() for row in run_rows(first) if row.metric != "seconds"
    ]
    assert run_rows(second) == run_rows(first)
    assert (run_progress(second).cached, second.identity_digest) == (12, first.identity_digest)
    taken = (
        second.items.filter(is_cached=True)
        .order_by("index")
        .values_list("reply", "found", "passages", "trace", "total_ms")
    )
    assert list(taken) == list(
        first.items.filter(state=ItemState.DONE)
        .order_by("index")
        .values_list("reply", "found", "passages", "trace", "total_ms")
    )


def test_cache_is_of_an_item_whatever_else_is_asked_for(make, space: Space, owner: User) -> None:
    play(make(systems=("latest",), limit=1))
    wider = make(systems=("first", "latest"), questions=2, repeat=2)
    cached = wider.items.filter(is_cached=True).order_by("index")
    assert list(cached.values_list("case__key", "system", "key", "repeat")) == [
        ("ana", "latest", "1", 0),
        ("ana", "latest", "2", 0),
    ]
    changed = homes("ana")
    changed["questions"][0]["answers"] = ["Paris"]
    assert list(make(changed, systems=("latest",)).items.filter(is_cached=True).values_list("key", flat=True)) == ["2"]
    said = homes("ana", "Paris", "Nice")
    assert not make(said, systems=("latest",)).items.filter(is_cached=True).exists()
    elsewhere = space_create(name="Another", owner=owner)
    assert not make(systems=("latest",), into=elsewhere).items.filter(is_cached=True).exists()


def test_sample_draws_cases_by_its_seed_and_keeps_the_order_of_the_file(make) -> None:
    cases = [homes(f"case {number}") for number in range(9)]
    drawn = [list(make(*cases, limit=4, sample=seed).cases.values_list("key", flat=True)) for seed in (1, 1, 4)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert all(keys == sorted(keys) and len(keys) == 4 for keys in drawn)


def test_kept_spaces_become_the_creators_and_others_are_deleted(make, owner: User, space: Space) -> None:
    run = play(make(systems=("latest",), keeps_spaces=True))
    kept = [case.scratch for case in run.cases.select_related("scratch")]
    assert {space, *kept} <= set(spaces_of(owner)) and len(kept) == 2 and not scratch_spaces().exists()
    Space.objects.update(created_at=timezone.now() - 2 * KILLED_AFTER)
    assert abandoned_spaces_forget() == 0
    run_delete(run=run)
    assert {space, *kept} <= set(spaces_of(owner))
    assert not ItemScore.objects.exists() and not EvaluationRun.objects.exists()


def test_scratch_of_a_run_that_may_go_on_is_not_abandoned_and_goes_with_it(make, space: Space) -> None:
    run = run_start(run=make(), is_here=True)
    run_work(run_id=run.pk, on_items=lambda count: run_stop(run=run))
    scratch = run.cases.exclude(scratch=None).get().scratch
    Space.objects.filter(pk=scratch.pk).update(created_at=timezone.now() - 2 * KILLED_AFTER)
    assert abandoned_spaces_forget() == 0
    run_delete(run=run)
    assert not scratch_spaces().exists()


def test_latest_override_counts_and_can_be_taken_back(make, owner: User, django_assert_num_queries) -> None:
    run = play(make(systems=("silent",)))
    item = run.items.get(case__key="ana", key="1")

    def score(metric: str = "accuracy") -> tuple[float | None, float | None, bool]:
        [one] = [one for one in effective_scores([run.pk], metric=metric) if one.item == item.pk]
        return one.value, one.measured, one.is_overridden

    assert score() == (0.0, 0.0, False)
    for value, expected in ((0.5, (0.5, 0.0, True)), (1.0, (1.0, 0.0, True)), (None, (0.0, 0.0, False))):
        ScoreOverride.objects.create(item=item, metric="accuracy", value=value, by=owner)
        assert score() == expected
    ScoreOverride.objects.create(item=item, metric="kindness", value=1.0, by=owner)
    assert score("kindness") == (1.0, None, True)
    with django_assert_num_queries(2):
        effective_scores([run.pk])
    failed = [one for one in effective_scores([run.pk], metric="accuracy") if one.has_failed]
    assert [(one.case_key, one.key, one.value, one.measured, one.why) for one in failed] == [
        ("ana", "3", 0.0, None, BROKE_OFF),
        ("ben", "3", 0.0, None, BROKE_OFF),
    ]
    assert {one.value for one in effective_scores([run.pk], metric="total_ms") if one.has_failed} == {None}


def test_runs_are_seen_by_the_members_of_their_space_alone(make, owner: User) -> None:
    run = make()
    stranger = User.objects.create_user("stranger")
    assert list(runs_of(owner)) == [run]
    assert list(runs_of(stranger)) == []


def test_judge_by_words_gives_its_figure_and_a_failed_reply_counts(make) -> None:
    run = play(make(systems=("latest",), judge="words"))
    assert (run.identity["judge"], run.identity["judge_metric"]) == ("words", "judged")
    assert figures(run)["latest", "judged", ""] == (pytest.approx(4 / 6), 6)
    unjudged = make(systems=("latest",))
    assert not ItemScore.objects.filter(item__run=unjudged, metric="judged").exists()
    assert run_progress(unjudged).cached == 4
    again = make(systems=("latest",), judge="words")
    assert ItemScore.objects.filter(item__run=again, metric="judged").count() == 4


def test_item_takes_few_queries_however_many_there_are(make) -> None:
    counts = []
    for repeat in (1, 3):
        run = run_start(run=make(homes("ana"), systems=("silent",), repeat=repeat), is_here=True)
        run.items.update(is_cached=False, state=ItemState.WAITING)
        ItemScore.objects.filter(item__run=run).delete()
        run.cases.update(state=CaseState.WAITING)
        EvaluationRun.objects.filter(pk=run.pk).update(state=RunState.RUNNING)
        with CaptureQueriesContext(
            connection,
        ) as queries:
            assert run_work(run_id=run.pk)
        counts.append(len(queries))
    assert (counts[1] - counts[0]) / 6 <= 16


def test_failed_item_counts_as_the_lowest_value_of_its_scale(make) -> None:
    run = play(make())
    failed = run.items.filter(state="failed").first()
    ItemScore.objects.create(item=failed, metric="gpt_score", why="It broke off.")
    assert [one.value for one in effective_scores([run.pk], metric="gpt_score")] == [1.0]
    assert {one.value for one in effective_scores([run.pk], metric="accuracy") if one.has_failed} == {0.0}

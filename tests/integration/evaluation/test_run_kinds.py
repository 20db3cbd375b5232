"""Runs of retrieval and of dialogues, and the command that makes, plays and resumes runs."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from evaluation.core.runs.answers import Figure
from evaluation.core.runs.plan import DIALOGUES, RETRIEVAL, RunPlan
from evaluation.core.tasks.types import PlayedTurn
from evaluation.models import EvaluationRun, ItemScore, ItemState, RunState
from evaluation.services.retrieval import RetrievalPlan, preset_of, retrieval_evaluate
from evaluation.services.runs import run_create, run_resume, run_rows, run_start, run_work
from evaluation.services.runs.dialogues import consistency_of
from memory import bootstrap
from memory.models import Space
from memory.services import space_create
from tests.fakes.engines import small_models
from tests.integration.evaluation.run_worker import small_players
from tests.integration.evaluation.test_runs import figures, homes, scratch_spaces, written
from tests.unit.evaluation.benchmarks.test_tasks import CHALLENGE, EXTENDED, SHARDED, file_of

pytestmark = pytest.mark.django_db

SAID = [("I live in Lyon.", "A fine city."), ("Where do I live?", "In Lyon.")]
DIALOGUE = {"task": "SI", "id": 1, "history": [{"user": user, "bot": bot} for user, bot in SAID]}


@pytest.fixture
def space(owner: User) -> Space:
    return space_create(name="Ana's memory", owner=owner)


def play(run: EvaluationRun) -> EvaluationRun:
    run_start(run=run, is_here=True)
    while run_work(run_id=run.pk):
        pass
    run.refresh_from_db()
    return run


def scripted(tmp_path: Path, *rules: dict[str, Any]) -> str:
    script = written(tmp_path / "script.jsonl", *rules)
    engine = f"scripted:{script}"
    bootstrap.engine_admit(engine)
    return engine


NOTHING = {
    "when": "as the JSON object",
    "reply": {"facts": [], "statement": [], "conflicts": [], "summary": "", "insights": []},
}


def test_retrievers_have_the_figures_of_evaluate_retrieval(space: Space, owner: User, tmp_path, monkeypatch) -> None:
    small_models(monkeypatch)
    path = written(tmp_path / "cases.jsonl", homes("ana"), homes("ben", "Rome", "Oslo", "Nice"))
    plan = RunPlan(RETRIEVAL, ("s", "bm25_t"), cuts=(1, 2))
    run = play(run_create(space=space, by=owner, path=path, plan=plan))
    assert (run.state, run.items.count()) == (RunState.DONE, 4)
    direct = retrieval_evaluate(
        path=path, plan=RetrievalPlan(plan.systems, plan.cuts, preset_of("auto", "jsonl")), quiet=True
    )
    metrics = ("session_recall@1", "turn_recall@1", "session_recall@2", "turn_recall@2", "mrr", "turn_mrr")
    wanted = {
        (row.name, row.metric): (row.value, row.low, row.high, row.n)
        for row in direct.rows()
        if row.metric in metrics and not row.group
    }
    found = {
        (row.name, row.metric): (row.value, row.low, row.high, row.n)
        for row in run_rows(run)
        if row.metric in metrics and not row.group
    }
    assert found == wanted and len(found) == 12
    assert [row.why for row in run_rows(run) if row.metric == "turn_recall@1_unscored"] == [
        "the recipe ranks sessions, no turns"
    ]
    skipped = [(row.value, row.why) for row in run_rows(run) if row.metric == "skipped"]
    assert skipped == [(4, "the file names no evidence for them")]
    assert run.items.get(system="bm25_t", case__key="ana").found[0] in ("home 1", "home 2")


def test_worker_whose_time_is_up_writes_the_figures_of_one_retriever(
    space: Space, owner: User, tmp_path, monkeypatch
) -> None:
    small_models(monkeypatch)
    path = written(tmp_path / "cases.jsonl", homes("ana"))
    run = run_create(space=space, by=owner, path=path, plan=RunPlan(RETRIEVAL, ("s", "bm25_t"), cuts=(1,)))
    run_start(run=run, is_here=True)
    ended = run.items.exclude(state=ItemState.WAITING).order_by("index")
    assert run_work(run_id=run.pk, seconds=0.0)
    assert list(ended.values_list("system", flat=True)) == ["s"]
    assert run_work(run_id=run.pk, seconds=0.0)
    assert list(ended.values_list("system", flat=True)) == ["s", "bm25_t"]
    assert EvaluationRun.objects.get(pk=run.pk).state == RunState.DONE


def test_question_for_which_nothing_is_found_counts_as_zero_where_it_is_the_only_one(
    space: Space, owner: User, tmp_path, monkeypatch
) -> None:
    small_models(monkeypatch)
    case = homes("ana")
    case["questions"] = [{"question": "Xyzzy?", "answers": ["Lyon"], "evidence": ["home 1"]}]
    plan = RunPlan(RETRIEVAL, ("bm25_t",), cuts=(1,))
    run = play(run_create(space=space, by=owner, path=written(tmp_path / "one.jsonl", case), plan=plan))
    assert figures(run)["bm25_t", "turn_recall@1", ""] == (0.0, 1)


def test_dialogue_is_held_turn_by_turn_on_the_systems_own_replies(space: Space, owner: User, tmp_path, model) -> None:
    path = written(tmp_path / "dialogues.jsonl", DIALOGUE)
    engine = scripted(
        tmp_path,
        NOTHING,
        {"when": "where do i live", "reply": "You live in Lyon."},
        {"reply": "I live in Rome, not Lyon."},
    )
    run = play(run_create(space=space, by=owner, path=path, plan=RunPlan(DIALOGUES, ("base",), engine)))
    assert (run.state, run.why, run.benchmark) == (RunState.DONE, "", "mtbench101")
    assert list(run.items.values_list("key", "position", "category", "question", "reply", "error")) == [
        ("1", 1, "SI", "I live in Lyon.", "I live in Rome, not Lyon.", ""),
        ("2", 2, "SI", "Where do I live?", "You live in Lyon.", ""),
    ]
    found = figures(run)
    assert found["base", "cs", "turn 2"] == (pytest.approx(0.55), 1)
    assert found["base", "entailed", ""] == (0.0, 2)
    assert found["base", "calls", ""] == (1.0, 2)
    assert not scratch_spaces().exists()


def test_dialogue_that_breaks_off_fails_from_that_turn_on(space: Space, owner: User, tmp_path, model) -> None:
    path = written(
        tmp_path / "dialogues.jsonl", {**DIALOGUE, "history": [*DIALOGUE["history"], {"user": "Bye.", "bot": "Bye."}]}
    )
    engine = scripted(
        tmp_path, NOTHING, {"when": "where", "error": "refused", "message": "No."}, {"reply": "Lyon is fine."}
    )
    run = play(run_create(space=space, by=owner, path=path, plan=RunPlan(DIALOGUES, ("base",), engine)))
    assert [(item.state, item.error) for item in run.items.order_by("index")] == [
        (ItemState.DONE, ""),
        (ItemState.FAILED, "No."),
        (ItemState.FAILED, "The dialogue broke off before this turn. No."),
    ]
    assert figures(run)["base", "entailed", "turn 3"] == (0.0, 1)


def test_turns_before_a_broken_one_have_the_figures_of_their_task(space: Space, owner: User, tmp_path, model) -> None:
    classes = {
        "id": "1",
        "conv": [
            {"user": "Choose one of:\nmusic\nart", "sys": "ok.", "id": "instruction", "do_inference": False},
            {"user": "A painting.", "sys": "art", "id": "2", "do_inference": True},
            {"user": "A song.", "sys": "music", "id": "3", "do_inference": True},
        ],
    }
    path = file_of(tmp_path, classes)
    engine = scripted(tmp_path, NOTHING, {"when": "song", "error": "refused", "message": "No."}, {"reply": "art"})
    run = play(run_create(space=space, by=owner, path=path, plan=RunPlan(DIALOGUES, ("base",), engine)))
    scores = ItemScore.objects.filter(item__run=run, metric="class_accuracy").order_by("item__index")
    assert list(scores.values_list("item__key", "value", "why")) == [("2", 1.0, ""), ("3", None, "No.")]


def test_dialogue_is_taken_from_the_cache_whole_or_not_at_all(space: Space, owner: User, tmp_path, model) -> None:
    path = written(tmp_path / "dialogues.jsonl", DIALOGUE)
    engine = scripted(
        tmp_path, NOTHING, {"when": "where", "reply": "You live in Lyon."}, {"reply": "I live in Rome, not Lyon."}
    )
    plan = RunPlan(DIALOGUES, ("base",), engine)
    first, second = (play(run_create(space=space, by=owner, path=path, plan=plan)) for _ in range(2))
    replies = [("1", "I live in Rome, not Lyon."), ("2", "You live in Lyon.")]
    assert list(second.items.order_by("index").values_list("key", "reply")) == replies
    assert second.items.filter(is_cached=True).count() == 2
    first.items.filter(key="1").update(state=ItemState.FAILED)
    second.items.filter(key="2").update(state=ItemState.FAILED)
    third = run_create(space=space, by=owner, path=path, plan=plan)
    assert not third.items.filter(is_cached=True).exists()
    assert list(play(third).items.order_by("index").values_list("key", "reply")) == replies


def test_replies_go_to_their_own_turns_where_some_have_ended(space: Space, owner: User, tmp_path, model) -> None:
    path = written(tmp_path / "dialogues.jsonl", DIALOGUE)
    engine = scripted(tmp_path, NOTHING, {"when": "where", "reply": "You live in Lyon."}, {"reply": "I see."})
    run = run_create(space=space, by=owner, path=path, plan=RunPlan(DIALOGUES, ("base",), engine))
    run.items.filter(key="1").update(state=ItemState.DONE, reply="Kept.")
    assert list(play(run).items.order_by("index").values_list("reply", "error")) == [
        ("Kept.", ""),
        ("You live in Lyon.", ""),
    ]


def test_reply_without_words_moves_no_figure_to_another_turn(db, model) -> None:
    blank, told = consistency_of(
        [PlayedTurn("I live in Lyon.", " "), PlayedTurn("Where do I live?", "You live in Rome.")]
    )
    assert blank == [Figure(name, None, "The reply has no words.") for name in ("cs", "entailed")]
    assert [figure.value is None for figure in told] == [False, False]


def test_silent_engine_pauses_a_dialogue_and_a_replay(space: Space, owner: User, tmp_path, model) -> None:
    gone = {"error": "unreachable", "message": "The server does not answer."}
    dialogues = written(tmp_path / "dialogues.jsonl", DIALOGUE)
    run = play(
        run_create(
            space=space, by=owner, path=dialogues, plan=RunPlan(DIALOGUES, ("base",), scripted(tmp_path, NOTHING, gone))
        )
    )
    assert (run.state, run.why) == (RunState.PAUSED, "The server does not answer.")
    assert set(run.items.values_list("state", flat=True)) == {ItemState.WAITING}
    assert not scratch_spaces().exists()


def test_engine_that_is_silent_while_the_case_is_replayed_pauses_the_run(space: Space, owner: User, tmp_path) -> None:
    engine = scripted(
        tmp_path,
        {"when": "as the JSON object", "times": 40, "error": "unreachable", "message": "The server does not answer."},
        NOTHING,
        {"reply": "Lyon."},
    )
    path = written(tmp_path / "homes.jsonl", homes("ana"))
    run = play(run_create(space=space, by=owner, path=path, plan=RunPlan("answers", ("base",), engine)))
    assert (run.state, run.why) == (RunState.PAUSED, "The server does not answer.")
    assert not run.items.exclude(state=ItemState.WAITING).exists()


def test_task_over_several_turns_is_solved_or_not_once(space: Space, owner: User, tmp_path, model) -> None:
    path = file_of(tmp_path, SHARDED, is_list=True)
    engine = scripted(tmp_path, NOTHING, {"reply": "The answer is 9."})
    run = play(run_create(space=space, by=owner, path=path, plan=RunPlan(DIALOGUES, ("base",), engine)))
    assert (run.state, run.benchmark) == (RunState.DONE, "lost_in_conversation")
    assert ItemScore.objects.filter(item__run=run, metric="solved").count() == 1
    assert run.cases.get().key.endswith("/sharded")


def test_judge_that_answers_in_prose_leaves_replies_unscored_and_counted(space: Space, owner: User, tmp_path) -> None:
    engine = scripted(
        tmp_path, NOTHING, {"when": "judge|verdict|is_right", "reply": "It looks right to me!"}, {"reply": "Lyon."}
    )
    path = written(tmp_path / "homes.jsonl", {**homes("ana"), "questions": homes("ana")["questions"][:1]})
    plan = RunPlan("answers", ("base",), engine, judge="answer")
    run = play(run_create(space=space, by=owner, path=path, plan=plan))
    [score] = ItemScore.objects.filter(item__run=run, metric="judged")
    assert (run.state, score.value) == (RunState.DONE, None)
    assert score.why.startswith("The judge answer@scripted:")
    assert figures(run)["base", "judged_unscored", ""] == (1, 1)
    assert figures(run)["base", "judged", ""] == (None, 0)


def command(*words: str, **options: Any) -> str:
    told = StringIO()
    call_command("evaluate", "run", *words, stdout=told, verbosity=0, **options)
    return told.getvalue()


def test_command_prints_a_line_a_system_and_writes_the_same_json_again(owner: User, tmp_path, monkeypatch) -> None:
    small_players(monkeypatch)
    path = str(written(tmp_path / "homes.jsonl", homes("ana"), homes("ben", "Rome", "Oslo")))
    out = [tmp_path / f"{name}.json" for name in ("first", "second")]
    words = ("jsonl", "--data", path, "--responders", "latest,silent", "--questions", "1")
    told = [command(*words, "--json", str(one)) for one in out]
    assert told[0] == told[1]
    lines = told[0].splitlines()
    assert lines[0].split() == [
        "system", "accuracy", "token_f1", "refused", "evidence_recall", "calls", "tokens", "seconds", "failed",
    ]  # fmt: skip
    assert [line.split()[0] for line in lines[1:3]] == ["latest", "silent"]
    assert out[0].read_bytes() == out[1].read_bytes()
    report = json.loads(out[0].read_text())
    assert (report["command"], list(report["identity"]["data"])) == ("evaluate run", ["homes.jsonl"])
    assert EvaluationRun.objects.count() == 2


@pytest.mark.parametrize(
    ("benchmark", "record"),
    [("mtbench101", DIALOGUE), ("multichallenge", CHALLENGE), ("mteval", EXTENDED), ("lost_in_conversation", SHARDED)],
)
def test_dialogues_are_held_whose_benchmark_is_told_by_the_file_alone(
    owner: User, tmp_path, model, benchmark: str, record: dict[str, Any]
) -> None:
    path = file_of(tmp_path, record, is_list="shards" in record)
    engine = scripted(tmp_path, NOTHING, {"reply": "The answer is 9."})
    command("--data", str(path), "--responders", "base", "--engine", engine)
    run = EvaluationRun.objects.get()
    assert (run.kind, run.benchmark, run.state) == (DIALOGUES, benchmark, RunState.DONE)
    if benchmark != "mtbench101":
        with pytest.raises(
            CommandError, match=r"has tasks, and no questions about a dialogue\. Choose the kind dialogues"
        ):
            command("--data", str(path), "--responders", "base", "--engine", engine, "--kind", "answers")


def test_command_resumes_a_run_and_says_how(owner: User, tmp_path, monkeypatch) -> None:
    small_players(monkeypatch)
    path = str(written(tmp_path / "homes.jsonl", homes("ana")))

    def interrupted(**given: Any) -> bool:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("evaluation.services.runs.here.run_work", interrupted)
        with pytest.raises(CommandError, match=r"is stopped. What ended is kept. Go on with: .* --resume \d+"):
            command("--data", path, "--responders", "latest")
    [run] = EvaluationRun.objects.all()
    assert run.state == RunState.STOPPED
    assert command("--resume", str(run.pk)).startswith("system")
    with pytest.raises(CommandError, match="There is no run 999999 of owner's"):
        command("--resume", "999999")
    with pytest.raises(CommandError, match="either --responders or --retrievers"):
        command("--data", path)
    with pytest.raises(CommandError, match="There is no account 'nobody'"):
        command("--data", path, "--responders", "latest", "--user", "nobody")


def test_run_that_was_paused_can_be_resumed_with_its_file(space: Space, owner: User, tmp_path, monkeypatch) -> None:
    small_players(monkeypatch)
    path = written(tmp_path / "homes.jsonl", homes("ana"))
    run = run_create(space=space, by=owner, path=path, plan=RunPlan("answers", ("latest",)))
    run_start(run=run, is_here=True)
    EvaluationRun.objects.filter(pk=run.pk).update(state=RunState.PAUSED, why="It was gone.")
    assert (run_resume(run=run, path=path, is_here=True).state, run.items.count()) == (RunState.RUNNING, 3)

"""`manage.py evaluate judge-check`: the words judge and a scripted one on a small file, and people's figures of a run."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from evaluation.core.runs.plan import RunPlan
from evaluation.models import EvaluationRun, ItemScore, ItemState, RunCase, RunItem, RunKind, ScoreOverride
from memory import bootstrap
from memory.models import Space

CASES = {
    "id": "trips",
    "sessions": [{"started_at": "2024-03-02T18:20:00", "turns": [{"role": "user", "text": "I moved to Graz in May 2023."}]}],
    "questions": [
        {"question": "When did I move?", "answers": ["May 2023"], "category": "time"},
        {"question": "When did I marry?", "answers": ["June 2020"], "category": "time"},
        {"question": "Where do I live?", "answers": ["Graz"], "category": "place"},
        {"question": "Where did I live?", "answers": ["Linz"], "category": "place"},
        {"question": "Who is my boss?", "answers": [], "category": "unknown"},
    ],
}  # fmt: skip


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "trips.jsonl"
    path.write_text(json.dumps(CASES) + "\n")
    return path


def figures(out: Path) -> dict[tuple[str, str], Any]:
    return {(row["metric"], row.get("group", "")): row["value"] for row in json.loads(out.read_text())["rows"]}


def check(*options: Any) -> str:
    said = StringIO()
    call_command("evaluate", "judge-check", *map(str, options), verbosity=0, stdout=said)
    return said.getvalue()


def test_the_words_judge_takes_denials_and_alternatives_for_right(data: Path, tmp_path: Path) -> None:
    out, items = tmp_path / "out.json", tmp_path / "items.jsonl"
    table = check("--data", data, "--judge", "words", "--json", out, "--items", items)
    found = figures(out)
    assert found["false_positives", "wrong: denied"] == 1.0
    assert found["false_positives", "vague: either or"] == 1.0
    assert found["false_positives", "wrong: another answer"] == 0.0
    assert found["false_positives", "wrong: shifted"] == 0.0
    assert found["false_positives", "vague: refusal"] == 0.0
    assert found["true_positives", "right"] == 1.0
    assert found["unscored", ""] == 0.0
    assert "wrong: denied" in table
    lines = [json.loads(line) for line in items.read_text().splitlines()]
    assert len(lines) == json.loads(out.read_text())["rows"][-1]["n"] > 40
    assert {line["sort"] for line in lines} == {"right", "wrong", "vague"}


def test_a_scripted_judge_is_measured_and_its_prose_is_unscored(data: Path, tmp_path: Path) -> None:
    rules = [
        {"when": "certainly not this|could not be used", "reply": "I cannot say."},
        {"when": "Graz", "reply": {"reason": "", "is_right": True}},
        {"reply": {"reason": "", "is_right": False}},
    ]
    script, out = tmp_path / "judge.jsonl", tmp_path / "out.json"
    script.write_text("".join(json.dumps(rule) + "\n" for rule in rules))
    bootstrap.reset()
    try:
        check("--data", data, "--judge", f"answer@scripted:{script}", "--json", out)
    finally:
        bootstrap.reset()
    found = figures(out)
    assert found["false_positives", "wrong: denied"] == 0.0
    assert 0 < found["unscored", ""] < 1
    assert 0 < found["true_positives", "right: verbatim"] < 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], r"Give --data FILE, --overrides RUN, or both"),
        (["--data", "DATA", "--judge", "nobody"], r"There is no judge 'nobody'"),
        (["--data", "DATA", "--judge", "answer"], r"has none\. Name an engine behind it"),
        (["--data", "DATA", "--questions", "0"], r"--questions must be at least 1"),
        (["--data", "/nowhere.jsonl"], r"cannot be read"),
    ],
)
def test_what_cannot_be_checked_is_said(options: list[str], message: str, data: Path) -> None:
    with pytest.raises(CommandError, match=message):
        check(*(str(data) if one == "DATA" else one for one in options))


def test_a_judge_without_gold_answers_is_refused(data: Path, tmp_path: Path) -> None:
    script = tmp_path / "judge.jsonl"
    script.write_text('{"reply": "x"}\n')
    bootstrap.reset()
    try:
        with pytest.raises(CommandError, match="'gpt_score' holds replies against no gold answer"):
            check("--data", data, "--judge", f"gpt_score@scripted:{script}")
    finally:
        bootstrap.reset()


@pytest.mark.django_db
def test_people_are_compared_with_the_judge_of_a_run(tmp_path: Path) -> None:
    """Three of four agree; a withdrawn figure and a failed item do not count."""
    run = EvaluationRun.objects.create(
        space=Space.objects.create(name="team"), name="r", kind=RunKind.ANSWERS, benchmark="jsonl", data_name="a.jsonl",
        systems=["graph"], engine="builtin", judge="answer@x", plan=RunPlan(RunKind.ANSWERS, ("graph",)).as_json(),
        identity={}, identity_digest="0" * 64,
    )  # fmt: skip
    case = RunCase.objects.create(run=run, index=0, key="a", content={})
    figures_of = [(1.0, 1.0), (0.0, 0.0), (None, 1.0), (1.0, 1.0), (1.0, None), (None, 1.0)]
    for index, (measured, given) in enumerate(figures_of):
        item = RunItem.objects.create(
            run=run, case=case, index=index, system="graph", key=str(index), question="?", expected=["x"], cache_key="",
            state=ItemState.FAILED if index == 5 else ItemState.DONE, error="gone" if index == 5 else "",
        )  # fmt: skip
        if index < 5:
            why = "" if measured is not None else "prose"
            ItemScore.objects.create(item=item, metric="judged", value=measured, why=why)
        ScoreOverride.objects.create(item=item, metric="judged", value=0.0)
        ScoreOverride.objects.create(item=item, metric="judged", value=given)
    out = tmp_path / "out.json"
    check("--overrides", run.pk, "--json", out)
    found = figures(out)
    assert found["agreement", "judged"] == 0.75
    assert found["unscored", "judged"] == 1
    assert {row["name"] for row in json.loads(out.read_text())["rows"]} == {"answer@x"}
    with pytest.raises(CommandError, match="There is no run 999999"):
        check("--overrides", 999_999)

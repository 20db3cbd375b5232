"""`evaluate complexity`: the measures of a file's dialogues, and the refined ones by the scores of a run."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from evaluation.models import EvaluationRun, ItemScore, RunCase, RunItem
from memory.models import Space
from memory.services import space_create
from memory.services.accounts import owner_account

pytestmark = pytest.mark.django_db


@pytest.fixture
def dialogues(tmp_path: Path) -> Path:
    path = tmp_path / "talks.jsonl"
    lines = [
        {"task": "CM", "id": number, "history": [{"user": "Go on. " * number, "bot": "Yes."}] * number}
        for number in range(1, 5)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def measured(*options: object) -> dict[tuple[str, str], float | None]:
    out = StringIO()
    call_command("evaluate", "complexity", *map(str, options), verbosity=0, stdout=out)
    path = next(Path(str(options[place + 1])) for place, one in enumerate(options) if one == "--json")
    return {(row["name"], row["metric"]): row["value"] for row in json.loads(path.read_text())["rows"]}


def scored_run(scores: dict[str, list[float | None]]) -> EvaluationRun:
    owner = owner_account()
    space: Space = space_create(name="Runs", owner=owner)
    run = EvaluationRun.objects.create(
        space=space, created_by=owner, name="r", kind="dialogues", benchmark="mtbench101", data_name="x",
        systems=["base"], engine="e", plan={}, identity={}, identity_digest="d",
    )  # fmt: skip
    index = 0
    for place, (key, values) in enumerate(scores.items()):
        case = RunCase.objects.create(run=run, index=place, key=key, content={})
        for value in values:
            item = RunItem.objects.create(
                run=run, case=case, index=index, system="base", key=str(index), question="?", cache_key=str(index)
            )
            ItemScore.objects.create(item=item, metric="gpt_score", value=value, why="" if value else "unreadable")
            index += 1
    return run


def test_without_scores_the_most_complex_dialogues_are_taken_of_all(tmp_path: Path, dialogues: Path) -> None:
    found = measured("--data", dialogues, "--share", 0.5, "--json", tmp_path / "out.json")
    assert (found["original", "turns"], found["refined", "turns"]) == (2.5, 3.5)
    assert found["refined", "moderate"] is None


def test_a_judged_run_tells_which_dialogues_are_moderate(tmp_path: Path, dialogues: Path) -> None:
    run = scored_run({"1": [5.0], "2": [2.0, 8.0, None], "3": [3.0], "4": [9.0, 10.0]})
    items = tmp_path / "refined.jsonl"
    found = measured(
        "--data", dialogues, "--run", run.pk, "--share", 0.25, "--items", items, "--json", tmp_path / "out.json"
    )
    assert found["refined", "turns"] == 2 and ("refined", "moderate") not in found
    assert [json.loads(line)["id"] for line in items.read_text().splitlines()] == [2]


def test_wrong_options_are_answered_in_one_sentence(tmp_path: Path, dialogues: Path) -> None:
    run = scored_run({"1": [None]})
    for options, said in (
        (("--share", "0"), "--share must be over 0 and at most 1."),
        (("--run", str(run.pk)), f"The run {run.pk} has no gpt_score: name a run of `base` that a judge scored."),
    ):
        with pytest.raises(CommandError) as raised:
            call_command("evaluate", "complexity", "--data", str(dialogues), *options, verbosity=0)
        assert str(raised.value) == said


def test_refined_dialogues_are_written_of_files_with_a_record_a_line(tmp_path: Path) -> None:
    path = tmp_path / "own.json"
    turns = [{"speaker": "Ann", "dia_id": "D1:1", "text": "Hi."}, {"speaker": "Bob", "dia_id": "D1:2", "text": "Hi."}]
    talk = {"speaker_a": "Ann", "speaker_b": "Bob", "session_1": turns, "session_1_date_time": "1:56 pm on 8 May, 2023"}
    path.write_text(json.dumps([{"sample_id": "one", "conversation": talk, "qa": []}]))
    with pytest.raises(
        CommandError, match=r"--items takes a file with a record a line, each with an id; own\.json has none"
    ):
        call_command(
            "evaluate", "complexity", "--data", str(path), "--share", "1", "--items", str(tmp_path / "x"), verbosity=0,
            stdout=StringIO(),
        )  # fmt: skip

"""`evaluate tasks`: a run that is killed and goes on, and scores against a recomputation from the lines of the file."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pytest
from django.core.management import call_command

from evaluation.core.errors import EvaluationError
from evaluation.services import tasks as playing
from tests.unit.evaluation.benchmarks.test_tasks import SHARDED, file_of

RIGHT, LATE, WRONG, BROKEN = (
    {**SHARDED, "task_id": f"own/{n}", "shards": shards}
    for n, shards in enumerate(
        [
            [{"shard_id": 1, "shard": "How many pens are there?"}, {"shard_id": 2, "shard": "Right away."}],
            [{"shard_id": 1, "shard": "How many pens are there?"}, {"shard_id": 2, "shard": "Sometimes."}],
            [{"shard_id": 1, "shard": "How many pens are there?"}, {"shard_id": 2, "shard": "Never."}],
            [{"shard_id": 1, "shard": "How many pens are there?"}, {"shard_id": 2, "shard": "Break off."}],
        ]
    )
)
SCRIPT = [
    {"when": "right away", "reply": "The answer is 9."},
    {"when": "sometimes", "times": 1, "reply": "The answer is 9."},
    {"when": "sometimes", "reply": "The answer is 10."},
    {"when": "never", "reply": "The answer is 12."},
    {"when": "break off", "error": "refused", "message": "No."},
    {"reply": "Tell me more."},
]
FIGURES = ("averaged_performance", "aptitude_90", "unreliability_90_10")


class Run:
    """One command over four tasks, each played three times by two ways of answering."""

    def __init__(self, folder: Path) -> None:
        self.items, self.out = folder / "items.jsonl", folder / "out.json"
        self.data = file_of(folder, RIGHT, LATE, WRONG, BROKEN, is_list=True)
        self.script = folder / "script.jsonl"
        self.script.write_text("".join(json.dumps(rule) + "\n" for rule in SCRIPT))

    def __call__(self) -> list[dict[str, object]]:
        call_command(
            *("evaluate", "tasks", str(self.data), "--items", str(self.items), "--json", str(self.out)),
            *("--responders", "base,naive_memory", "--engine", f"scripted:{self.script}", "--repeat", "3"),
            verbosity=0,
        )
        return json.loads(self.out.read_text())["rows"]

    def lines(self) -> list[dict[str, object]]:
        return [json.loads(line) for line in self.items.read_text().splitlines()]


@pytest.fixture
def run(db: None, tmp_path: Path) -> Run:
    return Run(tmp_path)


def part_of(line: dict[str, object]) -> tuple[str, str, int]:
    return line["responder"], line["task"]["id"], line["repeat"]


def recomputed(lines: list[dict[str, object]], responder: str) -> list[float]:
    """P, A90 and U90_10 of Laban et al. (section 6.1). Of these replies an attempt is what says "The answer is ..."."""
    last = {part_of(line): line for line in lines if line["responder"] == responder}
    scores = defaultdict(list)
    for line in last.values():
        said = [re.fullmatch(r"The answer is (\d+)\.", turn["reply"]) for turn in line["turns"]]
        right = any(found and found[1] == "9" for found in said) and not line["error"]
        scores[line["task"]["id"]].append(100.0 * right)
    table = np.array(list(scores.values()))
    assert table.shape == (4, 3)
    high, low = np.percentile(table, 90, axis=1), np.percentile(table, 10, axis=1)
    return [table.mean() / 100, high.mean() / 100, (high - low).mean() / 100]


def test_scores_are_those_recomputed_from_the_lines_with_failures_in_the_denominator(run: Run) -> None:
    rows = run()
    lines = run.lines()
    for responder in ("base", "naive_memory"):
        own = {row["metric"]: row for row in rows if row["name"] == responder}
        assert [own[figure]["value"] for figure in FIGURES] == pytest.approx(recomputed(lines, responder))
        assert own["attempted"]["n"] == 12 and own["attempted"]["value"] == pytest.approx(9 / 12)
        assert (own["failed"]["value"], own["failed"]["n"]) == (3, 12)
    assert {line["task"]["id"] for line in lines if line["error"]} == {"own/3"}
    assert 0 < recomputed(lines, "base")[0] < recomputed(lines, "base")[1] < 1


def test_a_killed_run_goes_on_where_it_stopped(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    play, played = playing.part_play, []

    def counting(part, *, model):
        if len(played) == 10:
            raise KeyboardInterrupt
        played.append(part.key)
        return play(part, model=model)

    monkeypatch.setattr(playing, "part_play", counting)
    with pytest.raises(KeyboardInterrupt):
        run()
    whole = run.items.read_bytes()
    assert len(run.lines()) == 10
    run.items.write_bytes(whole + whole.splitlines()[0][:50])
    monkeypatch.setattr(playing, "part_play", lambda part, *, model: played.append(part.key) or play(part, model=model))
    rows = run()
    assert run.items.read_bytes().startswith(whole)
    times = Counter(map(part_of, run.lines()))
    assert len(times) == 24 and len(played) == len(run.lines())
    failed = {part_of(line) for line in run.lines() if line["error"]}
    assert {part for part, count in times.items() if count > 1} <= failed
    own = {row["metric"]: row["value"] for row in rows if row["name"] == "base"}
    assert [own[figure] for figure in FIGURES] == pytest.approx(recomputed(run.lines(), "base"))


def test_a_second_run_plays_again_only_what_failed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    first, again, play = run(), [], playing.part_play
    monkeypatch.setattr(playing, "part_play", lambda part, *, model: again.append(part) or play(part, model=model))
    second = run()
    assert {part.task.id for part in again} == {"own/3"} and len(again) == 6
    scores = [[row for row in rows if row["metric"] in (*FIGURES, "failed")] for rows in (first, second)]
    assert scores[0] == scores[1]


def test_one_command_plays_the_scripted_model_and_the_built_in_engine(run: Run) -> None:
    call_command(
        *("evaluate", "tasks", str(run.data), "--items", str(run.items), "--json", str(run.out), "--limit", "1"),
        *("--responders", "base,slsm,slsm_no_revision", "--engine", f"builtin,scripted:{run.script}"),
        verbosity=0,
    )
    played = [(line["engine"].partition(":")[0], line["responder"]) for line in run.lines()]
    assert [one for one in played if one[0] == "builtin"] == [("builtin", "slsm"), ("builtin", "slsm_no_revision")]
    assert ("scripted", "base") in played
    [unplayed] = [row for row in json.loads(run.out.read_text())["rows"] if row["name"] == "base/builtin"]
    assert unplayed["value"] is None and "asks a language model" in unplayed["why"]


def test_an_item_file_that_cannot_be_used_is_named(run: Run) -> None:
    run.items.mkdir()
    with pytest.raises(EvaluationError, match=r"items\.jsonl cannot be used"):
        playing.PlayedFile(run.items)

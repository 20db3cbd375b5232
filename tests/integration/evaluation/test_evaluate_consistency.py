"""`evaluate consistency`: its rows, its items, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from evaluation.bootstrap import strategy
from evaluation.core.turn_consistency.turns import STRATEGIES
from memory import bootstrap
from memory.core.types import EntailmentVerdict
from tests.fakes.engines import StopSegmenter, WordEmbedder
from tests.fakes.entailment import JudgingEntailment
from tests.integration.evaluation.scored_talk import use
from tests.integration.evaluation.test_scores_shown import MT_BENCH_101
from tests.unit.evaluation.benchmarks.test_ci_tod import record

FOLLOWS = EntailmentVerdict(0.9, 0.08, 0.02)
CLASHES = EntailmentVerdict(0.05, 0.15, 0.8)


@pytest.fixture
def judge(monkeypatch) -> JudgingEntailment:
    monkeypatch.setattr(bootstrap, "embedder", lambda: WordEmbedder())
    monkeypatch.setattr(bootstrap, "segmenter", lambda: StopSegmenter())
    made = JudgingEntailment(lambda premise, hypothesis: CLASHES if "Rome" in hypothesis else FOLLOWS)
    use(monkeypatch, made)
    return made


def measured(path: Path, folder: Path, **options: object) -> dict[tuple[str, str, str], dict[str, object]]:
    out = folder / "out.json"
    call_command("evaluate", "consistency", data=path, json=out, verbosity=0, **options)
    rows = json.loads(out.read_text())["rows"]
    return {(row["name"], row["metric"], row.get("group", "")): row for row in rows}


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    path = tmp_path / "bench.jsonl"
    path.write_text(json.dumps(MT_BENCH_101) + "\n")
    return path


def test_rows_of_a_dialogue_file(judge, bench, tmp_path):
    items = tmp_path / "items.jsonl"
    rows = measured(bench, tmp_path, items=items)
    assert rows["strongest_sentence", "der", ""]["value"] == pytest.approx(2 / 3)
    assert rows["strongest_sentence", "cs", "turn 1"]["value"] == pytest.approx(0.94)
    assert rows["strongest_sentence", "label_share", "contradiction"]["n"] == 3
    assert rows["strongest_sentence", "turns_not_scored", "no_claim"]["value"] == 1
    assert rows["strongest_sentence", "pairs_a_turn", ""]["value"] <= 16
    kept = [json.loads(line) for line in items.read_text().splitlines()]
    assert [one["position"] for one in kept] == [1, 2, 3, 4]
    assert (kept[1]["label"], kept[1]["hypothesis"]) == ("contradiction", [3, 0, 17])
    assert (kept[2]["cs"], kept[2]["reason"]) == (None, "no_claim")


def test_strategy_can_be_chosen(judge, bench, tmp_path):
    rows = measured(bench, tmp_path, strategy="whole_history")
    assert rows["whole_history", "pairs_a_turn", ""]["value"] == 1
    assert rows["whole_history", "turns_not_scored", ""]["value"] == 0


def test_rows_of_a_labelled_file_have_the_contradictions_found(judge, tmp_path):
    path = tmp_path / "dev.json"
    records = [
        record(1, "1", "I live in Porto.", "You live in Rome."),
        record(2, "0", "I live in Porto.", "You live in Porto."),
        record(3, "1", "I live in Porto.", "How is it there?"),
    ]
    path.write_text(json.dumps(records))
    rows = measured(path, tmp_path)
    assert rows["strongest_sentence", "contradiction_precision", ""]["value"] == 1.0
    assert rows["strongest_sentence", "contradiction_recall", ""]["value"] == 0.5
    assert rows["strongest_sentence", "contradiction_f1", ""]["n"] == 3


def test_what_cannot_be_measured_is_refused_in_a_sentence(judge, bench, tmp_path, monkeypatch):
    with pytest.raises(CommandError, match="no case that was asked for has a turn of an assistant"):
        measured(bench, tmp_path, only="nothing")
    with pytest.raises(CommandError, match="--limit must be at least 1"):
        measured(bench, tmp_path, limit=0)
    with pytest.raises(CommandError, match="nowhere"):
        measured(bench, tmp_path, model="/nowhere")
    use(monkeypatch, None, "There are no weights in /here.")
    with pytest.raises(CommandError, match="There are no weights in /here"):
        measured(bench, tmp_path)


def test_settings_name_a_strategy_that_there_is():
    assert strategy() is STRATEGIES[settings.DSMART_SCORE_STRATEGY]
    assert list(STRATEGIES) == ["strongest_sentence", "whole_history"]

"""`evaluate states`: histories with checks, kept by the built-in engine from the first turn on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from evaluation.benchmarks.states import read_histories
from evaluation.core.errors import MalformedBenchmark

STATES = Path(__file__).parents[2] / "data" / "states.jsonl"
EVALUATE = ("evaluate", "states")


def history(**fields: object) -> dict[str, object]:
    return {
        "id": "h-1",
        "category": "late_constraint",
        "turns": [{"role": "user", "text": "We'll be six on Saturday."}, {"role": "assistant", "text": "Good."}],
        "checks": [{"after": 0, "holds": [{"type": "fact", "words": ["saturday"]}], "absent": []}],
        "state": [{"type": "fact", "words": ["six"]}, {"type": "fact", "words": ["saturday"]}],
        **fields,
    }


def written(folder: Path, *rows: object) -> Path:
    path = folder / "states.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_report_has_checks_histories_and_elements(tmp_path: Path) -> None:
    path, out, items = written(tmp_path, history()), tmp_path / "out.json", tmp_path / "items.jsonl"
    call_command(*EVALUATE, "--data", str(path), "--json", str(out), "--items", str(items), verbosity=0)
    report = json.loads(out.read_text())
    found = {(row["name"], row["metric"], row.get("group", "")): row["value"] for row in report["rows"]}
    assert found["slsm", "checks", ""] == found["slsm", "checks", "late_constraint"] == 1
    assert found["slsm", "histories", ""] == 1
    assert found["slsm", "elements_f1", ""] > 0
    [item] = [json.loads(line) for line in items.read_text().splitlines()]
    assert (item["id"], item["failed"]) == ("h-1", [[]])
    assert any("Saturday" in description for kind, description in item["state"] if kind == "fact")


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        (
            {"turns": [{"role": "tool", "text": "x"}]},
            r"record 1, field turns\[0\].role: expected 'user' or 'assistant'",
        ),
        ({"checks": [{"after": 1, "holds": []}]}, r"field checks\[0\].after: expected the place of a user's turn"),
        ({"checks": [{"after": 0}]}, r"field checks\[0\].holds: missing"),
        ({"checks": [{"after": 0, "holds": [], "plan": "wait"}]}, r"field checks\[0\].plan: expected 'proceed'"),
        ({"state": [{"type": "hope", "words": ["x"]}]}, r"field state\[0\].type: expected 'fact' or 'unknown'"),
        ({"state": [{"type": "fact", "words": []}]}, r"field state\[0\]: expected an entry with words"),
    ],
)
def test_bad_record_is_named(tmp_path: Path, fields: dict[str, object], why: str) -> None:
    path = written(tmp_path, history(**fields))
    with pytest.raises(MalformedBenchmark, match=why):
        list(read_histories(path))
    with pytest.raises(CommandError, match="record 1"):
        call_command(*EVALUATE, "--data", str(path), verbosity=0)


def test_project_s_histories_are_whole() -> None:
    histories = list(read_histories(STATES))
    assert len({one.id for one in histories}) == 80
    assert len({one.category for one in histories}) == 10
    assert all(one.state is not None and 2 <= len(one.checks) <= 4 for one in histories)

"""`evaluate facts` on a file in FineDialFact's form."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from memory import bootstrap

PAGE = [{"id": "1", "title": "Montevideo", "text": "Montevideo is the capital of Uruguay. It was founded in 1724."}]


def record(fact: str, label: str, **other: Any) -> dict[str, Any]:
    return {
        "id": "dialogue-1",
        "atomic_fact": fact,
        "history": [["A", "Tell me of Uruguay."], ["B", "It is a country in South America."]],
        "A": "What is its capital?",
        "evidence": PAGE,
        "factualLabel": label,
    } | other


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "facts.json"
    path.write_text(
        json.dumps(
            [
                record("Montevideo is the capital of Uruguay.", "Supports"),
                record("Would you like to know more?", "Not Enough Info", id="dialogue-2"),
                record("Montevideo was founded in 1905.", "Refutes", id="dialogue-3"),
            ]
        )
    )
    return path


def test_verdicts_are_held_against_peoples_labels(data: Path, tmp_path: Path) -> None:
    out, items = tmp_path / "rows.json", tmp_path / "items.jsonl"
    call_command("evaluate", "facts", data=data, json=out, items=items, verbosity=0, stdout=StringIO())
    rows = {
        (row["name"], row["metric"], row.get("group", "")): row["value"] for row in json.loads(out.read_text())["rows"]
    }
    assert set(rows) >= {
        ("built-in", metric, group) for metric in ("accuracy", "macro_f1", "kappa") for group in ("", "retrieved")
    }
    assert (rows["people", "fact_score", ""], rows["people", "neip", ""]) == (1 / 2, pytest.approx(1 / 3))
    told = [json.loads(line) for line in items.read_text().splitlines()]
    assert [one["verdict"] for one in told[:2]] == ["true", "not_enough_information"]
    assert told[0]["source"].startswith("Montevideo: Montevideo is the capital")
    assert {one["evidence"] for one in told} == {"given", "retrieved"}


def test_an_engine_is_taken_that_no_setting_names(data: Path, tmp_path: Path) -> None:
    script, items = tmp_path / "script.jsonl", tmp_path / "items.jsonl"
    script.write_text(
        json.dumps({"when": "Fact 1:", "reply": {"verdicts": [{"fact": 1, "status": "false", "source": 1}]}})
    )
    call_command(
        "evaluate", "facts", data=data, engine=f"scripted:{script}", items=items, verbosity=0, stdout=StringIO()
    )
    assert [json.loads(line)["verdict"] for line in items.read_text().splitlines()] == ["false"] * 6
    bootstrap.reset()


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"factualLabel": "Perhaps"}, r"record 1, field factualLabel: expected one of Supports, .* got 'Perhaps'"),
        ({"history": [["A"]]}, r"record 1, field history\[0\]: expected a speaker and a text"),
        ({"atomic_fact": None}, "record 1, field atomic_fact: missing"),
    ],
)
def test_bad_record_is_named_with_its_field(tmp_path: Path, wrong: dict[str, Any], told: str) -> None:
    path = tmp_path / "facts.json"
    path.write_text(json.dumps([record("x is y.", "Supports", **wrong)]))
    with pytest.raises(CommandError, match=told):
        call_command("evaluate", "facts", data=path, verbosity=0)

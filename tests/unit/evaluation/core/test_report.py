"""The one form of every measurement."""

from __future__ import annotations

import json

from evaluation.core.report import Identity, Report, Row

IDENTITY = Identity(code="abc", data={"a.jsonl": "00"}, config="11", seed=7, machine="two cores")


def test_json_has_the_form_and_leaves_out_what_is_not_said() -> None:
    rows = [
        Row("graph", "accuracy", 0.5, unit="ratio", n=4, low=0.2, high=0.8, group="moves"),
        Row("graph", "speed", None, why="no GPU"),
    ]
    content = json.loads(Report("evaluate questions", IDENTITY, rows).as_json())
    assert content["command"] == "evaluate questions"
    assert content["identity"] == {
        "code": "abc",
        "data": {"a.jsonl": "00"},
        "config": "11",
        "seed": 7,
        "machine": "two cores",
    }
    assert content["rows"] == [
        {
            "name": "graph",
            "metric": "accuracy",
            "value": 0.5,
            "unit": "ratio",
            "n": 4,
            "low": 0.2,
            "high": 0.8,
            "group": "moves",
        },
        {"name": "graph", "metric": "speed", "value": None, "why": "no GPU"},
    ]


def test_json_keeps_a_value_of_zero() -> None:
    assert Row("graph", "accuracy", 0.0, n=0).as_json() == {"name": "graph", "metric": "accuracy", "value": 0.0, "n": 0}


def test_table_lines_up_and_says_why_a_figure_is_missing() -> None:
    rows = [
        Row("graph", "accuracy", 1.0, n=12, low=0.5, high=1.0),
        Row("a longer name", "p95_ms", None, why="no server"),
    ]
    lines = Report("bench", IDENTITY, rows).as_table().splitlines()
    assert lines[0].split()[:3] == ["name", "metric", "group"]
    assert "0.500 to 1.000" in lines[1]
    assert "all" in lines[1]
    assert "no server" in lines[2]
    assert lines[1].index("accuracy") == lines[2].index("p95_ms")

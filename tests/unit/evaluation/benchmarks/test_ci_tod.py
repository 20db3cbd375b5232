"""Dialogues whose last reply is labelled for contradictions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evaluation.benchmarks.catalogue import detect_format, read_cases
from evaluation.benchmarks.ci_tod import history_contradictions
from evaluation.core.errors import MalformedBenchmark
from memory.core.types import Role


def record(case_id: int, hi: object, *texts: str) -> dict[str, object]:
    sides = ("driver", "assistant")
    said = [{"turn": sides[place % 2], "utterance": text} for place, text in enumerate(texts)]
    return {"id": case_id, "dialogue": said, "scenario": {"kb": {"items": []}, "qi": "0", "hi": hi, "kbi": "1"}}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    records = [
        record(74, "0", "when is my lab_appointment", "your lab_appointment is at 5pm"),
        record(9, "1", "where is pizza_hut", "3_miles away", "which way", "pizza_hut is 4_miles away"),
        record(74, "1", "thanks"),
    ]
    path = tmp_path / "dev.json"
    path.write_text(json.dumps(records))
    return path


def test_dialogues_are_read_with_names_in_words_and_ids_of_their_own(path):
    assert detect_format(path) == "ci_tod"
    cases = list(read_cases(path))
    assert [case.id for case in cases] == ["74", "9", "74-2"]
    [session] = cases[0].sessions
    assert [(turn.role, turn.text) for turn in session.turns] == [
        (Role.USER, "when is my lab appointment"),
        (Role.ASSISTANT, "your lab appointment is at 5pm"),
    ]
    assert [case.questions for case in cases] == [(), (), ()]


def test_labels_go_by_the_same_ids(path):
    assert history_contradictions(path) == {"74": False, "9": True, "74-2": True}


def test_label_that_is_neither_yes_nor_no_is_named(tmp_path):
    path = tmp_path / "dev.json"
    path.write_text(json.dumps([record(1, "0", "a", "b"), record(2, "yes", "a", "b")]))
    with pytest.raises(MalformedBenchmark, match=r"record 2, field scenario.hi: expected '0' or '1', got 'yes'"):
        list(read_cases(path))

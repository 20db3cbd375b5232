"""The two fields in which cases say what must go and what must stay."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evaluation.benchmarks.catalogue import read_cases
from evaluation.benchmarks.supersessions import expectations
from evaluation.core.errors import MalformedBenchmark
from evaluation.core.supersessions import Expectation

TURN = {"role": "user", "speaker": "Ana", "text": "I moved to Lyon."}


def written(folder: Path, *fields: dict[str, object]) -> Path:
    path = folder / "cases.jsonl"
    sessions = [{"started_at": "2024-03-02T18:20:00", "turns": [TURN]}]
    cases = [{"id": f"case-{number}", "sessions": sessions, **more} for number, more in enumerate(fields, start=1)]
    path.write_text("".join(json.dumps(case) + "\n" for case in cases), encoding="utf-8")
    return path


def test_the_fields_are_read_and_the_reader_of_cases_passes_them_over(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        {"supersedes": [{"old": "Paris", "new": "Lyon"}, {"old": "the choir"}], "keeps": ["Airbus", 7]},
        {"keeps": ["tea"]},
        {},
    )
    assert expectations(path) == {
        "case-1": Expectation(retired=("Paris", "the choir"), kept=("Airbus", "7")),
        "case-2": Expectation(kept=("tea",)),
        "case-3": Expectation(),
    }
    assert [case.id for case in read_cases(path)] == ["case-1", "case-2", "case-3"]


def test_a_file_that_does_not_say_expects_nothing_in_particular(tmp_path: Path) -> None:
    assert expectations(written(tmp_path, {}, {})) is None


def test_files_of_other_formats_do_not_say(tmp_path: Path) -> None:
    path = tmp_path / "locomo.json"
    path.write_text(json.dumps([{"sample_id": "conv-1", "conversation": {}, "qa": []}]), encoding="utf-8")
    assert expectations(path) is None


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"supersedes": [{"new": "Lyon"}]}, r"record 1, field supersedes\[0\].old: missing"),
        ({"supersedes": "Paris"}, r"field supersedes: expected a list, got 'Paris'"),
        ({"supersedes": [{"old": "Paris"}], "keeps": [""]}, r"field keeps\[0\]: expected an answer"),
    ],
)
def test_a_malformed_field_is_named(tmp_path: Path, fields: dict[str, object], message: str) -> None:
    with pytest.raises(MalformedBenchmark, match=message):
        expectations(written(tmp_path, fields))

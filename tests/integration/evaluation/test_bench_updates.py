"""`bench updates`: cases in, three figures out, nothing left behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluation.benchmarks.catalogue import read_cases
from evaluation.benchmarks.supersessions import expectations
from evaluation.core.errors import EvaluationError
from evaluation.core.folding import contains_words
from evaluation.performance import updates
from evaluation.services.supersessions import supersessions_measure
from memory.models import Space
from tests.integration.evaluation.conftest import moving_case

OWN = Path(__file__).resolve().parents[2] / "data" / "updates.jsonl"

pytestmark = pytest.mark.django_db


def measured(path: Path) -> dict[tuple[str, str], tuple[float | None, int | None]]:
    rows = updates.measure({"data": path, "engine": "", "quiet": True})
    return {(row.metric, row.group): (row.value, row.n) for row in rows}


def test_figures_come_from_what_the_cases_say(small_engine, dialogue_file):
    moved = {**moving_case("ana"), "supersedes": [{"old": "Paris", "new": "Lyon"}], "keeps": ["Lyon"]}
    wrong = {**moving_case("ben", "Oslo", "Bergen"), "keeps": ["Oslo"]}
    assert measured(dialogue_file(moved, wrong)) == {
        ("supersession_precision", ""): (0.5, 2),
        ("supersession_recall", ""): (1.0, 1),
        ("wrongly_retired", ""): (0.5, 2),
        ("supersession_precision", "moves"): (0.5, 2),
        ("supersession_recall", "moves"): (1.0, 1),
        ("wrongly_retired", "moves"): (0.5, 2),
    }
    assert not Space.objects.exists()


def test_a_file_that_does_not_say_is_judged_by_its_questions(small_engine, dialogue_file):
    found = measured(dialogue_file(moving_case("ana")))
    assert found["supersession_precision", ""] == (1.0, 1)
    assert found["supersession_recall", ""] == (1.0, 1)
    assert found["wrongly_retired", ""] == (0.0, 1)


def test_rounds_that_were_not_remembered_are_told(small_engine, dialogue_file, monkeypatch):
    def broken(*args, **kwargs):
        raise ValueError("no such sentence")

    monkeypatch.setattr(small_engine, "extract_many", broken)
    result = supersessions_measure(path=dialogue_file(moving_case("ana")), quiet=True)
    failed = [row for row in result.rows() if row.metric == "rounds_failed"]
    assert [(row.value, row.why == result.failure) for row in failed] == [(result.rounds_failed, True)]
    assert result.rounds_failed == 4
    assert result.failure


def test_without_the_own_cases_the_bench_says_where_they_are(settings, tmp_path):
    settings.BASE_DIR = tmp_path
    [row] = updates.measure({"data": None, "engine": "", "quiet": True})
    assert row.value is None
    assert "tests/data/updates.jsonl comes with a checkout" in row.why


def test_a_file_that_is_not_there_is_an_error_of_its_own(tmp_path):
    with pytest.raises(EvaluationError, match=r"none\.jsonl"):
        updates.measure({"data": tmp_path / "none.jsonl", "engine": "", "quiet": True})


def test_the_own_cases_expect_only_what_was_said():
    expected = expectations(OWN)
    assert expected is not None
    for case in read_cases(OWN):
        said = " ".join(turn.text for session in case.sessions for turn in session.turns)
        for old in expected[case.id].retired:
            assert contains_words(said, old), (case.id, old)
            assert old not in expected[case.id].kept, case.id

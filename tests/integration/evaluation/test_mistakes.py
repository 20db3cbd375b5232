"""Twelve kinds of mistakes that memories make: each as its example and in three other wordings, by who saw no code."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from evaluation.benchmarks.catalogue import read_cases
from evaluation.services.questions import questions_evaluate
from memory import bootstrap
from tests.fakes.engines import WordEmbedder

FILE = Path(__file__).resolve().parents[2] / "data" / "unseen" / "cases_table.jsonl"
# At first sight 75 of 144 were right, and 35 of the 61 refused that nobody had answered.
LEAST_RIGHT = 70
LEAST_REFUSED = 32


def test_each_kind_has_four_cases():
    kinds = Counter(case.category for case in read_cases(FILE))
    assert set(kinds) == {
        "several_people", "whose_answer", "polarity", "who_is_who", "changes", "within_a_line", "hearsay", "frames",
        "denials_ends", "two_parts", "times", "wanted_kind",
    }  # fmt: skip
    assert set(kinds.values()) == {4}


@pytest.mark.slow
@pytest.mark.django_db
def test_the_built_in_engine_makes_no_more_of_these_mistakes(monkeypatch):
    """Real parser, dates and sentences; the vectors of words stand in for the encoder, which has to be exported first."""
    monkeypatch.setattr(bootstrap, "embedder", lambda: WordEmbedder())
    result = questions_evaluate(path=FILE, responders=["graph"], quiet=True)
    right = [reply for reply in result.replies if reply.is_right]
    assert len(result.replies) == 144
    assert len(right) >= LEAST_RIGHT
    assert sum(reply.category.startswith("unanswerable") for reply in right) >= LEAST_REFUSED
    assert result.rounds_failed == 0

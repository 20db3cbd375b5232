"""The built-in engine on the project's own first regression set."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluation.benchmarks.catalogue import read_cases
from evaluation.services.questions import questions_evaluate
from memory import bootstrap
from tests.fakes.engines import WordEmbedder

FILE = Path(__file__).resolve().parents[2] / "data" / "foundation.jsonl"
LEAST_RIGHT = 36


def test_the_set_covers_what_it_names():
    cases = list(read_cases(FILE))
    assert len(cases) == 25
    assert {case.category for case in cases} == {
        "facts", "moves", "negation", "used to", "several people", "dates", "not known",
    }  # fmt: skip


@pytest.mark.slow
@pytest.mark.django_db
def test_the_built_in_engine_answers_the_set(monkeypatch):
    """Real parser, dates and sentences; the vectors of words stand in for the encoder, which has to be exported first."""
    monkeypatch.setattr(bootstrap, "embedder", lambda: WordEmbedder())
    result = questions_evaluate(path=FILE, responders=["graph"], quiet=True)
    wrong = [(reply.case, reply.question, reply.reply or reply.error) for reply in result.replies if not reply.is_right]
    assert len(result.replies) == 39
    assert len(result.replies) - len(wrong) >= LEAST_RIGHT, wrong
    assert result.rounds_failed == 0

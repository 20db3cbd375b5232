"""The built-in engine on the project's set of first-person chat: what it reads, and what it must not read."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluation.benchmarks.catalogue import read_cases
from evaluation.services.questions import questions_evaluate
from memory import bootstrap
from tests.fakes.engines import WordEmbedder

FILE = Path(__file__).resolve().parents[2] / "data" / "reading.jsonl"
LEAST_RIGHT = 89


def test_the_reading_set_covers_what_it_names():
    cases = list(read_cases(FILE))
    assert len(cases) == 60
    assert {case.category for case in cases} == {
        "moves", "corrections", "negation", "used to", "reported", "hypotheticals", "questions", "several people",
        "dates", "non-conflicts",
    }  # fmt: skip


@pytest.mark.slow
@pytest.mark.django_db
def test_the_built_in_engine_reads_the_set(monkeypatch):
    """Real parser, dates and sentences; the vectors of words stand in for the encoder, which has to be exported first."""
    monkeypatch.setattr(bootstrap, "embedder", lambda: WordEmbedder())
    result = questions_evaluate(path=FILE, responders=["graph"], quiet=True)
    wrong = [(reply.case, reply.question, reply.reply or reply.error) for reply in result.replies if not reply.is_right]
    assert len(result.replies) == 94
    assert len(result.replies) - len(wrong) >= LEAST_RIGHT, wrong
    assert result.rounds_failed == 0

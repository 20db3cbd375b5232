"""The built-in engine on the project's cases of facts that change, facts that hold, and facts that are nobody's."""

from __future__ import annotations

from math import ceil
from pathlib import Path

import pytest

from evaluation.benchmarks.catalogue import read_cases
from evaluation.core.supersessions import Judgement
from evaluation.services.questions import questions_evaluate
from evaluation.services.supersessions import supersessions_measure
from memory import bootstrap
from tests.fakes.engines import WordEmbedder

FILE = Path(__file__).resolve().parents[2] / "data" / "updates.jsonl"
LEAST_RIGHT = ceil(0.92 * 261)
MOST_WRONGLY_RETIRED = 0.02


def test_the_updates_set_covers_what_it_names():
    cases = list(read_cases(FILE))
    assert len(cases) == 150
    assert sum(len(case.questions) for case in cases) == 261
    assert {case.category for case in cases} == {
        "moves", "corrections", "negations", "used_to", "reported_speech", "hypotheticals", "questions",
        "several_people", "dates", "non_conflicts", "whose_fact", "assistant_questions",
    }  # fmt: skip


@pytest.mark.slow
@pytest.mark.django_db
def test_the_built_in_engine_answers_the_updates(monkeypatch):
    """Real parser, dates and sentences; the vectors of words stand in for the encoder, which has to be exported first."""
    monkeypatch.setattr(bootstrap, "embedder", lambda: WordEmbedder())
    result = questions_evaluate(path=FILE, responders=["graph"], quiet=True)
    wrong = [(reply.case, reply.question, reply.reply or reply.error) for reply in result.replies if not reply.is_right]
    assert len(result.replies) - len(wrong) >= LEAST_RIGHT, wrong
    assert result.rounds_failed == 0


@pytest.mark.slow
@pytest.mark.django_db
def test_the_built_in_engine_retires_little_that_must_stay(monkeypatch):
    monkeypatch.setattr(bootstrap, "embedder", lambda: WordEmbedder())
    judgements: tuple[Judgement, ...] = supersessions_measure(path=FILE, quiet=True).judgements
    kept = [lost for one in judgements for lost in one.kept_lost]
    assert len(kept) > 150
    assert sum(kept) / len(kept) <= MOST_WRONGLY_RETIRED, [one.case for one in judgements if any(one.kept_lost)]

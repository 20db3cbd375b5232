"""The project's set of questions that one stated fact alone does not answer."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from evaluation.benchmarks.catalogue import read_cases
from evaluation.services.questions import questions_evaluate
from memory import bootstrap
from tests.fakes.engines import WordEmbedder

FILE = Path(__file__).resolve().parents[2] / "data" / "multihop.jsonl"
FEWEST_OF_A_KIND = 5
LEAST_RIGHT = 81


def test_the_multihop_set_covers_what_it_names():
    cases = list(read_cases(FILE))
    questions = [question for case in cases for question in case.questions]
    kinds = Counter(question.category for question in questions)
    assert len({case.id for case in cases}) == len(cases) == 40
    assert len(questions) == 87
    assert set(kinds) == {
        "two_hop_possessive", "two_hop_relative", "of_phrase", "which_kind", "reverse", "yes_no", "same_as",
        "intersection", "connection", "three_hop", "updated_link", "missing_link",
    }  # fmt: skip
    assert min(kinds.values()) >= FEWEST_OF_A_KIND, kinds


def test_only_what_was_never_said_has_no_answer():
    questions = [question for case in read_cases(FILE) for question in case.questions]
    assert {question.category for question in questions if not question.answers} == {"missing_link"}
    assert all(not question.answers for question in questions if question.category == "missing_link")


@pytest.mark.slow
@pytest.mark.django_db
def test_the_built_in_engine_answers_by_going_from_fact_to_fact(monkeypatch):
    """Real parser, dates and sentences; the vectors of words stand in for the encoder, which has to be exported first."""
    monkeypatch.setattr(bootstrap, "embedder", lambda: WordEmbedder())
    result = questions_evaluate(path=FILE, responders=["d_smart"], quiet=True)
    wrong = [(reply.case, reply.question, reply.reply or reply.error) for reply in result.replies if not reply.is_right]
    assert len(result.replies) == 87
    assert len(result.replies) - len(wrong) >= LEAST_RIGHT, wrong
    assert result.rounds_failed == 0

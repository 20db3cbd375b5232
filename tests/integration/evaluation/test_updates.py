"""The built-in engine on the project's cases of facts that change, facts that hold, and facts that are nobody's."""

from __future__ import annotations

from math import ceil
from pathlib import Path

import pytest

from evaluation.benchmarks.catalogue import read_cases
from evaluation.benchmarks.supersessions import expectations
from evaluation.core.accuracy import JudgedReply
from evaluation.core.supersessions import Judgement, judge
from evaluation.selectors import failed_round_count
from evaluation.services.case_asking import case_ask, scored
from evaluation.services.questions import judged
from evaluation.services.spaces import temporary_space
from evaluation.services.supersessions import stored_triples
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


@pytest.fixture(scope="module")
def measured(module_db) -> tuple[list[JudgedReply], list[Judgement], int]:
    """The replies to all questions, what each memory gave up, and the rounds that were not read: one replay for both.

    Real parser, dates and sentences; the vectors of words stand in for the encoder, which has to be exported first.
    """
    replies: list[JudgedReply] = []
    judgements: list[Judgement] = []
    rounds_failed = 0
    expected = expectations(FILE)
    with module_db.unblock(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(bootstrap, "embedder", lambda: WordEmbedder())
        for case in read_cases(FILE):
            with temporary_space(title=case.id) as space:
                asked = [(question, "graph") for question in scored(case)]
                replies += case_ask(case, asked, space=space, engine="", judge=judged, on_step=int)
                judgements.append(judge(case.id, case.category, expected[case.id], stored_triples(space)))
                rounds_failed += failed_round_count(space)
    return replies, judgements, rounds_failed


@pytest.mark.slow
@pytest.mark.django_db
def test_the_built_in_engine_answers_the_updates(measured):
    replies, _, rounds_failed = measured
    wrong = [(reply.case, reply.question, reply.reply or reply.error) for reply in replies if not reply.is_right]
    assert len(replies) == 261
    assert len(replies) - len(wrong) >= LEAST_RIGHT, wrong
    assert rounds_failed == 0


@pytest.mark.slow
@pytest.mark.django_db
def test_the_built_in_engine_retires_little_that_must_stay(measured):
    _, judgements, _ = measured
    kept = [lost for one in judgements for lost in one.kept_lost]
    assert len(judgements) == 150
    assert len(kept) > 150
    assert sum(kept) / len(kept) <= MOST_WRONGLY_RETIRED, [one.case for one in judgements if any(one.kept_lost)]

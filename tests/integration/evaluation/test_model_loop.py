"""The whole loop with a strong model: its replies were written by hand, prompt by prompt, and are played from the file.

A final reply is given only to a prompt that holds the words which it rests on: where the memory does not bring them, the
model says that it does not know.
"""

from __future__ import annotations

from pathlib import Path
from statistics import fmean

import pytest

from evaluation.benchmarks.catalogue import read_cases
from evaluation.services.questions import QuestionsResult, questions_evaluate
from evaluation.services.replay import file_replay
from memory import bootstrap
from memory.models import Round
from memory.selectors.tracing import ModelUse, maintenance_use
from tests.fakes.engines import WordEmbedder

FILE = Path(__file__).resolve().parents[2] / "data" / "model_loop.jsonl"
LEAST_RIGHT = 0.95
MOST_CALLS, MOST_TOKENS = 2.5, 2500
# The script counts words. A word of English is about four thirds of a token.
TOKENS_A_WORD = 4 / 3


@pytest.fixture
def engine(settings, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(bootstrap, "embedder", lambda: WordEmbedder())
    settings.DSMART_EXTRA_ENGINES = [f"scripted:{FILE}"]
    return f"scripted:{FILE}"


@pytest.mark.slow
@pytest.mark.django_db
def test_upkeep_takes_few_calls_and_short_prompts(engine: str, owner) -> None:
    replayed = file_replay(path=FILE, owner=owner, engine=engine, quiet=True)
    assert replayed.rounds_failed == 0, replayed.failure
    used = [ModelUse.of(one.use) for one in Round.objects.annotate(use=maintenance_use())]
    assert fmean(one.calls for one in used) <= MOST_CALLS
    assert fmean(one.prompt_tokens for one in used) * TOKENS_A_WORD <= MOST_TOKENS


def wrong(result: QuestionsResult) -> list[tuple[str, str, str]]:
    return [(one.responder, one.question, one.reply or one.error) for one in result.replies if not one.is_right]


def test_the_conversations_are_what_they_should_be() -> None:
    cases = list(read_cases(FILE))
    assert len(cases) == 12
    assert sum(len(case.questions) for case in cases) == 30


@pytest.mark.slow
@pytest.mark.django_db
def test_a_strong_model_that_was_played_by_hand_answers_from_what_the_memory_brings(engine: str) -> None:
    result = questions_evaluate(path=FILE, responders=["graph", "d_smart"], engine=engine, quiet=True)
    assert result.rounds_failed == 0, result.failure
    for responder in ("graph", "d_smart"):
        asked = [one for one in result.replies if one.responder == responder]
        right = [one for one in asked if one.is_right]
        assert len(right) >= LEAST_RIGHT * len(asked), wrong(result)

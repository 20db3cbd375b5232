"""Judges by name."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evaluation.bootstrap import judge_admit, make_judge
from evaluation.core.errors import EvaluationError, UnknownName
from evaluation.core.judging.types import Judgement, ReplyToJudge
from memory import bootstrap
from memory.core.errors import UnknownEngine

NAMED = ReplyToJudge("Where does Ann live?", ("Paris",), "In Paris.")


@pytest.fixture
def script(tmp_path: Path) -> Iterator[str]:
    path = tmp_path / "judge.jsonl"
    path.write_text(json.dumps({"reply": {"reason": "Paris.", "is_right": True}}) + "\n")
    bootstrap.reset()
    yield f"scripted:{path}"
    bootstrap.reset()


def test_an_engine_stands_behind_a_judge_or_is_given(settings: Any, script: str) -> None:
    settings.DSMART_EXTRA_ENGINES = [script]
    for judge in (make_judge(f"answer@{script}"), make_judge("answer", script)):
        assert judge.name == f"answer@{script}"
        assert judge.judge_many([NAMED]) == [Judgement(1.0, "Paris.")]


def test_a_command_may_name_an_engine_that_no_setting_serves(script: str) -> None:
    name = f"locomo@{script}"
    with pytest.raises(UnknownEngine, match="There is no engine"):
        make_judge(name)
    judge_admit(name)
    assert make_judge(name).judge_many([NAMED]) == [Judgement(1.0, "Paris.")]


def test_the_words_judge_needs_no_engine(script: str) -> None:
    assert make_judge("words", script).judge_many([NAMED]) == [Judgement(1.0)]
    with pytest.raises(UnknownName, match=r"asks no engine. Name it without '@builtin'"):
        make_judge("words@builtin")


def test_an_engine_without_a_language_model_cannot_judge() -> None:
    with pytest.raises(EvaluationError, match="'answer' asks a language model, and the engine 'builtin' has none"):
        make_judge("answer@builtin")


@pytest.mark.parametrize("name", ["", "gpt", "Answer", "@builtin"])
def test_an_unknown_kind_is_refused_with_those_that_there_are(name: str) -> None:
    with pytest.raises(UnknownName, match="Judges: words, answer, locomo, longmemeval, gpt_score, criterion, beam"):
        make_judge(name)

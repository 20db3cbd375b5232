"""A measured model asks nothing twice, neither for replies nor for probabilities, and keeps no failure."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluation.adapters.measured_model import MeasuredModel
from memory.adapters.language_models.scripted import Rule, ScriptedLanguageModel
from memory.core.errors import ModelUnfit, ModelUnreachable
from memory.core.types import AnswerChances, Completion, Message, MessageRole, Prompt, SamplingConfig
from tests.fakes.language import Saying

YES_NO = ("yes", "no")


def prompt(text: str) -> Prompt:
    return Prompt((Message(MessageRole.USER, text),))


def model(path: Path, *rules: Rule) -> MeasuredModel:
    return MeasuredModel(ScriptedLanguageModel.of_rules(rules), path / "replies.sqlite")


def test_probabilities_are_kept_from_run_to_run_and_failures_are_not(tmp_path: Path) -> None:
    first = model(tmp_path, Rule(when="one", chances={"Yes": 0.5}), Rule(error="unreachable"))
    kept, failed = first.probabilities_many([prompt("one"), prompt("two")], YES_NO)
    assert kept == AnswerChances((0.5, 0.0), 0.5, 1, 1)
    assert isinstance(failed, ModelUnreachable)
    second = model(tmp_path, Rule(chances={"no": 1}))
    assert second.probabilities_many([prompt("one"), prompt("two")], YES_NO) == [kept, AnswerChances((0, 1), 0.0, 1, 1)]
    assert (second.calls, second.cached) == (2, 1)


def test_other_answers_and_replies_to_the_same_prompt_are_asked_for(tmp_path: Path) -> None:
    asked = model(tmp_path, Rule(chances={"Yes": 0.5, "maybe": 0.25}))
    [some], [others] = (asked.probabilities_many([prompt("one")], answers) for answers in (YES_NO, ("maybe",)))
    assert (some, others) == (AnswerChances((0.5, 0.0), 0.25, 1, 1), AnswerChances((0.25,), 0.25, 1, 1))
    for _ in range(2):
        assert asked.complete_many([prompt("one")], config=SamplingConfig()) == [Completion("Yes", 1, 1)]
    assert (asked.calls, asked.cached) == (4, 1)


def test_model_without_probabilities_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelUnfit, match="saying cannot tell how probable an answer is"):
        MeasuredModel(Saying("x"), tmp_path / "replies.sqlite").probabilities_many([prompt("one")], YES_NO)  # type: ignore[arg-type]

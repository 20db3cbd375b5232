"""The scripted model: a provider of its own, for tests and demonstrations."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from memory.adapters.language_models.scripted import Rule, ScriptedLanguageModel
from memory.core.errors import ModelNotFound, ModelRefused, ModelUnreachable, UnparsableReply
from memory.core.types import Completion, Message, MessageRole, Prompt, SamplingConfig

SAMPLING = SamplingConfig()


def prompt(text: str) -> Prompt:
    return Prompt((Message(MessageRole.SYSTEM, "where"), Message(MessageRole.USER, text)))


def script(folder: Path, *lines: str) -> Path:
    path = folder / "script.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def text(model: ScriptedLanguageModel, asked: str) -> str:
    (outcome,) = model.complete_many([prompt(asked)], config=SAMPLING)
    assert isinstance(outcome, Completion)
    return outcome.text


def test_first_rule_that_matches_the_last_message_replies(tmp_path: Path) -> None:
    path = script(
        tmp_path,
        '{"when": "WHERE do I", "reply": "In Lyon."}',
        "",
        '{"when": "facts", "reply": {"facts": []}}',
        '{"reply": "What else?"}',
    )
    model = ScriptedLanguageModel(path)
    assert model.name == f"scripted:{path}"
    assert text(model, "where do i live?") == "In Lyon."
    assert json.loads(text(model, "the facts, please")) == {"facts": []}
    assert text(model, "hello") == "What else?"


def test_rule_with_times_retires() -> None:
    model = ScriptedLanguageModel.of_rules([Rule(reply="first", times=2), Rule(reply="then")])
    assert [text(model, "x") for _ in range(3)] == ["first", "first", "then"]


@pytest.mark.parametrize(
    ("name", "kind"), [("unreachable", ModelUnreachable), ("refused", ModelRefused), ("unparsable", UnparsableReply)]
)
def test_rule_with_an_error_raises_it(name: str, kind: type[Exception]) -> None:
    model = ScriptedLanguageModel.of_rules([Rule(error=name, message="The line is dead.")])
    (outcome,) = model.complete_many([prompt("x")], config=SAMPLING)
    assert isinstance(outcome, kind)
    assert str(outcome) == "The line is dead."
    with pytest.raises(kind):
        next(model.stream(prompt("x"), config=SAMPLING))


def test_stream_gives_words_with_the_delays_of_the_rule() -> None:
    model = ScriptedLanguageModel.of_rules([Rule(reply="one two three", delay_s=0.1, piece_delay_s=0.05)])
    began = time.monotonic()
    arrivals = [(piece, time.monotonic() - began) for piece in model.stream(prompt("x"), config=SAMPLING)]
    assert [piece for piece, _ in arrivals] == ["one ", "two ", "three"]
    assert arrivals[0][1] >= 0.1
    assert arrivals[2][1] - arrivals[0][1] >= 0.1


def test_reply_is_cut_at_the_most_tokens() -> None:
    model = ScriptedLanguageModel.of_rules([Rule(reply="one two three")])
    assert list(model.stream(prompt("x"), config=SamplingConfig(max_tokens=2))) == ["one ", "two "]


def test_message_without_a_rule_is_refused_with_what_it_was() -> None:
    model = ScriptedLanguageModel.of_rules([Rule(when="hello", reply="hi")])
    (outcome,) = model.complete_many([prompt("goodbye")], config=SAMPLING)
    assert isinstance(outcome, ModelRefused)
    assert "goodbye" in str(outcome)


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ("{", "the line"),
        ('{"when": "("}', "when"),
        ('{"reply": "x", "delays": 1}', "delays"),
        ('{"reply": "x", "delay_s": -1}', "delay_s"),
        ('{"when": "x"}', "reply or an error"),
        ('{"reply": "x", "error": "refused"}', "reply or an error"),
        ('{"error": "lost"}', "error"),
    ],
)
def test_bad_line_is_named_with_its_field(tmp_path: Path, line: str, field: str) -> None:
    with pytest.raises(ModelRefused) as refused:
        ScriptedLanguageModel(script(tmp_path, '{"reply": "x"}', line))
    assert "Line 2" in str(refused.value)
    assert field in str(refused.value)


def test_script_that_is_not_there_says_so(tmp_path: Path) -> None:
    with pytest.raises(ModelNotFound, match="scripted:<file>"):
        ScriptedLanguageModel(tmp_path / "none.jsonl")
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ModelNotFound):
        ScriptedLanguageModel(tmp_path / "binary")

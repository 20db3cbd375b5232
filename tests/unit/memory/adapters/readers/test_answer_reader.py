"""The answer reader over heads that are written by hand: which words answer, how probably, and what a passage is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer

from memory.adapters.readers.answer_reader import OnnxAnswerReader
from memory.adapters.readers.passages import BEFORE_CHARACTERS, passage_text
from memory.core.types import QuestionOnTurn, ReadAnswer, Span, WordSpan
from tests.unit.memory.adapters.readers.conftest import WORDS, reader_with, unit

CONFIG = {
    "kind": "answer reader",
    "window": 64,
    "first_room": 16,
    "longest_answer": 2,
    "temperature": 1.0,
    "threshold": 0.25,
}


@pytest.fixture
def player(tokenizer: Tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OnnxAnswerReader:
    """Return a reader for which an answer begins with "in", "my" or a town and ends with a town or "sister"."""
    begin = 3 * unit("in", "my") + 2 * unit("paris", "rome") + unit("sister")
    end = 4 * unit("paris", "rome", "sister")
    begin[WORDS.index("[CLS]")], end[WORDS.index("[CLS]")] = 2, 3
    heads = {"pointers.weight": np.stack([begin, end]), "pointers.bias": np.zeros(2, dtype=np.float32)}
    monkeypatch.setattr("memory.adapters.readers.encoder.weights_digest", lambda folder: "0")
    made = OnnxAnswerReader(tmp_path)
    reader = reader_with(tokenizer, heads, CONFIG)
    monkeypatch.setattr(made._folder, "load", lambda: reader)
    return made


def odds(*runs: float) -> float:
    """Return the probability that runs of these scores answer, against no answer, whose score is 5."""
    total = sum(np.exp(runs))
    return round(float(total / (total + np.exp(5))), 4)


def test_likeliest_run_of_the_turn_answers(player: OnnxAnswerReader) -> None:
    asked = QuestionOnTurn("where", "I live in Rome", "Ana", "in Paris", "Bo")
    # All runs of one or two words: begin of the first and end of the last.
    (answer,) = player.read_many([asked])
    assert answer == ReadAnswer(WordSpan("in Rome", Span(7, 14)), odds(7, 6, 3, 0, 0, 0, 0))
    assert asked.text[7:14] == "in Rome"


def test_run_is_no_longer_than_the_longest(player: OnnxAnswerReader) -> None:
    (answer,) = player.read_many([QuestionOnTurn("where", "my live sister")])
    assert answer.words == WordSpan("sister", Span(8, 14))


def test_answers_are_in_the_order_of_the_questions_and_nothing_is_no_answer(player: OnnxAnswerReader) -> None:
    answers = player.read_many(
        [QuestionOnTurn("where", "paris"), QuestionOnTurn("where", ""), QuestionOnTurn("where", "now")]
    )
    assert answers == [
        ReadAnswer(WordSpan("paris", Span(0, 5)), odds(6)),
        ReadAnswer(WordSpan("", Span(0, 0)), 0.0),
        ReadAnswer(WordSpan("now", Span(0, 3)), odds(0)),
    ]
    assert player.read_many([]) == []
    assert player.threshold == 0.25


def test_passage_has_the_end_of_the_turn_before() -> None:
    asked = QuestionOnTurn("Where?", "I moved.", "Ana", "Any news?", "Bo")
    assert passage_text(asked) == ("Bo: Any news? || Ana: I moved.", 22)
    assert passage_text(QuestionOnTurn("Where?", "I moved.")) == ("I moved.", 0)
    assert passage_text(QuestionOnTurn("Where?", "")) == ("", 0)
    text, begins = passage_text(QuestionOnTurn("Where?", "I moved.", "Ana", "x" * 900 + "END", "Bo"))
    assert (text, text[begins:]) == ("x" * (BEFORE_CHARACTERS - 3) + "END || Ana: I moved.", "I moved.")

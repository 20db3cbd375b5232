"""The answer reader over heads that are written by hand: which words answer, how probably, and what a passage is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer

from memory.adapters.readers.answer_reader import (
    BEFORE_CHARACTERS,
    OnnxAnswerReader,
    ReadPassage,
    TurnPlace,
    passage_of,
    passages_of,
)
from memory.core.errors import ModelUnfit
from memory.core.types import QuestionOnTurns, ReadAnswer, SaidTurn, Span, WordSpan
from tests.unit.memory.adapters.readers.conftest import WORDS, reader_with, unit

CONFIG = {
    "kind": "answer reader",
    "window": 64,
    "first_room": 16,
    "longest_answer": 2,
    "temperature": 1.0,
    "threshold": 0.25,
    "verdict_threshold": 0.5,
}


@pytest.fixture
def player(tokenizer: Tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OnnxAnswerReader:
    """Return a reader for which an answer begins with "in", "my" or a town and ends with a town or "sister"."""
    begin = 3 * unit("in", "my") + 2 * unit("paris", "rome") + unit("sister")
    end = 4 * unit("paris", "rome", "sister")
    begin[WORDS.index("[CLS]")], end[WORDS.index("[CLS]")] = 2, 3
    heads = {"pointers.weight": np.stack([begin, end]), "pointers.bias": np.zeros(2, dtype=np.float32)}
    # Words from "in" on say yes.
    heads |= {"verdict.weight": np.stack([0 * end, 2 * unit("in")]), "verdict.bias": np.zeros(2, dtype=np.float32)}
    monkeypatch.setattr("memory.adapters.readers.encoder.weights_digest", lambda folder: "0")
    reader = reader_with(tokenizer, heads, CONFIG)
    monkeypatch.setattr("memory.adapters.readers.encoder.OnnxReader.load", lambda folder: reader)
    return OnnxAnswerReader(tmp_path)


def odds(runs: list[float], *others: list[float]) -> float:
    """Return the probability that a turn with runs of these scores answers, against no answer (5) and other turns."""
    total = np.exp(runs).sum()
    return round(float(total / (total + np.exp(5) + sum(np.exp(other).sum() for other in others))), 4)


def test_turns_are_weighed_against_each_other_and_against_none(player: OnnxAnswerReader) -> None:
    asked = QuestionOnTurns(
        "where", (SaidTurn("I live in Rome", "Ana", "Any news?", "Bo"), SaidTurn("now Paris", "Bo"), SaidTurn(""))
    )
    # All runs of one or two words: begin of the first and end of the last.
    first, second = [7, 6, 3, 0, 0, 0, 0], [0, 4, 6]
    [answers] = player.read_many([asked])
    assert answers == [
        ReadAnswer(WordSpan("in Rome", Span(7, 14)), odds(first, second), yes=0.8808),
        ReadAnswer(WordSpan("Paris", Span(4, 9)), odds(second, first)),
        ReadAnswer(WordSpan("", Span(0, 0)), 0.0),
    ]
    assert asked.turns[0].text[7:14] == "in Rome"


def test_what_was_said_before_does_not_answer(player: OnnxAnswerReader) -> None:
    [[answer]] = player.read_many([QuestionOnTurns("where", (SaidTurn("I live", "Ana", "in Paris", "Bo"),))])
    assert answer.words.text in ("I", "live", "I live")


def test_run_is_no_longer_than_the_longest(player: OnnxAnswerReader) -> None:
    [[answer]] = player.read_many([QuestionOnTurns("where", (SaidTurn("my live sister"),))])
    assert answer.words == WordSpan("sister", Span(8, 14))


def test_turns_that_do_not_fit_together_are_read_apart(player: OnnxAnswerReader) -> None:
    turns = tuple(SaidTurn("paris " * 40) for _ in range(3))
    [answers] = player.read_many([QuestionOnTurns("where", turns)])
    assert len({answer.probability for answer in answers}) == 1
    assert player.read_many([QuestionOnTurns("where", ())]) == [[]]
    assert player.read_many([]) == []
    assert player.threshold == 0.25


def test_passage_has_the_end_of_what_was_said_before_unless_it_is_there() -> None:
    news, moved = SaidTurn("Any news?", "Bo"), SaidTurn("I moved.", "Ana", "Any news?", "Bo")
    both = ReadPassage("Bo: Any news? || Ana: I moved.", (TurnPlace(0, 4, 13), TurnPlace(1, 22, 30)))
    assert passage_of([news, moved], [0, 1]) == both
    assert passage_of([news, moved], [1]) == ReadPassage(both.text, (TurnPlace(1, 22, 30),))
    assert passage_of([SaidTurn("I moved.")], [0]) == ReadPassage("I moved.", (TurnPlace(0, 0, 8),))
    long = passage_of([SaidTurn("I moved.", "Ana", "x" * 900 + "END", "Bo")], [0])
    assert long.text == "x" * (BEFORE_CHARACTERS - 3) + "END || Ana: I moved."


def test_passages_are_as_long_as_there_is_room() -> None:
    turns = [SaidTurn("one two"), SaidTurn("three"), SaidTurn("four five six seven"), SaidTurn("eight")]
    found = passages_of(turns, room=8, length=lambda text: len(text.split()))
    assert [passage.text for passage in found] == ["one two || three", "four five six seven", "eight"]
    assert [[place.turn for place in passage.places] for passage in found] == [[0, 1], [2], [3]]


def test_weights_of_an_earlier_version_are_told_of_at_once(
    tokenizer: Tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    older = reader_with(tokenizer, {}, {name: CONFIG[name] for name in CONFIG if name != "verdict_threshold"})
    monkeypatch.setattr("memory.adapters.readers.encoder.weights_digest", lambda folder: "0")
    monkeypatch.setattr("memory.adapters.readers.encoder.OnnxReader.load", lambda folder: older)
    with pytest.raises(ModelUnfit, match="is of an earlier version"):
        OnnxAnswerReader(tmp_path)

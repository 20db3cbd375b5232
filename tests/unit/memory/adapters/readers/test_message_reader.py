"""The message reader over heads that are written by hand: spans, overlaps, subjects, flags, long messages."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer

from memory.adapters.readers.encoder import Reader
from memory.adapters.readers.message_reader import PART, OnnxMessageReader, facts_in, parts_of
from memory.core.errors import ModelNotFound
from memory.core.types import FactFlag, MessageInContext, ReadFact, Span, WordSpan
from tests.unit.memory.adapters.readers.conftest import WIDTH, WORDS, reader_with, unit

CONFIG = {
    "kind": "message reader",
    "window": 64,
    "first_room": 16,
    "longest_span": 3,
    "temperature": 1.0,
    "threshold": 0.5,
    "flag_threshold": 0.5,
    "predicates": ["livesIn", "other"],
}


@pytest.fixture
def reader(tokenizer: Tokenizer) -> Reader:
    """Return a reader that finds a town, alone or after "in", and "my sister" before it.

    A fact about Rome is past; what is found is as sure as its words' weights say.
    """
    nothing = np.zeros((WIDTH, WIDTH), dtype=np.float32)
    town = WORDS.index("paris")
    # The dimension of "paris" in a span's vector says: this is a town.
    begin, end = nothing.copy(), nothing.copy()
    begin[town, [WORDS.index("paris"), WORDS.index("rome")]] = 6
    begin[town, WORDS.index("in")] = 5
    end[town, [WORDS.index("paris"), WORDS.index("rome")]] = 6
    end[WORDS.index("rome"), WORDS.index("rome")] = 6
    relation = np.concatenate([np.eye(WIDTH, dtype=np.float32), nothing], axis=1)
    flags = np.zeros((7, WIDTH), dtype=np.float32)
    flags[list(FactFlag).index(FactFlag.PAST), WORDS.index("rome")] = 4
    subject_begin, subject_end = nothing.copy(), nothing.copy()
    subject_begin[town, WORDS.index("my")] = 2
    subject_end[town, WORDS.index("sister")] = 2
    subject_begin[town, WORDS.index("[CLS]")] = 1
    subject_end[town, WORDS.index("[CLS]")] = 1
    zeros = np.zeros(WIDTH, dtype=np.float32)
    heads = {
        "glosses": np.stack([unit("paris"), unit("bo")]),
        "begin.weight": begin,
        "end.weight": end,
        "length.weight": np.zeros((3, WIDTH), dtype=np.float32),
        "label.weight": np.eye(WIDTH, dtype=np.float32),
        "label_bias.weight": np.zeros((1, WIDTH), dtype=np.float32),
        "label_bias.bias": np.array([-2], dtype=np.float32),
        "relation.weight": relation,
        "subject_begin.weight": subject_begin,
        "subject_end.weight": subject_end,
        "flags.weight": flags,
        "flags.bias": np.full(7, -4, dtype=np.float32),
        **{f"{name}.bias": zeros for name in ("begin", "end", "label", "relation", "subject_begin", "subject_end")},
    }
    return reader_with(tokenizer, heads, CONFIG)


def read(reader: Reader, text: str, before: str = "", least: float = 0.5) -> list[ReadFact]:
    pieces = reader.cut(before, text)
    ((_, hidden),) = reader.hidden([pieces])
    return facts_in(reader, pieces, hidden, texts=(before, text), least=least)


def words(text: str, start: int, *, is_before: bool = False) -> WordSpan:
    return WordSpan(text, Span(start, start + len(text)), is_before)


def chance(weight: float) -> float:
    """Return the probability of a span whose vector has this weight for the gloss."""
    value = weight / (1 + np.exp(-weight))
    return round(float(1 / (1 + np.exp(-(value / np.sqrt(WIDTH) - 2)))), 4)


def test_surest_of_overlapping_spans_is_the_fact(reader: Reader) -> None:
    """Paris alone is surer than "in Paris", and takes its place."""
    assert read(reader, "i live in Paris now") == [
        ReadFact(None, "livesIn", words("Paris", 10), frozenset(), chance(12))
    ]


def test_subject_is_found_among_the_words_and_the_flag_is_set(reader: Reader) -> None:
    assert read(reader, "my sister live in rome") == [
        ReadFact(words("my sister", 0), "livesIn", words("rome", 18), frozenset({FactFlag.PAST}), chance(12))
    ]


def test_two_spans_apart_are_two_facts_also_in_what_was_said_before(reader: Reader) -> None:
    found = read(reader, "paris and rome", before="paris")
    assert [(fact.object, fact.subject) for fact in found] == [
        (words("paris", 0, is_before=True), None),
        (words("paris", 0), None),
        (words("rome", 10), None),
    ]


def test_what_is_less_sure_than_asked_is_left_out(reader: Reader) -> None:
    assert read(reader, "paris", least=chance(12) + 0.01) == []
    assert read(reader, "i live now") == []
    assert read(reader, "") == []


def test_temperature_cools_the_probability_alone(reader: Reader) -> None:
    cooled = type(reader)(reader.tokenizer, None, reader.heads, {**CONFIG, "temperature": 2.0})
    (before,), (after,) = read(reader, "paris", least=0.3), read(cooled, "paris", least=0.3)
    odds = [np.log(fact.probability / (1 - fact.probability)) for fact in (before, after)]
    assert odds[1] == pytest.approx(odds[0] / 2, abs=0.01)
    assert before.object == after.object


def test_long_message_is_read_in_parts_that_end_with_sentences() -> None:
    text = "I live in Paris. " * 60 + "x" * 900 + " my sister"
    parts = list(parts_of(MessageInContext(text, "Where?")))
    assert "".join(part for _, part, _ in parts) == text
    assert [text[start : start + len(part)] for _, part, start in parts] == [part for _, part, _ in parts]
    assert max(len(part) for _, part, _ in parts) <= PART
    assert [before for before, _, _ in parts] == ["Where?", *(part for _, part, _ in parts[:-1])]
    assert parts[0][1].endswith(". ")


def test_facts_of_a_long_message_stand_where_its_words_do(
    reader: Reader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "i live now. " * 40 + "my sister live in rome. " + "i live now. " * 40
    monkeypatch.setattr("memory.adapters.readers.encoder.weights_digest", lambda folder: "0")
    player = OnnxMessageReader(tmp_path)
    monkeypatch.setattr(player, "load", lambda: reader)
    ((fact,), nothing) = player.read_many([MessageInContext(text), MessageInContext("🙂")])
    assert nothing == ()
    assert fact.subject is not None
    for found in (fact.subject, fact.object):
        assert text[found.span.start : found.span.end] == found.text
    assert (fact.subject.text, fact.object.text) == ("my sister", "rome")


def test_missing_folder_is_told_of_at_once(tmp_path: Path) -> None:
    with pytest.raises(ModelNotFound, match=r"encoder-int8\.onnx"):
        OnnxMessageReader(tmp_path)

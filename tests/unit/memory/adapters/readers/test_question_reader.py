"""The question reader over heads that are written by hand: predicates by likeness, the path to the subject, probabilities."""

from __future__ import annotations

import json
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from tokenizers import Tokenizer

from memory.adapters.readers.encoder import Reader
from memory.adapters.readers.question_reader import (
    CHOICES,
    COOLED,
    HOP,
    POINTED,
    RELATIONS,
    OnnxQuestionReader,
    look_of,
    read_question,
)
from memory.core.errors import ModelNotFound, ModelUnfit
from memory.core.types import AskedKind, AskedTime, Likely, ReadQuestion, Span, TermPath, WordSpan
from tests.unit.memory.adapters.readers.conftest import WIDTH, WORDS, reader_with, unit

CONFIG = {
    "kind": "question reader",
    "window": 32,
    "first_room": 2,
    "temperatures": dict.fromkeys(COOLED, 1.0),
    "predicates": ["livesIn", "hasSister", "other"],
}
SURE = 50.0
POINTERS = [f"{name}_{side}" for name in POINTED for side in ("begin", "end")]


def layer(*rows: NDArray[np.float32], name: str) -> dict[str, NDArray[np.float32]]:
    return {f"{name}.weight": np.array(rows, dtype=np.float32), f"{name}.bias": np.zeros(len(rows), dtype=np.float32)}


def heads(**changed: NDArray[np.float32]) -> dict[str, NDArray[np.float32]]:
    """Return heads that find a question of the speaker's sister, to a memory, for the past.

    The first relation of a subject is looked for at "sister", all others at the first piece, which stands for none.
    """
    same, none = np.eye(WIDTH, dtype=np.float32), np.zeros((WIDTH, WIDTH), dtype=np.float32)
    first = unit("[CLS]", value=SURE)
    chosen = {
        name: layer(*(first if place == 1 and name == "time" else unit() for place in range(len(values))), name=name)
        for name, values in CHOICES.items()
    }
    leads = none.copy()
    leads[WORDS.index("sister"), WORDS.index("sister")] = leads[WORDS.index("."), WORDS.index("[CLS]")] = 10 * SURE
    looks = dict.fromkeys(chain.from_iterable(RELATIONS.values()), first) | {
        "subject_first": unit("sister", value=SURE)
    }
    made = {
        "glosses": np.array([unit("live"), unit("sister"), unit("|"), unit(".")]),
        "scale": np.array(3.0, dtype=np.float32),
        **{name: part for head in chosen.values() for name, part in head.items()},
        **layer(*same, name="pool"),
        **layer(*same, name="ask"),
        **layer(*same, name="label"),
        **layer(unit(), name="label_bias"),
        **layer(*leads, name=HOP),
        **{name: part for hop, at in looks.items() for name, part in layer(at, name=look_of(hop)).items()},
        **{name: part for end in POINTERS for name, part in layer(*none, name=end).items()},
    }
    return {**made, **changed}


def read(tokenizer: Tokenizer, question: str, **changed: NDArray[np.float32]) -> ReadQuestion:
    reader = reader_with(tokenizer, heads(**changed), CONFIG)
    pieces = reader.cut("", question)
    ((_, hidden),) = reader.hidden([pieces])
    return read_question(reader, question, pieces, hidden)


def test_question_is_read_with_a_probability_for_each_judgement(tokenizer: Tokenizer) -> None:
    found = read(tokenizer, "where does my sister live")
    # Six kinds are all alike to these heads; so are the speaker and each run of words.
    assert (found.kind, found.time) == (Likely(AskedKind.MEMORY, 0.1667), Likely(AskedTime.PAST, 1.0))
    assert found.subject == Likely(TermPath(None, ("hasSister",)), 0.0625)
    # Five words, the first piece and two separators.
    shares = np.exp(np.array([1, 1, 0]) / np.sqrt(10) * np.exp(3.0))
    alike = round(float(shares[0] / shares.sum()), 4)
    assert found.predicates == (Likely("livesIn", alike), Likely("hasSister", alike))


def test_predicate_whose_words_are_those_of_the_question_is_likeliest(tokenizer: Tokenizer) -> None:
    assert [one.value for one in read(tokenizer, "where does ana live").predicates] == ["livesIn"]


def test_subject_is_the_run_of_words_that_both_pointers_find(tokenizer: Tokenizer) -> None:
    begins, ends = (np.zeros((WIDTH, WIDTH), dtype=np.float32) for _ in range(2))
    # Vectors are pooled to that of the first piece, and "my" begins what "sister" ends.
    begins[WORDS.index("[CLS]"), WORDS.index("my")] = ends[WORDS.index("[CLS]"), WORDS.index("sister")] = 10 * SURE
    found = read(tokenizer, "where does my sister live", **{"subject_begin.weight": begins, "subject_end.weight": ends})
    assert found.subject.value == TermPath(WordSpan("my sister", Span(11, 20)), ("hasSister",))
    assert found.subject.probability == 1.0


def test_value_is_the_run_of_words_that_its_pointers_find_or_none(tokenizer: Tokenizer) -> None:
    ends = np.zeros((WIDTH, WIDTH), dtype=np.float32)
    ends[WORDS.index("[CLS]"), WORDS.index("live")] = 10 * SURE
    found = read(tokenizer, "where does my sister live", **{"value_begin.weight": ends, "value_end.weight": ends})
    assert found.value == Likely(TermPath(WordSpan("live", Span(21, 25))), 1.0)
    assert read(tokenizer, "where does my sister live").value.value is None


def test_readings_are_in_the_order_of_the_questions(
    tokenizer: Tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = reader_with(tokenizer, heads(), CONFIG)
    monkeypatch.setattr("memory.adapters.readers.encoder.weights_digest", lambda folder: "0")
    monkeypatch.setattr("memory.adapters.readers.encoder.OnnxReader.load", lambda folder: reader)
    questions = ["where does ana live", "my sister", "does bo"]
    made = OnnxQuestionReader(tmp_path)
    assert made.read_many(questions) == [read(tokenizer, question) for question in questions]
    assert made.read_many([]) == []


def test_missing_or_foreign_folder_is_told_of_at_once(tmp_path: Path) -> None:
    with pytest.raises(ModelNotFound, match="There is no reader"):
        OnnxQuestionReader(tmp_path)
    for name in ("encoder-int8.onnx", "heads.npz", "tokenizer.json"):
        (tmp_path / name).write_bytes(b"")
    (tmp_path / "config.json").write_text(json.dumps({"kind": "message reader"}))
    with pytest.raises(ModelUnfit):
        OnnxQuestionReader(tmp_path)


def test_weights_that_read_no_value_are_of_an_earlier_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without = Reader(None, None, {}, CONFIG | {"temperatures": {}})  # type: ignore[arg-type]
    monkeypatch.setattr("memory.adapters.readers.encoder.weights_digest", lambda folder: "0")
    monkeypatch.setattr("memory.adapters.readers.encoder.OnnxReader.load", lambda folder: without)
    with pytest.raises(ModelUnfit, match="of an earlier version"):
        OnnxQuestionReader(tmp_path)

"""The change judge over heads that are written by hand."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from tokenizers import Tokenizer

from memory.adapters.readers.change_judge import CHANGES, OnnxChangeJudge
from memory.adapters.readers.pieces import Pieces
from memory.core.errors import ModelNotFound, ModelUnfit
from memory.core.types import Change, ChangeVerdict, Role, Utterance
from tests.unit.memory.adapters.readers.conftest import WIDTH, WORDS, HandMadeReader

CONFIG = {"kind": "change judge", "window": 64, "first_room": 8, "temperature": 2.0, "acts_from": 0.9}


class SummingReader(HandMadeReader):
    """A reader whose first vector is the sum of all."""

    def hidden(self, rows: list[Pieces]) -> object:  # type: ignore[override]
        for place, vectors in super().hidden(rows):
            yield place, np.vstack([vectors.sum(axis=0), vectors[1:]])


def heads() -> dict[str, NDArray[np.float32]]:
    """Return heads for which "now" tells of something that replaces the old, and "rome" of something unrelated."""
    classifier = np.zeros((6, WIDTH), dtype=np.float32)
    classifier[CHANGES.index(Change.REPLACES), WORDS.index("now")] = 4
    classifier[CHANGES.index(Change.UNRELATED), WORDS.index("rome")] = 8
    return {
        "pooler.weight": np.eye(WIDTH, dtype=np.float32),
        "pooler.bias": np.zeros(WIDTH, dtype=np.float32),
        "classifier.weight": classifier,
        "classifier.bias": np.zeros(6, dtype=np.float32),
    }


@pytest.fixture
def judge(tokenizer: Tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OnnxChangeJudge:
    monkeypatch.setattr("memory.adapters.readers.encoder.weights_digest", lambda folder: "0")
    reader = SummingReader(tokenizer, None, heads(), CONFIG)
    monkeypatch.setattr("memory.adapters.readers.encoder.OnnxReader.load", lambda folder: reader)
    return OnnxChangeJudge(tmp_path)


def said(text: str) -> Utterance:
    return Utterance("Ana", Role.USER, text, datetime(2024, 1, 1, tzinfo=UTC))


def test_verdicts_are_in_order_with_probabilities_that_sum_to_one(judge: OnnxChangeJudge) -> None:
    old = said("i live in paris")
    replaced, unrelated, unknown = judge.judge_many(
        [(old, said("live in my sister now")), (old, said("rome and rome")), (old, said("where"))]
    )
    # The logit of "now" is 4 tanh(1), over a temperature of 2.
    raised = np.exp(2 * np.tanh(1))
    even, rest = round(1 / (raised + 5), 4), round(raised / (raised + 5), 4)
    assert replaced == ChangeVerdict(rest, even, even, even, even, even)
    assert (replaced.change, unrelated.change) == (Change.REPLACES, Change.UNRELATED)
    assert replaced.gives_way == pytest.approx(rest + 2 * even)
    assert unknown == ChangeVerdict(*[round(1 / 6, 4)] * 6)
    assert judge.judge_many([]) == []
    assert judge.acts_from == 0.9


def test_missing_folder_is_told_of_at_once(tmp_path: Path) -> None:
    with pytest.raises(ModelNotFound, match="There is no reader"):
        OnnxChangeJudge(tmp_path)


def test_folder_that_does_not_say_from_where_it_acts_is_of_another_version(
    tokenizer: Tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    older = SummingReader(tokenizer, None, heads(), {name: CONFIG[name] for name in CONFIG if name != "acts_from"})
    monkeypatch.setattr("memory.adapters.readers.encoder.weights_digest", lambda folder: "0")
    monkeypatch.setattr("memory.adapters.readers.encoder.OnnxReader.load", lambda folder: older)
    with pytest.raises(ModelUnfit, match="does not say from which probability it acts"):
        OnnxChangeJudge(tmp_path)

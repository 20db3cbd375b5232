"""The evidence reader over heads that are written by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from tokenizers import Tokenizer

from memory.adapters.readers.evidence_reader import (
    BEARINGS,
    FATES,
    OUTSIDE,
    TAGS,
    OnnxEvidenceReader,
    begins,
    fate_texts,
    goes_on,
    likeliest,
    pair_texts,
)
from memory.core.errors import ModelNotFound
from memory.core.semantic_state.ports import Bearing, EvidencePair, Fate, FatePair, Marked, MarkedWords
from memory.core.types import MessageInContext, Span
from tests.unit.memory.adapters.readers.conftest import WIDTH, WORDS, HandMadeReader

CONFIG = {
    "kind": "evidence reader",
    "window": 160,
    "first_room": 8,
    "temperatures": {"bearings": 1.0, "fates": 2.0},
}


class SummingReader(HandMadeReader):
    """A reader whose first vector is the sum of all."""

    def hidden(self, rows: list[object]) -> object:  # type: ignore[override]
        for place, vectors in super().hidden(rows):  # type: ignore[arg-type]
            yield place, np.vstack([vectors.sum(axis=0), vectors[1:]])


def heads() -> dict[str, NDArray[np.float32]]:
    """Return heads for which "live in paris" is asserted, "rome" required, and "now" ends what was said."""
    tags = np.zeros((TAGS, WIDTH), dtype=np.float32)
    tags[OUTSIDE] = 1
    for word, tag in (
        ("live", begins(Marked.ASSERT)),
        ("in", goes_on(Marked.ASSERT)),
        ("paris", goes_on(Marked.ASSERT)),
        ("rome", begins(Marked.REQUIRE)),
    ):
        tags[tag, WORDS.index(word)] = 9
    bearings = np.zeros((len(BEARINGS), WIDTH), dtype=np.float32)
    bearings[BEARINGS.index(Bearing.REPLACES), WORDS.index("now")] = 6
    fates = np.zeros((len(FATES), WIDTH), dtype=np.float32)
    fates[FATES.index(Fate.ENDED), WORDS.index("now")] = 6
    return {
        "tags.weight": tags,
        "tags.bias": np.zeros(TAGS, dtype=np.float32),
        "pooler.weight": np.eye(WIDTH, dtype=np.float32),
        "pooler.bias": np.zeros(WIDTH, dtype=np.float32),
        "bearings.weight": bearings,
        "bearings.bias": np.zeros(len(BEARINGS), dtype=np.float32),
        "fates.weight": fates,
        "fates.bias": np.zeros(len(FATES), dtype=np.float32),
    }


@pytest.fixture
def reader(tokenizer: Tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OnnxEvidenceReader:
    monkeypatch.setattr("memory.adapters.readers.encoder.weights_digest", lambda folder: "0")
    made = SummingReader(tokenizer, None, heads(), CONFIG)
    monkeypatch.setattr("memory.adapters.readers.encoder.OnnxReader.load", lambda folder: made)
    return OnnxEvidenceReader(tmp_path)


def test_pieces_are_marked_with_their_place(reader: OnnxEvidenceReader) -> None:
    text = "i live in paris, rome now"
    first, second = reader.mark_many([MessageInContext(text, "where"), MessageInContext("")])
    assert [(one.text, one.kind, one.span) for one in first] == [
        ("live in paris", Marked.ASSERT, Span(2, 15)),
        ("rome", Marked.REQUIRE, Span(17, 21)),
    ]
    assert all(text[one.span.start : one.span.end] == one.text for one in first)
    assert second == ()


def test_long_message_is_marked_in_all_its_parts(reader: OnnxEvidenceReader) -> None:
    text = "where now. " * 60 + "rome"
    [marks] = reader.mark_many([MessageInContext(text)])
    assert [(one.text, text[one.span.start : one.span.end]) for one in marks] == [("rome", "rome")]


def test_no_piece_goes_on_where_it_did_not_begin() -> None:
    shares = np.full((3, TAGS), 0.01)
    shares[0, OUTSIDE] = shares[1, goes_on(Marked.ASSERT)] = shares[2, goes_on(Marked.ASSERT)] = 0.9
    shares[1, begins(Marked.ASSERT)] = 0.05
    assert likeliest(shares) == [OUTSIDE, begins(Marked.ASSERT), goes_on(Marked.ASSERT)]


def test_bearings_are_in_order_and_sum_to_one(reader: OnnxEvidenceReader) -> None:
    new = MarkedWords("rome", Span(0, 4), Marked.ASSERT, 1.0)
    pairs = [EvidencePair("paris", Marked.ASSERT, MessageInContext(text), new) for text in ("rome now", "rome where")]
    replaced, even = reader.link_many(pairs)
    assert max(replaced, key=lambda one: replaced[one]) is Bearing.REPLACES
    assert sum(replaced.values()) == pytest.approx(1, abs=1e-3)
    assert set(even.values()) == {round(1 / len(BEARINGS), 4)}
    assert reader.link_many([]) == []


def test_pair_is_read_with_the_new_piece_marked_in_its_message() -> None:
    message = MessageInContext("no, 8 of us now", "For how many?")
    pair = EvidencePair("for 6", Marked.ASSERT, message, MarkedWords("8 of us", Span(4, 11), Marked.ASSERT, 1.0))
    assert pair_texts(pair) == ("assert: for 6", "For how many? | assert: no, « 8 of us » now")


def test_fates_are_told_under_their_own_temperature(reader: OnnxEvidenceReader) -> None:
    pairs = [FatePair("paris", Marked.ASSERT, MessageInContext(text, "where")) for text in ("rome now", "rome")]
    ended, even = reader.fates_many(pairs)
    # The logit of "now" is 6 tanh(1), over a temperature of 2.
    raised = np.exp(3 * np.tanh(1))
    assert ended[Fate.ENDED] == round(float(raised / (raised + 3)), 4)
    assert set(even.values()) == {0.25}
    assert fate_texts(pairs[0]) == ("assert: paris", "where | rome now")


def test_missing_folder_is_told_of_at_once(tmp_path: Path) -> None:
    with pytest.raises(ModelNotFound, match="There is no reader"):
        OnnxEvidenceReader(tmp_path)

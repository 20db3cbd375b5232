"""The bundled sentence encoder, where it was exported."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from memory.adapters.embedder import OnnxEmbedder, encoded
from memory.core.errors import ModelNotFound


@pytest.fixture(scope="module")
def encoder(sentence_encoder: Path) -> OnnxEmbedder:
    return OnnxEmbedder(sentence_encoder)


def test_text_has_one_vector_whatever_stands_beside_it(encoder: OnnxEmbedder, sentence_encoder: Path):
    text = "Thanks, that is great!"
    company = (
        "Yesterday we walked along the river for hours, talked about the new house, and forgot to call my brother back."
    )
    [alone] = encoder.embed([text])
    # Another one, which has not kept the first vector.
    beside, _, again = OnnxEmbedder(sentence_encoder).embed([text, company, text])
    assert np.array_equal(alone, beside)
    assert np.array_equal(beside, again)


def test_what_was_just_embedded_is_not_embedded_again(encoder: OnnxEmbedder, monkeypatch: pytest.MonkeyPatch):
    encodings: list[str] = []

    def counted(text: str, *loaded: object) -> np.ndarray:
        encodings.append(text)
        return encoded(text, *loaded)

    monkeypatch.setattr("memory.adapters.embedder.encoded", counted)
    monkeypatch.setattr("memory.adapters.embedder.KEPT", 2)
    first = encoder.embed(["one egg", "two eggs", "one egg"])
    again = encoder.embed(["two eggs", "one egg"])
    assert encodings == ["one egg", "two eggs"]
    assert np.array_equal(first, again[[1, 0, 1]])
    encoder.embed(["three eggs"])
    encoder.embed(["one egg"])
    assert encodings == ["one egg", "two eggs", "three eggs", "one egg"]


def test_a_kept_vector_is_not_changed_from_outside(encoder: OnnxEmbedder):
    given = encoder.embed(["four eggs"])
    kept = given.copy()
    given[:] = 0
    assert np.array_equal(encoder.embed(["four eggs"]), kept)


def test_near_meanings_have_near_vectors_of_unit_length(encoder: OnnxEmbedder):
    dog, puppy, tax = encoder.embed(["I adopted a dog.", "We took in a puppy.", "The tax return is due in April."])
    assert np.linalg.norm([dog, puppy, tax], axis=1) == pytest.approx(1, abs=1e-5)
    assert dog @ puppy > dog @ tax + 0.2


def test_no_text_has_no_vector(encoder: OnnxEmbedder):
    assert encoder.embed([]).shape == (0, encoder.dimension)


def test_encoder_that_was_not_exported_is_named(tmp_path: Path):
    with pytest.raises(ModelNotFound, match="make run"):
        OnnxEmbedder(tmp_path).embed(["hello"])

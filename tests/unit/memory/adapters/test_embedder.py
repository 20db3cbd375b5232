"""The bundled sentence encoder, where it was exported."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from memory.adapters.embedder import OnnxEmbedder
from memory.core.errors import ModelNotFound


@pytest.fixture(scope="module")
def encoder(sentence_encoder: Path) -> OnnxEmbedder:
    return OnnxEmbedder(sentence_encoder)


def test_text_has_one_vector_whatever_stands_beside_it(encoder: OnnxEmbedder):
    text = "Thanks, that is great!"
    company = (
        "Yesterday we walked along the river for hours, talked about the new house, and forgot to call my brother back."
    )
    [alone] = encoder.embed([text])
    beside, _, again = encoder.embed([text, company, text])
    assert np.array_equal(alone, beside)
    assert np.array_equal(beside, again)


def test_near_meanings_have_near_vectors_of_unit_length(encoder: OnnxEmbedder):
    dog, puppy, tax = encoder.embed(["I adopted a dog.", "We took in a puppy.", "The tax return is due in April."])
    assert np.linalg.norm([dog, puppy, tax], axis=1) == pytest.approx(1, abs=1e-5)
    assert dog @ puppy > dog @ tax + 0.2


def test_no_text_has_no_vector(encoder: OnnxEmbedder):
    assert encoder.embed([]).shape == (0, encoder.dimension)


def test_encoder_that_was_not_exported_is_named(tmp_path: Path):
    with pytest.raises(ModelNotFound, match="make run"):
        OnnxEmbedder(tmp_path).embed(["hello"])

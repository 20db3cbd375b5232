"""Vectors that outlive a run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from evaluation.adapters.kept_vectors import KeptVectors
from evaluation.core.errors import EvaluationError
from tests.fakes.engines import WordEmbedder


class CountingEmbedder(WordEmbedder):
    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked += texts
        return super().embed(texts) if texts else np.zeros((0, self.dimension), np.float32)


def test_a_text_is_embedded_once_inside_keeping_and_each_time_outside() -> None:
    embedder = CountingEmbedder()
    kept = KeptVectors(embedder)
    with kept.keeping():
        first = kept.embed(["one", "two", "one"])
        again = kept.embed(["two"])
    kept.embed(["one"])
    assert embedder.asked == ["one", "two", "one"]
    assert np.array_equal(first[0], first[2])
    assert np.array_equal(again[0], first[1])


def test_another_run_reads_what_the_first_one_wrote(tmp_path: Path) -> None:
    path = tmp_path / "vectors"
    first = KeptVectors(CountingEmbedder(), path)
    with first.keeping():
        vectors = first.embed(["one", "two"])
    embedder = CountingEmbedder()
    second = KeptVectors(embedder, path)
    with second.keeping():
        assert np.array_equal(second.embed(["two", "three", "one"])[[2, 0]], vectors)
    assert embedder.asked == ["three"]
    assert not list(tmp_path.glob("*.part"))


def test_no_texts_give_no_vectors() -> None:
    kept = KeptVectors(CountingEmbedder())
    with kept.keeping():
        assert kept.embed([]).shape == (0, WordEmbedder.dimension)


def test_vectors_of_another_embedder_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "vectors"
    kept = KeptVectors(WordEmbedder(), path)
    with kept.keeping():
        kept.embed(["one"])
    other = WordEmbedder()
    other.name = "another"
    with pytest.raises(EvaluationError, match="vectors of 'words', not of 'another'"):
        KeptVectors(other, path)


@pytest.mark.parametrize("content", [b"", b"not a zip", b"PK\x03\x04 torn"])
def test_a_file_of_something_else_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "vectors"
    path.write_bytes(content)
    with pytest.raises(EvaluationError, match="is no file of vectors"):
        KeptVectors(WordEmbedder(), path)


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    kept = KeptVectors(WordEmbedder(), tmp_path / "nowhere" / "vectors")
    with pytest.raises(EvaluationError, match="cannot be written"), kept.keeping():
        kept.embed(["one"])

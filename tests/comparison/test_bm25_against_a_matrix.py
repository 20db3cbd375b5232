"""Our incremental BM25 against one that was written another way: a matrix of counts, the formula in numpy."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from memory.core.bm25 import Bm25Index, words


def matrix_scores(texts: list[str], question: str) -> NDArray[np.float64]:
    vocabulary = sorted({word for text in texts for word in words(text)})
    counts = np.array([[words(text).count(word) for word in vocabulary] for text in texts], float)
    asked = np.array([words(question).count(word) for word in vocabulary], float)
    lengths = counts.sum(axis=1)
    frequencies = (counts > 0).sum(axis=0)
    idf = np.log(1 + (len(texts) - frequencies + 0.5) / (frequencies + 0.5))
    saturated = counts * 2.2 / (counts + (1.2 * (1 - 0.75 + 0.75 * lengths / lengths.mean()))[:, None])
    return saturated @ (asked * idf)


def test_the_index_ranks_and_scores_like_the_matrix() -> None:
    random = np.random.default_rng(5)
    lexicon = [f"{start}{end}" for start in "bdfgklmn" for end in ("arn", "oll", "ick", "ump", "eth")]
    odds = 1 / np.arange(1, len(lexicon) + 1)
    for _ in range(20):
        texts = [" ".join(random.choice(lexicon, random.integers(1, 30), p=odds / odds.sum())) for _ in range(60)]
        question = " ".join(random.choice(lexicon, 6))
        scores = matrix_scores(texts, question)
        index = Bm25Index(dict(enumerate(texts)))
        found = index.search(question, limit=60)
        assert dict(found) == pytest.approx({one: score for one, score in enumerate(scores) if score > 0})
        assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)

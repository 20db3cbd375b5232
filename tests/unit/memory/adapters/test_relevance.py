"""A cross-encoder that ranks passages, as transformers runs it."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory.adapters.relevance import TransformersRelevanceModel
from memory.core.errors import ModelNotFound, ModelUnfit
from tests.unit.memory.adapters.entailment.conftest import WINDOW, WORDS, build_tiny_bert

pytest.importorskip("torch")


@pytest.fixture(scope="module")
def ranker(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_tiny_bert(tmp_path_factory.mktemp("ranker") / "tiny", labels=["relevance"])


def test_every_pair_has_a_score_whatever_stands_beside_it(ranker: Path) -> None:
    model = TransformersRelevanceModel(str(ranker), device="cpu")
    pairs = [("the cat", "a dog runs"), ("the cat", "the cat sleeps on the red house"), ("paris", "i live in paris")]
    together = model.score_many(pairs)
    assert together == pytest.approx([score for pair in pairs for score in model.score_many([pair])], abs=1e-4)
    assert len({round(score, 4) for score in together}) == 3
    assert model.name == str(ranker)


def test_many_pairs_of_many_lengths_keep_their_order(ranker: Path) -> None:
    model = TransformersRelevanceModel(str(ranker), device="cpu")
    pairs = [(WORDS[place % 9], " ".join(WORDS[: 1 + place % 7])) for place in range(70)]
    scores = model.score_many(pairs)
    assert scores[68] == pytest.approx(model.score_many([pairs[68]])[0], abs=1e-4)
    assert scores[5] == pytest.approx(scores[5 + 63], abs=1e-4)


def test_a_long_passage_loses_its_end(ranker: Path) -> None:
    model = TransformersRelevanceModel(str(ranker), device="cpu")
    long, longer = model.score_many([("the cat", "dog " * WINDOW), ("the cat", "dog " * 10 * WINDOW)])
    assert long == pytest.approx(longer, abs=1e-4)


def test_no_pairs_need_no_weights(ranker: Path) -> None:
    assert TransformersRelevanceModel(str(ranker)).score_many([]) == []


def test_a_classifier_is_no_relevance_model(tmp_path: Path) -> None:
    model = TransformersRelevanceModel(str(build_tiny_bert(tmp_path / "three")), device="cpu")
    with pytest.raises(ModelUnfit, match="has 3 outputs"):
        model.score_many([("a", "b")])


def test_a_folder_that_is_not_there_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(ModelNotFound, match="DSMART_RELEVANCE"):
        TransformersRelevanceModel(str(tmp_path / "nowhere"))

"""The transformers cross-encoder: label order, the window, batches, refusals."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from memory.adapters.entailment.cross_encoder import TransformersEntailmentModel
from memory.core.errors import ModelNotFound, ModelRefused, ModelUnfit, TextTooLong
from memory.core.types import EntailmentVerdict

PAIRS = [
    ("the cat sleeps", "a dog runs"),
    ("a red house", "a blue house in paris"),
    ("i live in rome and you live in paris now", "you live in rome"),
    ("the dog", "the dog"),
] * 12


@pytest.fixture(scope="module")
def model(tiny_bert: Path) -> TransformersEntailmentModel:
    return TransformersEntailmentModel(str(tiny_bert), device="cpu")


def numbers(verdict: EntailmentVerdict) -> tuple[float, float, float]:
    return verdict.entailment, verdict.neutral, verdict.contradiction


def test_making_one_imports_neither_torch_nor_transformers(tiny_bert: Path) -> None:
    program = f"""
import sys
from memory.adapters.entailment.cross_encoder import TransformersEntailmentModel
TransformersEntailmentModel({str(tiny_bert)!r})
assert "torch" not in sys.modules and "transformers" not in sys.modules
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_label_order_is_that_of_the_models_own_config(
    model: TransformersEntailmentModel, tiny_bert_with: Callable[..., Path], tmp_path: Path
) -> None:
    turned = tiny_bert_with(tmp_path / "turned", labels=("CONTRADICTION", "Entailment", "neutral"))
    # The same weights: the outputs are the same, and mean something else.
    for here, there in zip(
        model.predict_many(PAIRS), TransformersEntailmentModel(str(turned), "cpu").predict_many(PAIRS), strict=True
    ):
        first, second, third = numbers(here)
        assert numbers(there) == pytest.approx((second, third, first), abs=1e-5)
    assert len({verdict.label for verdict in model.predict_many(PAIRS)}) > 1, "the pairs tell labels apart"


@pytest.mark.parametrize("labels", [("LABEL_0", "LABEL_1", "LABEL_2"), ("entailment", "not_entailment")])
def test_model_with_other_labels_is_refused(
    labels: tuple[str, ...], tiny_bert_with: Callable[..., Path], tmp_path: Path
) -> None:
    unfit = TransformersEntailmentModel(str(tiny_bert_with(tmp_path / "unfit", labels=labels)), "cpu")
    with pytest.raises(ModelUnfit, match=labels[1]):
        unfit.predict_many(PAIRS[:1])


def test_batches_equal_singles_in_order(model: TransformersEntailmentModel) -> None:
    alone = [numbers(model.predict_many([pair])[0]) for pair in PAIRS[:4]]
    together = [numbers(verdict) for verdict in model.predict_many(PAIRS)]
    assert together == [pytest.approx(verdict, abs=1e-5) for verdict in alone * 12]
    assert all(sum(verdict) == pytest.approx(1) for verdict in together)


def test_no_pairs_give_no_verdicts(model: TransformersEntailmentModel) -> None:
    assert model.predict_many([]) == []


def test_premise_that_does_not_fit_loses_its_beginning(model: TransformersEntailmentModel) -> None:
    end = "paris the cat is not in the house and a dog runs on red blue old new"
    assert len(end.split()) == 24 - 3 - 4
    (whole,) = model.predict_many([(end, "you live in rome")])
    (cut,) = model.predict_many([("i am a dog " * 3_000 + end, "you live in rome")])
    assert numbers(cut) == pytest.approx(numbers(whole), abs=1e-5)
    (other,) = model.predict_many([(end.replace("paris", "rome"), "you live in rome")])
    assert numbers(other) != pytest.approx(numbers(whole), abs=1e-5), "the first word that fits is read"


def test_hypothesis_that_fills_the_window_is_refused(model: TransformersEntailmentModel) -> None:
    with pytest.raises(TextTooLong, match="24"):
        model.predict_many([("the cat", "dog " * 21)])
    assert len(model.predict_many([("the cat", "dog " * 20)])) == 1


def test_folder_that_is_not_there_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(ModelNotFound, match="DSMART_ENTAILMENT"):
        TransformersEntailmentModel(str(tmp_path / "none"))
    with pytest.raises(ModelNotFound, match="DSMART_ENTAILMENT"):
        TransformersEntailmentModel(str(tmp_path))


def test_broken_weights_are_refused_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ModelNotFound, match=r"cannot be loaded.*DSMART_ENTAILMENT"):
        TransformersEntailmentModel(str(tmp_path), "cpu").predict_many(PAIRS)


def test_batch_over_the_devices_memory_is_run_in_halves(tiny_bert: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    model = TransformersEntailmentModel(str(tiny_bert), "cpu")
    wanted = model.predict_many(PAIRS)
    loaded = model._load()
    fits, real = 3, loaded.model

    def small(input_ids: Any, **inputs: Any) -> SimpleNamespace:
        if len(input_ids) > fits:
            raise torch.OutOfMemoryError("full")
        return real(input_ids=input_ids, **inputs)  # type: ignore[no-any-return]

    monkeypatch.setattr(model, "_load", lambda: SimpleNamespace(**{**vars(loaded), "model": small}))
    assert [numbers(v) for v in model.predict_many(PAIRS)] == [pytest.approx(numbers(v), abs=1e-5) for v in wanted]
    fits = 0
    with pytest.raises(ModelRefused, match="single pair"):
        model.predict_many(PAIRS[:1])


@pytest.mark.parametrize("family", ["roberta", "deberta-v2"])
def test_window_of_other_families_is_filled_to_the_last_place(family: str, tiny_bert: Path, tmp_path: Path) -> None:
    import torch
    from transformers import AutoConfig, AutoModelForSequenceClassification

    torch.manual_seed(0)
    folder = tmp_path / family
    shutil.copytree(tiny_bert, folder)
    sizes = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}
    # RoBERTa has a position more for the padding, and begins behind it: two of its positions hold no word.
    config = AutoConfig.for_model(
        family, vocab_size=64, max_position_embeddings=26, pad_token_id=1, type_vocab_size=2, num_labels=3, **sizes
    )
    config.id2label = {0: "entailment", 1: "neutral", 2: "contradiction"}
    AutoModelForSequenceClassification.from_config(config).save_pretrained(folder)
    other = TransformersEntailmentModel(str(folder), "cpu")
    window = 24 if family == "roberta" else 26
    assert sum(numbers(other.predict_many([("a cat " * 50, "dog " * (window - 4))])[0])) == pytest.approx(1)
    with pytest.raises(TextTooLong, match=f"reads {window} "):
        other.predict_many([("a cat", "dog " * (window - 3))])


@pytest.mark.gpu
def test_verdicts_on_a_gpu_are_those_of_the_processor(model: TransformersEntailmentModel, tiny_bert: Path) -> None:
    on_gpu = TransformersEntailmentModel(str(tiny_bert), device="cuda").predict_many(PAIRS)
    assert [numbers(v) for v in on_gpu] == [pytest.approx(numbers(v), abs=0.03) for v in model.predict_many(PAIRS)]

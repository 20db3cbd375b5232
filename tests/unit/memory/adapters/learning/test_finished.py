"""Weights read back from a finished model, and trainings that begin with them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memory.adapters.entailment.onnx import export
from memory.adapters.entailment.pairs import LabelledPair
from memory.adapters.learning.entailment import EntailmentRecipe
from memory.adapters.learning.finished import BegunFrom, finished_weights
from memory.adapters.learning.recipe import pair_network
from memory.adapters.readers.encoder import HEADS_FILE
from memory.core.errors import TrainingRefused
from tests.unit.memory.adapters.entailment.conftest import build_tiny_bert


@pytest.fixture(scope="module")
def finished(tiny_base: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """Return the folder of a model with random weights, and those weights before they were put into bytes."""
    import torch

    torch.manual_seed(3)
    network = pair_network(tiny_base, labels=3)
    for values in network.parameters():
        # A training leaves no two alike, and an export writes like ones once, under one name.
        if values.dim() == 1:
            torch.nn.init.normal_(values)
    weights = {name: values.clone().numpy() for name, values in network.state_dict().items()}
    folder = tmp_path_factory.mktemp("finished")
    export(network, folder, base=tiny_base)
    return folder, weights


def test_weights_come_back_but_for_the_rounding_to_bytes(finished: tuple[Path, dict[str, Any]]) -> None:
    folder, weights = finished
    found = finished_weights(folder)
    assert set(found) == {name for name in weights if "word_embeddings" not in name}
    for name, values in found.items():
        assert values.shape == weights[name].shape
        assert np.abs(values - weights[name]).max() <= np.abs(weights[name]).max() / 127, name


def test_training_begins_where_the_finished_model_ended(
    finished: tuple[Path, dict[str, Any]], tiny_base: Path, some_pairs: list[LabelledPair]
) -> None:
    folder, weights = finished
    recipe = EntailmentRecipe(some_pairs, base=tiny_base)
    begun = BegunFrom(recipe, folder)
    state = begun.network().state_dict()
    assert np.abs(state["classifier.weight"].numpy() - weights["classifier.weight"]).max() < 1e-3
    assert begun.identity() != recipe.identity()
    assert begun.batches(0, seed=0) == recipe.batches(0, seed=0)


@pytest.mark.parametrize("share", [0.0, 0.25])
def test_trained_weights_are_averaged_with_those_that_it_began_with(
    finished: tuple[Path, dict[str, Any]], tiny_base: Path, some_pairs: list[LabelledPair], share: float
) -> None:
    begun = BegunFrom(EntailmentRecipe(some_pairs, base=tiny_base), finished[0])
    trained = pair_network(tiny_base, labels=3)
    before = {name: values.clone() for name, values in trained.state_dict().items()}
    after = begun.averaged(trained, share=share).state_dict()
    start = finished_weights(finished[0])
    for name, values in before.items():
        wanted = values.numpy() if name not in start else (1 - share) * values.numpy() + share * start[name]
        np.testing.assert_allclose(after[name].numpy(), wanted, atol=1e-6, err_msg=name)


def test_heads_beside_the_network_are_read_too(finished: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    network = next(finished[0].glob("*.onnx"))
    (tmp_path / network.name).write_bytes(network.read_bytes())
    np.savez(tmp_path / HEADS_FILE, **{"flags.bias": np.array([1.5, -2.0], dtype=np.float16)})
    assert finished_weights(tmp_path)["flags.bias"].tolist() == [1.5, -2.0]


def test_weights_of_another_network_are_refused(
    finished: tuple[Path, dict[str, Any]], tiny_base: Path, some_pairs: list[LabelledPair], tmp_path: Path
) -> None:
    folder, _ = finished
    wider = build_tiny_bert(tmp_path / "wider", window=256, layers=3)
    with pytest.raises(TrainingRefused, match=r"holds the weights of another network"):
        BegunFrom(EntailmentRecipe(some_pairs, base=wider), folder).network()

    class OtherHead(EntailmentRecipe):
        def network(self) -> Any:
            return pair_network(tiny_base, labels=5)

    with pytest.raises(TrainingRefused, match=r"holds the weights of another network"):
        BegunFrom(OtherHead(some_pairs, base=tiny_base), folder).network()


def test_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TrainingRefused, match=r"holds no finished model"):
        finished_weights(tmp_path)

"""The exported network: it says what the trained one said, alone as in company, without torch."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from memory.adapters.entailment.onnx import CONFIG_FILE, NETWORK_FILE, TOKENIZER_FILE, OnnxEntailmentModel, export
from memory.adapters.entailment.pairs import verdicts
from memory.adapters.learning.entailment import EntailmentRecipe, pieces_of
from memory.adapters.learning.recipe import tokenizer_of
from memory.adapters.readers.pieces import padded
from memory.core.errors import ModelNotFound, ModelUnfit, TextTooLong
from memory.core.types import EntailmentVerdict

PAIRS = [
    ("the cat sleeps", "a dog runs"),
    ("a red house", "a blue house in paris"),
    ("i live in rome and you live in paris now", "you live in rome"),
    ("the dog", "the dog"),
] * 12


@pytest.fixture(scope="module")
def logits(tiny_bert: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[list[float]]]:
    """Return the folder of an exported network, and what the network said before."""
    import torch

    torch.manual_seed(0)
    recipe = EntailmentRecipe([], base=tiny_bert)
    network = recipe.network().eval()
    torch.nn.init.normal_(network.classifier.weight, std=0.3)
    rows = [padded([pieces_of(tokenizer_of(tiny_bert), *pair)]) for pair in PAIRS]
    with torch.inference_mode():
        said = [network(**{name: torch.from_numpy(part) for name, part in row.items()})[0].tolist() for row in rows]
    folder = tmp_path_factory.mktemp("onnx") / "model"
    export(network, folder, base=tiny_bert)
    return folder, said


@pytest.fixture(scope="module")
def exported(logits: tuple[Path, list[list[float]]]) -> Path:
    return logits[0]


@pytest.fixture(scope="module")
def model(exported: Path) -> OnnxEntailmentModel:
    return OnnxEntailmentModel(exported)


def numbers(verdict: EntailmentVerdict) -> tuple[float, float, float]:
    return verdict.entailment, verdict.neutral, verdict.contradiction


def test_exported_network_says_nearly_what_the_trained_one_says(
    model: OnnxEntailmentModel, logits: tuple[Path, list[list[float]]]
) -> None:
    trained = verdicts(np.array(logits[1]))
    for here, there in zip(model.predict_many(PAIRS), trained, strict=True):
        assert numbers(here) == pytest.approx(numbers(there), abs=0.05)
    assert len({round(verdict.neutral, 2) for verdict in trained}) > 1


def test_export_holds_three_files_and_no_path_of_the_machine(exported: Path, tiny_bert: Path) -> None:
    assert {file.name for file in exported.iterdir()} == {NETWORK_FILE, TOKENIZER_FILE, CONFIG_FILE}
    network = (exported / NETWORK_FILE).read_bytes()
    for path in (tiny_bert, Path(sys.prefix), Path(__file__).parents[4]):
        assert str(path).encode() not in network
    assert b"site-packages" not in network


def test_batches_equal_singles_in_order(model: OnnxEntailmentModel) -> None:
    alone = [numbers(model.predict_many([pair])[0]) for pair in PAIRS[:4]]
    together = [numbers(verdict) for verdict in model.predict_many(PAIRS)]
    # Activations are quantised by row; only the order of sums in the products changes with the batch.
    assert together == [pytest.approx(verdict, abs=0.01) for verdict in alone * 12]
    assert model.predict_many([]) == []


def test_threads_share_one_model(model: OnnxEntailmentModel) -> None:
    wanted = model.predict_many(PAIRS)
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(model.predict_many, [PAIRS] * 8)) == [wanted] * 8


def test_predicting_imports_neither_torch_nor_transformers(exported: Path) -> None:
    program = f"""
import sys
from pathlib import Path
from memory.adapters.entailment.onnx import OnnxEntailmentModel
OnnxEntailmentModel(Path({str(exported)!r})).predict_many([("the cat", "a dog")])
assert "torch" not in sys.modules and "transformers" not in sys.modules
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_premise_that_does_not_fit_loses_its_beginning(model: OnnxEntailmentModel) -> None:
    end = "paris the cat is not in the house and a dog runs on red blue old new"
    assert len(end.split()) == 24 - 3 - 4
    (whole,) = model.predict_many([(end, "you live in rome")])
    (cut,) = model.predict_many([("i am a dog " * 3_000 + end, "you live in rome")])
    assert numbers(cut) == pytest.approx(numbers(whole), abs=1e-6)
    (other,) = model.predict_many([(end.replace("paris", "rome"), "you live in rome")])
    assert numbers(other) != pytest.approx(numbers(whole), abs=1e-6), "the first word that fits is read"


def test_hypothesis_that_fills_the_window_is_refused(model: OnnxEntailmentModel) -> None:
    with pytest.raises(TextTooLong, match="24"):
        model.predict_many([("the cat", "dog " * 21)])
    assert len(model.predict_many([("the cat", "dog " * 20)])) == 1


def test_label_order_and_temperature_are_those_of_the_config(
    model: OnnxEntailmentModel, exported: Path, tmp_path: Path
) -> None:
    changed = tmp_path / "changed"
    shutil.copytree(exported, changed)
    config = json.loads((changed / CONFIG_FILE).read_text())
    config.update(labels=["neutral", "contradiction", "entailment"], temperature=3.0)
    (changed / CONFIG_FILE).write_text(json.dumps(config))
    other = OnnxEntailmentModel(changed)
    assert other.name != model.name, "another calibration is another model"
    assert other.logits(PAIRS) == pytest.approx(model.logits(PAIRS)[:, [2, 0, 1]])
    flat = max(numbers(other.predict_many(PAIRS[:1])[0]))
    assert 1 / 3 < flat < max(numbers(model.predict_many(PAIRS[:1])[0]))


@pytest.mark.parametrize("name", [NETWORK_FILE, TOKENIZER_FILE, CONFIG_FILE])
def test_folder_that_lacks_a_file_is_no_model(name: str, exported: Path, tmp_path: Path) -> None:
    folder = tmp_path / "part"
    shutil.copytree(exported, folder)
    (folder / name).unlink()
    with pytest.raises(ModelNotFound, match=name):
        OnnxEntailmentModel(folder)


def test_config_that_is_none_is_refused(exported: Path, tmp_path: Path) -> None:
    folder = tmp_path / "odd"
    shutil.copytree(exported, folder)
    (folder / CONFIG_FILE).write_text('{"labels": ["yes", "no"]}')
    with pytest.raises(ModelUnfit, match=CONFIG_FILE):
        OnnxEntailmentModel(folder).predict_many(PAIRS)


@pytest.mark.parametrize("name", [NETWORK_FILE, TOKENIZER_FILE])
def test_damaged_file_is_refused_in_a_sentence(name: str, exported: Path, tmp_path: Path) -> None:
    folder = tmp_path / "damaged"
    shutil.copytree(exported, folder)
    (folder / name).write_bytes((folder / name).read_bytes()[:500])
    with pytest.raises(ModelUnfit, match=r"cannot be loaded: .* train it again"):
        OnnxEntailmentModel(folder).predict_many(PAIRS)


def test_tokenizer_of_another_family_is_refused(exported: Path, tmp_path: Path) -> None:
    folder = tmp_path / "other"
    shutil.copytree(exported, folder)
    words = (folder / TOKENIZER_FILE).read_text().replace("[SEP]", "</s>")
    (folder / TOKENIZER_FILE).write_text(words)
    with pytest.raises(ModelUnfit, match=r"no \[SEP\]"):
        OnnxEntailmentModel(folder).predict_many(PAIRS)

"""Which entailment model the settings choose, and why there may be none."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memory import bootstrap
from memory.adapters.entailment.cross_encoder import TransformersEntailmentModel
from memory.adapters.entailment.onnx import CONFIG_FILE, NETWORK_FILE, TOKENIZER_FILE, OnnxEntailmentModel


@pytest.fixture(autouse=True)
def fresh_bootstrap() -> Iterator[None]:
    bootstrap.reset()
    yield
    bootstrap.reset()


def test_built_in_model_is_taken_where_its_files_are(settings: Any, tmp_path: Path) -> None:
    settings.DSMART_ENTAILMENT_WEIGHTS = tmp_path
    assert bootstrap.entailment_model() is None
    assert "train entailment" in bootstrap.entailment_absence()
    for name in (NETWORK_FILE, TOKENIZER_FILE, CONFIG_FILE):
        (tmp_path / name).write_text("{}")
    assert bootstrap.entailment_model() is None, "it is made once"
    bootstrap.reset()
    assert isinstance(bootstrap.entailment_model(), OnnxEntailmentModel)
    assert bootstrap.entailment_absence() == ""
    assert bootstrap.entailment_model() is bootstrap.entailment_model()
    assert isinstance(bootstrap.make_entailment_model(str(tmp_path)), OnnxEntailmentModel), "trained by the user"


def test_off_means_none_and_says_so(settings: Any) -> None:
    settings.DSMART_ENTAILMENT = "off"
    assert bootstrap.entailment_model() is None
    assert "off" in bootstrap.entailment_absence()


def test_path_or_hub_id_is_a_cross_encoder_and_a_wrong_path_none(settings: Any, tmp_path: Path) -> None:
    settings.DSMART_ENTAILMENT = "somebody/some-cross-encoder"
    model = bootstrap.entailment_model()
    assert isinstance(model, TransformersEntailmentModel)
    assert model.name == "somebody/some-cross-encoder"
    bootstrap.reset()
    settings.DSMART_ENTAILMENT = str(tmp_path / "none")
    assert bootstrap.entailment_model() is None
    assert str(tmp_path / "none") in bootstrap.entailment_absence()

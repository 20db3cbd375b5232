"""The weights that come with the product: pairs that no sane model gets wrong, and what the card promises."""

from __future__ import annotations

from pathlib import Path

import pytest

import memory
from memory.adapters.entailment.onnx import NETWORK_FILE, OnnxEntailmentModel
from memory.core.types import EntailmentLabel

FOLDER = Path(memory.__file__).parent / "pretrained" / "entailment"
MOST_BYTES = 25_000_000

pytestmark = pytest.mark.skipif(not (FOLDER / NETWORK_FILE).is_file(), reason="the built-in weights are not here")


@pytest.fixture(scope="module")
def model() -> OnnxEntailmentModel:
    return OnnxEntailmentModel(FOLDER)


@pytest.mark.parametrize(
    ("premise", "hypothesis", "label"),
    [
        ("A man is playing a guitar on the stage.", "A man is playing an instrument.", EntailmentLabel.ENTAILMENT),
        ("Two dogs are running through a field.", "Some animals are outside.", EntailmentLabel.ENTAILMENT),
        ("A woman is sleeping on the couch.", "A woman is awake and running.", EntailmentLabel.CONTRADICTION),
        ("The room is completely empty.", "The room is full of people.", EntailmentLabel.CONTRADICTION),
        pytest.param(
            "A man is playing a guitar.",
            "The man is playing for his three daughters.",
            EntailmentLabel.NEUTRAL,
            marks=pytest.mark.xfail(strict=True, reason="these weights take detail that is added for a contradiction"),
        ),
        (
            "A girl is reading a book.",
            "The girl is reading a novel that her teacher gave her.",
            EntailmentLabel.NEUTRAL,
        ),
    ],
)
def test_plainly_clear_pair_is_judged_right(
    model: OnnxEntailmentModel, premise: str, hypothesis: str, label: EntailmentLabel
) -> None:
    (verdict,) = model.predict_many([(premise, hypothesis)])
    assert verdict.label == label, verdict


def test_verdict_does_not_hang_on_the_rest_of_the_batch(model: OnnxEntailmentModel) -> None:
    pair = ("I moved to Berlin last year.", "You live in Berlin.")
    (alone,) = model.predict_many([pair])
    (first, *_) = model.predict_many([pair, *[("It rains. " * 40, "The weather is fine.")] * 15])
    assert first.entailment == pytest.approx(alone.entailment, abs=0.02)
    assert first.contradiction == pytest.approx(alone.contradiction, abs=0.02)


def test_folder_is_small_enough_and_carries_its_card() -> None:
    assert sum(file.stat().st_size for file in FOLDER.iterdir()) <= MOST_BYTES
    card = (FOLDER / "README.md").read_text()
    assert "manage.py train" in card
    assert "CC BY-SA" in card

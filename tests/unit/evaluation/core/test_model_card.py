"""What the card of a reader tells."""

from __future__ import annotations

from typing import Any

import pytest

from evaluation.core.model_card import figure, model_card
from evaluation.core.report import Row
from memory.adapters.learning.loop import TrainingConfig
from memory.adapters.learning.message_reader import MessageRecipe

TOLD: dict[str, Any] = {
    "sources": {"own": 9_448, "clinc150": 70, "mine": 5},
    "held_out": 440,
    "left_out": 0,
    "config": TrainingConfig(steps=4_800, decay_steps=2_880),
    "recipe": MessageRecipe,
    "is_begun": False,
    "command": "manage.py train reader --steps 4800",
    "fitted": {"temperature": 1.2, "threshold": 0.25},
    "readings": 2_000,
    "hopeless": 0.01,
    "figures": [
        Row("built-in", "precision", 0.6054, "ratio", 461, 0.5644, 0.6481),
        Row("built-in", "f1", 0.5, "ratio", 900),
        Row("built-in", "f1", None, "ratio", 0, group="real", why="nothing"),
    ],
    "times": [
        Row("built-in", "p50_ms", 17.4, unit="ms", n=200, group="a message"),
        Row("built-in", "p95_ms", 39.6, unit="ms", n=200, group="a message"),
    ],
    "megabytes": 25.76,
}


def test_card_tells_sources_figures_and_times() -> None:
    card = model_card("message_reader", **TOLD)
    for line in (
        "# Model card: the built-in message reader",
        "| `own` | 9,448 | written for this project | Apache-2.0, as the project |",
        "| `mine` | 5 | another set | see its publisher |",
        "| group | precision | f1 |",
        "| all | 0.605 (0.564 to 0.648) | 0.500 |",
        "| real | - | - |",
        "manage.py train reader --steps 4800",
        "The weights are under Apache-2.0.",
    ):
        assert line in card.splitlines(), line
    assert "9,523 labelled messages to train on, and 440 held out" in card
    assert "**Time** for a message, one after the other" in card
    assert "17 ms (p50), 40 ms (p95)." in card
    assert "4,800 steps of 16 with AdamW" in card
    assert "brought to zero over the last 2,880; at most 192 word pieces" in " ".join(card.split())
    assert "Logits are divided by 1.200, fitted on the 2,000 readings" in card
    assert "It began with" not in card
    assert "left out" not in card
    assert "\n\n\n" not in card


def test_card_tells_what_was_left_out_and_whose_words_are_share_alike() -> None:
    card = model_card("message_reader", **TOLD | {"left_out": 400, "sources": {"own": 1, "sgd": 2}, "is_begun": True})
    assert "400 that only name their source were left out" in card
    assert "Some of these words are share-alike, and so are these weights: CC BY-SA 4.0." in card
    assert "It began with the weights of an earlier training." in " ".join(card.split())


def test_card_says_that_nothing_could_be_fitted() -> None:
    card = model_card("message_reader", **TOLD | {"fitted": {}})
    assert "Nothing that it read of what was held out is right" in card
    assert "Logits are divided" not in card


@pytest.mark.parametrize(
    ("row", "shown"),
    [
        (None, "-"),
        (Row("m", "f1", None), "-"),
        (Row("m", "f1", 0.25), "0.250"),
        (Row("m", "f1", 0.25, low=0.2, high=0.3), "0.250 (0.200 to 0.300)"),
    ],
)
def test_figure_has_its_interval_where_there_is_one(row: Row | None, shown: str) -> None:
    assert figure(row) == shown

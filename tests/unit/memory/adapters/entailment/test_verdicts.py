"""Which output means which label."""

from __future__ import annotations

import math

import numpy as np
import pytest

from memory.adapters.entailment.pairs import in_order, label_order, verdicts
from memory.core.errors import ModelUnfit
from memory.core.types import EntailmentLabel


def test_order_is_read_from_the_names_in_any_case() -> None:
    assert label_order({0: "CONTRADICTION", 1: "Entailment", 2: "neutral"}, model="m") == (1, 2, 0)


@pytest.mark.parametrize(
    "labels",
    [
        ["LABEL_0", "LABEL_1", "LABEL_2"],
        ["entailment", "not_entailment"],
        ["entailment", "neutral", "entailment"],
        ["entailment", "neutral", "contradiction", "other"],
        [],
    ],
)
def test_other_labels_are_refused_and_quoted(labels: list[str]) -> None:
    with pytest.raises(ModelUnfit, match="the-model") as refusal:
        label_order(dict(enumerate(labels)), model="the-model")
    assert all(label in str(refusal.value) for label in labels)
    assert "DSMART_ENTAILMENT" in str(refusal.value)


def test_verdicts_are_the_softmax_of_the_outputs_over_the_temperature() -> None:
    outputs = in_order(np.array([[0.0, math.log(3), math.log(4)]]), (1, 2, 0))
    (plain,) = verdicts(outputs)
    assert (plain.entailment, plain.neutral, plain.contradiction) == pytest.approx((3 / 8, 4 / 8, 1 / 8))
    assert plain.label == EntailmentLabel.NEUTRAL
    (warm,) = verdicts(outputs, temperature=2.0)
    total = math.sqrt(3) + 2 + 1
    assert (warm.entailment, warm.neutral, warm.contradiction) == pytest.approx(
        (math.sqrt(3) / total, 2 / total, 1 / total)
    )


def test_outputs_far_apart_do_not_overflow() -> None:
    (sure,) = verdicts(np.array([[5_000.0, 0.0, -5_000.0]]))
    assert (sure.entailment, sure.neutral, sure.contradiction) == (1.0, 0.0, 0.0)

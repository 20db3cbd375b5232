"""An encoder of two layers with random weights, whose tokenizer knows a few words, for whatever learns."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory.adapters.entailment.pairs import LabelledPair
from memory.core.types import EntailmentLabel
from tests.unit.memory.adapters.entailment.conftest import WORDS, build_tiny_bert


@pytest.fixture(scope="session")
def tiny_base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_tiny_bert(tmp_path_factory.mktemp("base") / "tiny", window=256)


@pytest.fixture(scope="session")
def some_pairs() -> list[LabelledPair]:
    """Return pairs of all labels and of sources with every weight."""
    return [
        LabelledPair(
            f"I am a {first} {second} in my house",
            f"I live in my {second} house {'and ' * (place % 5)}now",
            tuple(EntailmentLabel)[place % 3],
            ("cad-snli", "conjnli", "own")[place % 3],
        )
        for place, (first, second) in enumerate((first, second) for first in WORDS for second in WORDS)
    ]

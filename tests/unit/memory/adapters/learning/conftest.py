"""An encoder of two layers with random weights, whose tokenizer knows a few words, for whatever learns."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.memory.adapters.entailment.conftest import build_tiny_bert


@pytest.fixture(scope="session")
def tiny_base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_tiny_bert(tmp_path_factory.mktemp("base") / "tiny", window=256)

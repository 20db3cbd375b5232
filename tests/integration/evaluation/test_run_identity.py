"""What the identity of a run is made of: models count by their content, not by where they lie."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from evaluation.adapters import identity as adapters
from evaluation.services.runs import identity


@pytest.fixture(autouse=True)
def fresh() -> None:
    """Each test is a process of its own: what was read of a folder is kept for the life of one."""
    identity.weights_digest.cache_clear()


def weights(folder: Path, content: bytes = b"weights") -> Path:
    folder.mkdir(parents=True)
    (folder / "model.safetensors").write_bytes(content)
    (folder / "config.json").write_text("{}")
    return folder


@pytest.mark.parametrize("name", ["DSMART_AMR_MODEL", "DSMART_ENTAILMENT", "DSMART_RELEVANCE"])
def test_models_count_by_their_content_and_show_no_path(name: str, settings: Any, tmp_path: Path) -> None:
    told = []
    for folder, content in (("a", b"weights"), ("b", b"weights"), ("c", b"another")):
        setattr(settings, name, str(weights(tmp_path / folder, content)))
        told.append(identity.configuration()[name])
    assert told[0] == told[1] != told[2] and str(tmp_path) not in " ".join(told)
    setattr(settings, name, "someone/a-model")
    assert identity.configuration()[name] == "'someone/a-model'"
    setattr(settings, name, "")
    assert identity.configuration()[name] == "''"


def test_engines_weights_count_by_their_content(tmp_path: Path) -> None:
    first, same = (weights(tmp_path / name) for name in ("a", "b"))
    os.utime(same / "config.json", ns=(1, 1))
    before = identity.engine_digest(f"transformers:{first}")
    assert identity.engine_digest(f"transformers:{same}") == before
    (first / "model.safetensors").write_bytes(b"WEIGHTS")
    os.utime(first / "model.safetensors", ns=(2, 2))
    replaced = identity.engine_digest(f"transformers:{first}")
    assert replaced != before
    (first / "config.json").write_text("[]")
    assert identity.engine_digest(f"transformers:{first}") not in (before, replaced)
    assert identity.engine_digest("transformers:someone/a-model") == identity.engine_digest(
        "transformers:nobody/another"
    )


def test_very_large_weights_count_by_pieces_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapters, "READ_WHOLE_BYTES", 100)
    monkeypatch.setattr(adapters, "PIECES", 3)
    monkeypatch.setattr(adapters, "PIECE_BYTES", 10)
    content = bytearray(200)
    digests = []
    for number, place in enumerate((None, 0, 99, 199, 50)):
        changed = bytearray(content)
        if place is not None:
            changed[place] = 1
        digests.append(adapters.weights_files_digest(weights(tmp_path / str(number), bytes(changed))))
    assert len(set(digests[:4])) == 4 and digests[4] == digests[0]
    assert adapters.weights_files_digest(weights(tmp_path / "longer", bytes(201))) != digests[0]

"""Caches vectors across runs, so that a second run over the same texts need not embed them again."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from evaluation.core.errors import EvaluationError
from memory.core.ports import Embedder

KEY_BYTES = 16


class KeptVectors:
    """An `Embedder` that embeds each text once inside `keeping`; outside, it passes every call on.

    With a path, vectors are read from that file and written to it at the end of each `keeping`.
    """

    def __init__(self, embedder: Embedder, path: Path | None = None) -> None:
        self.name = embedder.name
        self.dimension = embedder.dimension
        self._embedder = embedder
        self._path = path
        self._is_keeping = False
        self._vectors = self._read(path) if path is not None and path.exists() else {}

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if not self._is_keeping:
            return self._embedder.embed(texts)
        keys = [hashlib.blake2b(text.encode(), digest_size=KEY_BYTES).digest() for text in texts]
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._vectors}
        made = self._embedder.embed(list(missing.values()))
        self._vectors |= dict(zip(missing, made, strict=True))
        return np.array([self._vectors[key] for key in keys], dtype=np.float32).reshape(len(texts), self.dimension)

    @contextmanager
    def keeping(self) -> Iterator[None]:
        """Cache every text that is embedded inside the block."""
        before = len(self._vectors)
        self._is_keeping = True
        try:
            yield
        finally:
            self._is_keeping = False
            if self._path is not None and len(self._vectors) > before:
                self._write(self._path)

    def _read(self, path: Path) -> dict[bytes, NDArray[np.float32]]:
        try:
            with np.load(path, allow_pickle=False) as content:
                name, keys, vectors = str(content["name"]), content["keys"], content["vectors"]
        except (OSError, EOFError, ValueError, KeyError, BadZipFile) as error:
            raise EvaluationError(f"{path} is no file of vectors ({error}). Give --vectors another path.") from error
        if name != self.name or vectors.shape != (len(keys), self.dimension) or keys.shape[1:] != (KEY_BYTES,):
            raise EvaluationError(f"{path} has vectors of {name!r}, not of {self.name!r}. Give --vectors another path.")
        return {key.tobytes(): vector for key, vector in zip(keys, vectors, strict=True)}

    def _write(self, path: Path) -> None:
        keys = np.frombuffer(b"".join(self._vectors), dtype=np.uint8).reshape(-1, KEY_BYTES)
        content = {"name": np.array(self.name), "keys": keys, "vectors": np.array(list(self._vectors.values()))}
        unfinished = path.with_name(f"{path.name}.part")
        try:
            with unfinished.open("wb") as file:
                np.savez(file, **content)  # type: ignore[arg-type]
            unfinished.replace(path)
        except OSError as error:
            raise EvaluationError(
                f"{path} cannot be written: {error.strerror}. Give --vectors another path."
            ) from error

"""Runs a reader's int8 encoder by onnxruntime: word pieces in, a vector for each out. No torch, no network, no server."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from memory.adapters.networks import network_load
from memory.adapters.precedence import BETWEEN_CALLS_S, precedence
from memory.adapters.readers.pieces import FIRST_TOKEN, SEPARATOR, Pieces, cut, padded
from memory.core.errors import ModelNotFound, ModelUnfit

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

NETWORK_FILE = "encoder-int8.onnx"
TOKENIZER_FILE = "tokenizer.json"
HEADS_FILE = "heads.npz"
CONFIG_FILE = "config.json"
# Word pieces of one batch, counted with its padding, and its texts.
BATCH_PIECES = 4_096
BATCH_TEXTS = 32


@dataclass(frozen=True)
class Reader:
    """A loaded reader: what cuts its texts, its network, the weights of its heads by name, its config."""

    tokenizer: Tokenizer
    network: InferenceSession
    heads: Mapping[str, NDArray[np.float32]]
    config: Mapping[str, Any]

    def cut(self, first: str, second: str) -> Pieces:
        return cut(
            self.tokenizer, first, second, window=int(self.config["window"]), first_room=int(self.config["first_room"])
        )

    def hidden(self, rows: Sequence[Pieces]) -> Iterator[tuple[int, NDArray[np.float32]]]:
        """Yield the place of each row and its vectors, shape (pieces, width), in batches of similar length."""
        for places in batches([len(row.ids) for row in rows]):
            precedence.give_way(within_s=BETWEEN_CALLS_S)
            found = self.network.run(None, padded([rows[place] for place in places]))[0]
            for place, vectors in zip(places, found, strict=True):
                yield place, vectors[: len(rows[place].ids)]


class OnnxReader:
    """A reader by the folder that `manage.py train` writes, loaded when it is first needed. Thread-safe.

    Raises `ModelNotFound` where the folder has no weights, `ModelUnfit` where they are of another kind or version.
    """

    kind: ClassVar[str]

    def __init__(self, folder: Path) -> None:
        self.folder = Path(folder)
        self._loading = threading.Lock()
        self._loaded: Reader | None = None
        self.name = f"built-in/{weights_digest(self.folder)}"

    def load(self) -> Reader:
        with self._loading:
            if self._loaded is None:
                self._loaded = self._read()
            return self._loaded

    @property
    def threshold(self) -> float:
        """Return the probability from which what is read is taken (fitted with the weights)."""
        return float(self.load().config["threshold"])

    def _read(self) -> Reader:
        try:
            config = json.loads((self.folder / CONFIG_FILE).read_text(encoding="utf-8"))
            tokenizer, network = network_load(self.folder / NETWORK_FILE, self.folder / TOKENIZER_FILE, threads=2)
            with np.load(self.folder / HEADS_FILE) as kept:
                heads = {name: kept[name].astype(np.float32) for name in kept.files}
        except Exception as error:
            # What damaged files raise is the libraries' own, and of any kind.
            raise ModelUnfit(
                f"The {self.kind} in {self.folder} cannot be loaded: {str(error).partition(chr(10))[0]} "
                "Fetch it again, or train it again with `manage.py train`."
            ) from error
        if config.get("kind") != self.kind:
            raise ModelUnfit(f"{self.folder} holds a {config.get('kind', 'model of no known kind')}, no {self.kind}.")
        if tokenizer.token_to_id(FIRST_TOKEN) is None or tokenizer.token_to_id(SEPARATOR) is None:
            raise ModelUnfit(f"{self.folder / TOKENIZER_FILE} lacks {FIRST_TOKEN} or {SEPARATOR}.")
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return Reader(tokenizer, network, heads, config)


def batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Yield batches of places of similar lengths, shortest first."""
    batch: list[int] = []
    for place in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) == BATCH_TEXTS or lengths[place] * (len(batch) + 1) > BATCH_PIECES):
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


def weights_digest(folder: Path) -> str:
    """Return a digest that identifies the weights. Raises `ModelNotFound` where a file of the folder is missing."""
    digest = hashlib.sha256()
    for name in (NETWORK_FILE, HEADS_FILE, TOKENIZER_FILE, CONFIG_FILE):
        try:
            digest.update((folder / name).read_bytes())
        except OSError as error:
            raise ModelNotFound(f"There is no reader in {folder}: {name} cannot be read.") from error
    return digest.hexdigest()[:8]


def pooled(heads: Mapping[str, NDArray[np.float32]], name: str, hidden: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return what the layer `name` makes of the first piece, in which both texts meet."""
    return np.asarray(np.tanh(linear(heads, name, hidden[0])), dtype=np.float32)


def outside_runs(words: int, *, longest: int) -> NDArray[np.bool_]:
    """Return which pairs of a first and a last word are no run of at most `longest` words, shape (words, words)."""
    reach = np.arange(words)[None, :] - np.arange(words)[:, None]
    return (reach < 0) | (reach >= longest)


def sigmoid(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return 1 / (1 + exp(-x)) without overflow."""
    return np.asarray(0.5 * (1 + np.tanh(0.5 * logits)), dtype=np.float32)


def silu(values: NDArray[np.float32]) -> NDArray[np.float32]:
    return values * sigmoid(values)


def linear(heads: Mapping[str, NDArray[np.float32]], name: str, values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return what the linear layer `name` of a reader's heads makes of vectors."""
    return np.asarray(values @ heads[f"{name}.weight"].T + heads[f"{name}.bias"], dtype=np.float32)


def softmax(logits: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the shares of logits, which sum to 1."""
    raised = np.exp(logits.astype(np.float64) - logits.max())
    return np.asarray(raised / raised.sum())


TRIPLE_SELECTOR = "triple selector"
LINE = "\n"


class OnnxTripleSelector(OnnxReader):
    """Implements `TripleSelector` with the folder that `manage.py train triple-selector` writes."""

    kind = TRIPLE_SELECTOR

    def relevant_many(self, dialogue: Sequence[str], triples: Sequence[str]) -> NDArray[np.float64]:
        reader = self.load()
        pieces = [reader.cut(LINE.join(dialogue), triple) for triple in triples]
        logits = np.zeros(len(triples))
        for place, hidden in reader.hidden(pieces):
            logits[place] = linear(reader.heads, "classifier", pooled(reader.heads, "pooler", hidden))[0]
        temperature, shift = (float(reader.config[name]) for name in ("temperature", "shift"))
        return np.asarray(1 / (1 + np.exp(-(logits - shift) / temperature)), dtype=np.float64)

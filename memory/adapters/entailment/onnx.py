"""The built-in entailment model: a small int8 cross-encoder, run by onnxruntime. No torch, no network, no server."""

from __future__ import annotations

import hashlib
import json
import shutil
import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memory.adapters.entailment.pairs import (
    LABELS,
    in_order,
    label_order,
    premise_room,
    verdicts,
)
from memory.adapters.learning.export import export_module, quantise_embeddings
from memory.adapters.networks import network_load
from memory.adapters.precedence import BETWEEN_CALLS_S, precedence
from memory.adapters.readers.encoder import batches
from memory.core.errors import ModelNotFound, ModelUnfit
from memory.core.types import EntailmentVerdict

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

NETWORK_FILE = "entailment-int8.onnx"
TOKENIZER_FILE = "tokenizer.json"
CONFIG_FILE = "config.json"
SPECIAL_TOKENS = 3


@dataclass(frozen=True)
class OnnxEntailmentConfig:
    """The labels of the outputs, the window in word pieces, and the temperature that the logits are divided by."""

    labels: tuple[str, ...]
    window: int
    temperature: float = 1.0

    def write(self, folder: Path) -> None:
        (folder / CONFIG_FILE).write_text(json.dumps(asdict(self), indent=2) + "\n", encoding="utf-8")

    @classmethod
    def read(cls, folder: Path) -> OnnxEntailmentConfig:
        try:
            content = json.loads((folder / CONFIG_FILE).read_text(encoding="utf-8"))
            return cls(tuple(content["labels"]), int(content["window"]), float(content["temperature"]))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ModelUnfit(f"{folder / CONFIG_FILE} does not describe an entailment model: {error}.") from error


@dataclass(frozen=True)
class _Loaded:
    tokenizer: Tokenizer
    network: InferenceSession
    config: OnnxEntailmentConfig
    order: tuple[int, ...]
    first: int
    separator: int


class OnnxEntailmentModel:
    """Implements `EntailmentModel` with the folder that `manage.py train entailment` writes. Thread-safe.

    Raises `ModelNotFound` where the folder has no weights.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = Path(folder)
        self._loading = threading.Lock()
        self._loaded: _Loaded | None = None
        self.name = f"built-in/{weights_digest(self._folder)}"

    def predict_many(self, pairs: Sequence[tuple[str, str]]) -> list[EntailmentVerdict]:
        return verdicts(self.logits(pairs), temperature=self._load().config.temperature) if pairs else []

    def logits(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        """Return the logits, shape (len(pairs), 3), in the order of `EntailmentLabel`, before the temperature."""
        loaded = self._load()
        found = np.zeros((len(pairs), len(loaded.order)))
        encoded = [self._encoded(loaded, premise, hypothesis) for premise, hypothesis in pairs]
        for places in batches([len(tokens) for tokens, _ in encoded]):
            precedence.give_way(within_s=BETWEEN_CALLS_S)
            found[places] = loaded.network.run(None, padded([encoded[place] for place in places]))[0]
        return in_order(found, loaded.order)

    def _encoded(self, loaded: _Loaded, premise: str, hypothesis: str) -> tuple[list[int], int]:
        """Return the word pieces of a pair, and the number of those that are the premise's."""
        asked = loaded.tokenizer.encode(hypothesis, add_special_tokens=False).ids
        room = premise_room(len(asked), window=loaded.config.window, special_tokens=SPECIAL_TOKENS)
        given = loaded.tokenizer.encode(premise, add_special_tokens=False).ids[-room:]
        head = [loaded.first, *given, loaded.separator]
        return [*head, *asked, loaded.separator], len(head)

    def _load(self) -> _Loaded:
        with self._loading:
            if self._loaded is None:
                config = OnnxEntailmentConfig.read(self._folder)
                order = label_order(dict(enumerate(config.labels)), model=str(self._folder))
                try:
                    tokenizer, network = network_load(
                        self._folder / NETWORK_FILE, self._folder / TOKENIZER_FILE, threads=2
                    )
                except Exception as error:
                    # What damaged files raise is the libraries' own, and of any kind.
                    raise ModelUnfit(
                        f"The entailment model in {self._folder} cannot be loaded: {str(error).partition(chr(10))[0]} "
                        "Fetch or train it again, or check DSMART_ENTAILMENT."
                    ) from error
                tokenizer.no_truncation()
                tokenizer.no_padding()
                first, separator = tokenizer.token_to_id("[CLS]"), tokenizer.token_to_id("[SEP]")
                if first is None or separator is None:
                    raise ModelUnfit(
                        f"{self._folder / TOKENIZER_FILE} has no [CLS] or no [SEP], which a BERT reads pairs by."
                    )
                self._loaded = _Loaded(tokenizer, network, config, order, first, separator)
            return self._loaded


def padded(encoded: Sequence[tuple[list[int], int]]) -> dict[str, NDArray[np.int64]]:
    """Return the network's inputs for one batch."""
    shape = (len(encoded), max(len(tokens) for tokens, _ in encoded))
    ids, mask, types = (np.zeros(shape, dtype=np.int64) for _ in range(3))
    for row, (tokens, premise_part) in enumerate(encoded):
        ids[row, : len(tokens)] = tokens
        mask[row, : len(tokens)] = 1
        types[row, premise_part : len(tokens)] = 1
    return {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}


def weights_digest(folder: Path) -> str:
    """Return a digest that identifies the weights. Raises `ModelNotFound` where a file of the folder is missing."""
    digest = hashlib.sha256()
    for name in (NETWORK_FILE, TOKENIZER_FILE, CONFIG_FILE):
        try:
            digest.update((folder / name).read_bytes())
        except OSError as error:
            raise ModelNotFound(
                f"There is no entailment model in {folder}: {name} cannot be read. "
                "Train one with `manage.py train entailment`, or point DSMART_ENTAILMENT at a model."
            ) from error
    return digest.hexdigest()[:8]


def export(network: Any, folder: Path, *, base: Path) -> None:
    """Write network, the tokenizer of its base, and config to `folder`, with a temperature of 1."""
    window = int(network.encoder.config.max_position_embeddings)
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(base / TOKENIZER_FILE, folder / TOKENIZER_FILE)
    OnnxEntailmentConfig(tuple(str(label) for label in LABELS), window).write(folder)
    quantise_embeddings(network.encoder)
    export_module(network.eval(), folder / NETWORK_FILE, output="logits", window=window)

"""The change judge: what a new sentence does to an old one, with calibrated probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from memory.adapters.readers.changes import later_text
from memory.adapters.readers.encoder import ReaderFolder, linear, softmax
from memory.core.errors import ModelUnfit
from memory.core.types import Change, ChangeVerdict, Utterance

KIND = "change judge"
CHANGES = tuple(Change)


class OnnxChangeJudge:
    """Implements `ChangeJudge` with the folder that `manage.py train change-judge` writes.

    Raises `ModelNotFound` where there are no weights, `ModelUnfit` where they are of another kind or version.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = ReaderFolder(folder, kind=KIND)
        self.name = self._folder.name
        config = self._folder.load().config
        if "acts_from" not in config:
            raise ModelUnfit(f"The {KIND} in {folder} does not say from which probability it acts. Train it again.")
        self.acts_from = float(config["acts_from"])

    def judge_many(self, pairs: Sequence[tuple[Utterance, Utterance]]) -> list[ChangeVerdict]:
        reader = self._folder.load()
        heads = reader.heads
        pieces = [
            reader.cut(old.text, later_text(new.text, old_said=old.said_at.date(), new_said=new.said_at.date()))
            for old, new in pairs
        ]
        found: dict[int, ChangeVerdict] = {}
        for place, hidden in reader.hidden(pieces):
            pooled = np.tanh(linear(heads, "pooler", hidden[0]))
            shares = softmax(linear(heads, "classifier", pooled) / float(reader.config["temperature"]))
            found[place] = ChangeVerdict(*(round(float(share), 4) for share in shares))
        return [found[place] for place in range(len(pairs))]

"""The triple selector: how probably triples are relevant to a dialogue."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memory.adapters.readers.encoder import OnnxReader, linear, pooled

KIND = "triple selector"
LINE = "\n"


class OnnxTripleSelector(OnnxReader):
    """Implements `TripleSelector` with the folder that `manage.py train triple-selector` writes."""

    kind = KIND

    def relevant_many(self, dialogue: Sequence[str], triples: Sequence[str]) -> NDArray[np.float64]:
        reader = self.load()
        pieces = [reader.cut(LINE.join(dialogue), triple) for triple in triples]
        logits = np.zeros(len(triples))
        for place, hidden in reader.hidden(pieces):
            logits[place] = linear(reader.heads, "classifier", pooled(reader.heads, "pooler", hidden))[0]
        temperature, shift = (float(reader.config[name]) for name in ("temperature", "shift"))
        return np.asarray(1 / (1 + np.exp(-(logits - shift) / temperature)), dtype=np.float64)

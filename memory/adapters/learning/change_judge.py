"""The recipe of the change judge: (old sentence, new sentence, how much later) -> what the new one does to the old.

Labels count by the inverse root of how often they are: rare ones a little more, not so much that the probabilities lose their
meaning. Pairs of one old sentence are held out together, one old sentence in eight, chosen by a digest of its words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from memory.adapters.learning.label_files import is_drawn, labelled
from memory.adapters.learning.recipe import ReaderRecipe, pair_loss, pair_network
from memory.adapters.readers.change_judge import CHANGES, KIND, later_text
from memory.adapters.readers.pieces import Pieces, cut
from memory.core.types import Change

WINDOW = 128
OLD_ROOM = 56
HELD_OUT_ONE_IN = 8
LABEL_SMOOTHING = 0.1


@dataclass(frozen=True)
class LabelledChange:
    """An old sentence, a new one, the days on which they were said, and what people say that the new one does."""

    old: str
    old_said: date
    new: str
    new_said: date
    change: Change

    @property
    def is_held_out(self) -> bool:
        return is_drawn(self.old, one_in=HELD_OUT_ONE_IN)


@dataclass(frozen=True)
class Example:
    pieces: Pieces
    label: int


def read_changes(folder: Path) -> list[LabelledChange]:
    """Return the pairs of a folder's files, in order. Raises `TrainingRefused` that names a bad line."""
    return labelled(folder, _change, what="pair of an old and a new sentence")


def _change(row: dict[str, Any]) -> LabelledChange:
    said = [date.fromisoformat(row[name]) for name in ("old_said", "new_said")]
    if not row["old"].strip() or not row["new"].strip():
        raise ValueError("a sentence is empty")
    if said[1] < said[0]:
        raise ValueError("the new sentence is said before the old one")
    return LabelledChange(row["old"], said[0], row["new"], said[1], Change(row["label"]))


class ChangeRecipe(ReaderRecipe[LabelledChange, Example]):
    kind, window, first_room = KIND, WINDOW, OLD_ROOM

    def __init__(self, labelled: Sequence[LabelledChange], *, base: Path) -> None:
        super().__init__(labelled, base=base)
        self.examples = [Example(pieces_of(pair, self.tokenizer), CHANGES.index(pair.change)) for pair in labelled]
        counts = Counter(pair.change for pair in labelled)
        even = len(labelled) / len(CHANGES)
        self.weights = [(even / max(1, counts[change])) ** 0.5 for change in CHANGES]

    def network(self) -> Any:
        return pair_network(self.base, labels=len(CHANGES))

    def loss(self, network: Any, batch: Sequence[Example]) -> Any:
        pieces, labels = [example.pieces for example in batch], [example.label for example in batch]
        return pair_loss(network, pieces, labels, smoothing=LABEL_SMOOTHING, weights=self.weights)


def pieces_of(pair: LabelledChange, tokenizer: Any) -> Pieces:
    later = later_text(pair.new, old_said=pair.old_said, new_said=pair.new_said)
    return cut(tokenizer, pair.old, later, window=WINDOW, first_room=OLD_ROOM)

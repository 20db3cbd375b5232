"""The recipe of the triple selector: (dialogue, triple) -> a score by which relevant triples come first.

A relevant triple is shown beside some that are not, and the loss is the cross-entropy of choosing it among these. One
dialogue in six is held out, chosen by a digest of its first turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory.adapters.learning.label_files import is_drawn, labelled
from memory.adapters.learning.recipe import OWN, ReaderRecipe, chance_of, fast_products, pair_network, tensors
from memory.adapters.readers.encoder import LINE, TRIPLE_SELECTOR
from memory.adapters.readers.pieces import Pieces, cut

WINDOW = 96
DIALOGUE_ROOM = 60
GROUPS_A_BATCH = 4
OTHERS = 7
HELD_OUT_ONE_IN = 6


@dataclass(frozen=True)
class LabelledSelection:
    """A dialogue, triples in words that help it on, and triples of the same entities that do not."""

    dialogue: tuple[str, ...]
    relevant: tuple[str, ...]
    irrelevant: tuple[str, ...]
    source: str

    @property
    def is_held_out(self) -> bool:
        return is_kept_back(self.dialogue)


def is_kept_back(dialogue: Sequence[str]) -> bool:
    """Return whether a dialogue is never trained on: by a digest of its first turn."""
    return is_drawn(dialogue[0], one_in=HELD_OUT_ONE_IN)


def read_selections(folder: Path) -> list[LabelledSelection]:
    """Return the dialogues of a folder's files, in order. Raises `TrainingRefused` that names a bad line."""
    return labelled(folder, _selection, what="dialogue with its triples")


def _selection(row: dict[str, Any]) -> LabelledSelection:
    if not row["dialogue"] or not row["relevant"] or not row["irrelevant"]:
        raise ValueError("a list is empty")
    texts = [tuple(" ".join(map(str, triple)) for triple in row[name]) for name in ("relevant", "irrelevant")]
    return LabelledSelection(tuple(map(str, row["dialogue"])), texts[0], texts[1], OWN)


class SelectorRecipe(ReaderRecipe[LabelledSelection, list[Pieces]]):
    """An example is a relevant triple of a dialogue, as pieces, before others of it."""

    kind, window, first_room = TRIPLE_SELECTOR, WINDOW, DIALOGUE_ROOM
    batch = GROUPS_A_BATCH * (1 + OTHERS)

    def network(self) -> Any:
        return pair_network(self.base, labels=1)

    def batches(self, epoch: int, *, seed: int) -> list[list[list[Pieces]]]:
        chance = chance_of(epoch, seed=seed)
        chosen = [(one, triple) for one in self.labelled for triple in one.relevant]
        groups = [
            [
                cut(self.tokenizer, LINE.join(one.dialogue), text, window=WINDOW, first_room=DIALOGUE_ROOM)
                for text in (relevant, *chance.sample(one.irrelevant, min(OTHERS, len(one.irrelevant))))
            ]
            for one, relevant in chance.sample(chosen, len(chosen))
        ]
        return [groups[start : start + GROUPS_A_BATCH] for start in range(0, len(groups), GROUPS_A_BATCH)]

    def loss(self, network: Any, batch: Sequence[Sequence[Pieces]]) -> Any:
        import torch

        with fast_products():
            scores = network(**tensors([pieces for group in batch for pieces in group]))
        of_groups = scores[:, 0].float().split([len(group) for group in batch])
        return torch.stack([torch.logsumexp(one, dim=0) - one[0] for one in of_groups]).mean()

"""The recipe of the entailment model: (premise, hypothesis) -> entailment, neutral or contradiction.

One pair in fifty is held out, chosen by a digest of its words, so that it stays held out in a longer file; the temperature is
fitted on those. Sources are weighted by how close they are to conversation. Three augmentations are made at random: a
hypothesis in the first person is put into the second, as an assistant speaks of a user; a few contradictions are swapped,
since they hold both ways; and what is entailed with a number of the premise is shown with another number too, as a
contradiction.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from memory.adapters.entailment.pairs import FOOL_ME_TWICE, LABELS, LabelledPair, premise_room
from memory.adapters.learning.label_files import digest_of, is_drawn
from memory.adapters.learning.recipe import (
    OWN,
    ReaderRecipe,
    batches_of,
    chance_of,
    pair_labels,
    pair_loss,
    pair_network,
)
from memory.adapters.readers.pieces import Pieces, cut
from memory.core.english.grammatical_person import as_the_other_says
from memory.core.types import EntailmentLabel

WINDOW = 128
SPECIAL_TOKENS = 3
HELD_OUT_ONE_IN = 50
LABEL_SMOOTHING = 0.05
SOURCE_WEIGHTS = {OWN: 3.0, "cad-snli": 2.0, "gu-dnli": 2.0, FOOL_ME_TWICE: 2.0, "conjnli": 0.6}
ADDRESSED_SHARE = 0.5
TURNED_SHARE = 0.08
RENUMBERED_SHARE = 0.3
NUMBER = re.compile(r"(?<![\w.,])\d{1,6}(?![\w,]|\.\d)")


@dataclass(frozen=True)
class TrainingRow:
    premise: str
    hypothesis: str
    label: int


class EntailmentRecipe(ReaderRecipe[LabelledPair, TrainingRow]):
    batch = 32

    def identity(self) -> str:
        return digest_of(f"{pair.premise}|{pair.hypothesis}|{pair.label}|{pair.source}\n" for pair in self.labelled)

    def network(self) -> Any:
        return pair_network(self.base, labels=len(LABELS))

    def batches(self, epoch: int, *, seed: int) -> list[list[TrainingRow]]:
        """Return the rows of an epoch, some of them changed, each source as often as it counts."""
        chance = chance_of(epoch, seed=seed)
        rows: list[TrainingRow] = []
        for pair in self.labelled:
            weight = SOURCE_WEIGHTS.get(pair.source, 1.0)
            copies = int(weight) + (chance.random() < weight - int(weight))
            for _ in range(copies):
                rows.append(changed(pair, chance))
                other = renumbered(pair, chance) if chance.random() < RENUMBERED_SHARE else None
                rows += [other] if other is not None else []
        return batches_of(
            rows, size=self.batch, length=lambda row: len(row.premise) + len(row.hypothesis), chance=chance
        )

    def loss(self, network: Any, batch: Sequence[TrainingRow]) -> Any:
        pieces = [pieces_of(self.tokenizer, row.premise, row.hypothesis) for row in batch]
        return pair_loss(network, pieces, [row.label for row in batch], smoothing=LABEL_SMOOTHING)

    def labels(self, network: Any, pairs: Sequence[LabelledPair]) -> list[EntailmentLabel]:
        """Return what a network makes of pairs, in full precision."""
        pieces = [pieces_of(self.tokenizer, pair.premise, pair.hypothesis) for pair in pairs]
        return [LABELS[place] for place in pair_labels(network, pieces)]


def pieces_of(tokenizer: Any, premise: str, hypothesis: str) -> Pieces:
    """Return a pair as it is read: the whole hypothesis, up to half of the window, and the end of the premise."""
    asked = len(tokenizer.encode(hypothesis, add_special_tokens=False).ids)
    room = premise_room(min(asked, WINDOW // 2), window=WINDOW, special_tokens=SPECIAL_TOKENS)
    return cut(tokenizer, premise, hypothesis, window=WINDOW, first_room=room)


def split_held_out(pairs: Sequence[LabelledPair]) -> tuple[list[LabelledPair], list[LabelledPair]]:
    """Return the pairs to train on and those held out."""
    train = [pair for pair in pairs if not is_held_out(pair)]
    return train, [pair for pair in pairs if is_held_out(pair)]


def is_held_out(pair: LabelledPair) -> bool:
    return is_drawn(f"{pair.premise}|{pair.hypothesis}", one_in=HELD_OUT_ONE_IN)


def changed(pair: LabelledPair, chance: random.Random) -> TrainingRow:
    premise, hypothesis = pair.premise, pair.hypothesis
    if is_addressable(pair) and chance.random() < ADDRESSED_SHARE:
        hypothesis = as_the_other_says(hypothesis)
    if pair.label == EntailmentLabel.CONTRADICTION and chance.random() < TURNED_SHARE:
        premise, hypothesis = hypothesis, premise
    return TrainingRow(premise, hypothesis, LABELS.index(pair.label))


def renumbered(pair: LabelledPair, chance: random.Random) -> TrainingRow | None:
    """Return an entailed hypothesis with another number in place of one that the premise has, which contradicts it."""
    known = set(NUMBER.findall(pair.premise))
    shared = [found for found in NUMBER.finditer(pair.hypothesis) if found.group() in known]
    if pair.label != EntailmentLabel.ENTAILMENT or not shared:
        return None
    found = chance.choice(shared)
    number = int(found.group())
    reach = 30 if number > 1_000 else max(3, number)
    others = {str(other) for other in range(max(1, number - reach), number + reach + 1)} - known
    if not others:
        return None
    other = chance.choice(sorted(others))
    hypothesis = pair.hypothesis[: found.start()] + other + pair.hypothesis[found.end() :]
    return TrainingRow(pair.premise, hypothesis, LABELS.index(EntailmentLabel.CONTRADICTION))


def is_addressable(pair: LabelledPair) -> bool:
    """Return whether both sentences are in the first person and neither contains a "you" that the change would confuse."""
    return (
        re.search(r"\b(I|my|I'm)\b", pair.premise) is not None
        and re.search(r"\b(I|my|I'm|My)\b", pair.hypothesis) is not None
        and not re.search(r"\byou", pair.hypothesis + pair.premise, re.IGNORECASE)
    )

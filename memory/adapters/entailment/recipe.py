"""The training data of the built-in entailment model and its order; everything follows from the seed.

One row in fifty is held out, chosen by a digest of its words, so that it stays held out in a longer file; the temperature is
fitted on those. Sources are weighted by how close they are to conversation. Two augmentations are made at random: a
hypothesis in the first person is put into the second, as an assistant speaks of a user, and a few contradictions are swapped,
since they hold both ways.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

from memory.adapters.entailment.pair_files import LabelledPair
from memory.core.types import EntailmentLabel

LABELS = tuple(EntailmentLabel)
HELD_OUT_ONE_IN = 50
SOURCE_WEIGHTS = {"cad-snli": 2.0, "gu-dnli": 2.0, "conjnli": 0.6}
ADDRESSED_SHARE = 0.5
TURNED_SHARE = 0.08
BATCHES_A_CHUNK = 50

FIRST_PERSON = re.compile(r"\b(I'm|I've|I'd|I'll|I|my|me|mine|myself|My|Me|Mine|Myself)\b")
SECOND_PERSON = {
    "i": "you",
    "my": "your",
    "me": "you",
    "mine": "yours",
    "myself": "yourself",
    "i'm": "you're",
    "i've": "you've",
    "i'd": "you'd",
    "i'll": "you'll",
}


@dataclass(frozen=True)
class TrainingRow:
    premise: str
    hypothesis: str
    label: int


Batch = list[TrainingRow]


def split_held_out(pairs: Sequence[LabelledPair]) -> tuple[list[LabelledPair], list[LabelledPair]]:
    """Return the pairs to train on and those held out."""
    train = [pair for pair in pairs if not is_held_out(pair)]
    return train, [pair for pair in pairs if is_held_out(pair)]


def is_held_out(pair: LabelledPair) -> bool:
    digest = hashlib.sha256(f"{pair.premise}|{pair.hypothesis}".encode()).hexdigest()
    return int(digest[:8], 16) % HELD_OUT_ONE_IN == 0


def epoch_batches(pairs: Sequence[LabelledPair], epoch: int, *, batch_size: int, seed: int = 0) -> list[Batch]:
    """Return the batches of one epoch, each of rows of similar length, in the order of training."""
    chance = random.Random(1000 * (seed + 1) + epoch)
    rows: Batch = []
    for pair in pairs:
        weight = SOURCE_WEIGHTS.get(pair.source, 1.0)
        copies = int(weight) + (chance.random() < weight - int(weight))
        rows += [changed(pair, chance) for _ in range(copies)]
    chance.shuffle(rows)
    return bucketed(rows, chance, batch_size=batch_size)


def bucketed(rows: Batch, chance: random.Random, *, batch_size: int) -> list[Batch]:
    """Return the rows in batches; within every fifty batches they are sorted by length and the batches shuffled."""
    batches: list[Batch] = []
    size = batch_size * BATCHES_A_CHUNK
    for start in range(0, len(rows), size):
        chunk = sorted(rows[start : start + size], key=lambda row: len(row.premise) + len(row.hypothesis))
        in_order = [chunk[first : first + batch_size] for first in range(0, len(chunk), batch_size)]
        chance.shuffle(in_order)
        batches += in_order
    return batches


def changed(pair: LabelledPair, chance: random.Random) -> TrainingRow:
    premise, hypothesis = pair.premise, pair.hypothesis
    if is_addressable(pair) and chance.random() < ADDRESSED_SHARE:
        hypothesis = addressed(hypothesis)
    if pair.label == EntailmentLabel.CONTRADICTION and chance.random() < TURNED_SHARE:
        premise, hypothesis = hypothesis, premise
    return TrainingRow(premise, hypothesis, LABELS.index(pair.label))


def is_addressable(pair: LabelledPair) -> bool:
    """Return whether both sentences are in the first person and neither contains a "you" that the change would confuse."""
    return (
        re.search(r"\b(I|my|I'm)\b", pair.premise) is not None
        and re.search(r"\b(I|my|I'm|My)\b", pair.hypothesis) is not None
        and not re.search(r"\byou", pair.hypothesis + pair.premise, re.IGNORECASE)
    )


def addressed(text: str) -> str:
    """Return a text in the first person, put into the second."""
    agreeing = re.sub(r"\bI (am|was)\b", lambda match: "you are" if match[1] == "am" else "you were", text)
    turned = FIRST_PERSON.sub(lambda match: SECOND_PERSON[match[0].lower()], agreeing)
    return turned[:1].upper() + turned[1:]

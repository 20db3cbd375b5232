"""The recipe of the message reader: labelled messages -> spans by predicate, each with its subject and flags.

Every run of up to eight words is scored against every predicate, that is against the sentence embedding of the predicate's
gloss, so that a predicate added later needs no new weights. The subject is the speaker (the first piece) or a run of words,
found by two pointers; the flags are seven independent yes-or-no answers. In each epoch half of the messages have other names
of the same kind. One message in 25 is held out, chosen by a digest of
its words; the thresholds are fitted on those.

The words of labelled messages that only name their source: public words that stay with their publisher.

A label file names such a message as "mtbench101/TASK/ID/TURN", the user's turn (from 0) of a dialogue of MT-Bench-101.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from memory.adapters.learning.label_files import digest_of, is_drawn, label_files, labelled, labelled_rows
from memory.adapters.learning.recipe import (
    IMPOSSIBLE,
    OWN,
    ReaderRecipe,
    chance_of,
    encoder_of,
    fast_products,
    headed_network,
    tensors,
    tokenizer_of,
)
from memory.adapters.readers.message_reader import KIND
from memory.adapters.readers.pieces import Pieces, cut
from memory.core.errors import TrainingRefused
from memory.core.types import FactFlag

MTBENCH101 = "mtbench101"
# Of the reply before, as much as the annotators saw.
REPLY_CHARACTERS = 300


@dataclass(frozen=True)
class SourceWords:
    """What the other one said just before, and the message."""

    before: str
    text: str


def source_words(folder: Path) -> dict[str, SourceWords]:
    """Return the messages of the sets in a folder by their names. Raises `TrainingRefused` where the set is not there."""
    files = sorted((folder / MTBENCH101).glob("*.jsonl"))
    if not files:
        raise TrainingRefused(f"{folder} holds no {MTBENCH101}/*.jsonl. Give --sources the folder of the public sets.")
    return {
        name: words
        for path in files
        for dialogue in labelled_rows(path, _turns, what=f"dialogue of {MTBENCH101}")
        for name, words in dialogue
    }


def _turns(row: dict[str, Any]) -> list[tuple[str, SourceWords]]:
    replies = ["", *(exchange["bot"][:REPLY_CHARACTERS] for exchange in row["history"])]
    return [
        (f"{MTBENCH101}/{row['task']}/{row['id']}/{number}", SourceWords(reply, exchange["user"]))
        for number, (exchange, reply) in enumerate(zip(row["history"], replies, strict=False))
    ]


PREDICATES_FILE = "predicates.json"
WINDOW = 192
BEFORE_ROOM = 48
LONGEST_SPAN = 8
FLAGS = tuple(flag.value for flag in FactFlag)
HELD_OUT_ONE_IN = 25
SPEAKERS = frozenset({"me", "i", "user"})
OTHER = "other"
# A name: up to three words that begin with a capital.
NAME = re.compile(r"[A-Z\u00c0-\u017d][\w'’-]+(?: [A-Z\u00c0-\u017d][\w'’-]+){0,2}")
# How many of the messages have other names in each epoch.
RENAMED_SHARE = 0.5
# Of a wrong span that shares at least half of its words with a right one, a tenth counts: it is nearly right.
NEAR_WEIGHT = 0.1


@dataclass(frozen=True)
class LabelledFact:
    """A fact as an annotator wrote it: words of the message, a predicate of the guide, flags."""

    subject: str
    predicate: str
    object: str
    flags: tuple[str, ...]


@dataclass(frozen=True)
class LabelledMessage:
    """A message, what was said before it, its register, its facts, and whose words it is: the project's own, or a set's."""

    before: str
    text: str
    register: str
    facts: tuple[LabelledFact, ...]
    # Not what is learned from, and so no part of what identifies a training.
    source: str = field(default=OWN, repr=False)

    @property
    def is_held_out(self) -> bool:
        return is_drawn(f"{self.before}|{self.text}", one_in=HELD_OUT_ONE_IN)


@dataclass(frozen=True)
class Target:
    """Where a fact stands: the words of its object (first, last), the predicate's place, the pieces of its subject, flags."""

    first: int
    last: int
    predicate: int
    subject: tuple[int, int]
    flags: tuple[float, ...]


@dataclass(frozen=True)
class Example:
    pieces: Pieces
    targets: tuple[Target, ...]


@dataclass(frozen=True)
class MessageData:
    """The labelled messages of a folder, the gloss of each predicate, and how many messages lack their words."""

    messages: tuple[LabelledMessage, ...]
    glosses: dict[str, str]
    left_out: int


def read_messages(folder: Path, *, sources: Path | None = None, own: Path | None = None) -> MessageData:
    """Return the messages of a folder's files, which have the form of GUIDE.md, in order, then those of the file `own`.

    A message that only names its source has its words from the folder `sources`, and is left out where it is not there.
    Raises `TrainingRefused` that names a bad line.
    """
    label_files(folder)  # What has no examples is refused for that, before its predicates are missed.
    glosses = read_glosses(folder / PREDICATES_FILE)
    words = {} if sources is None else source_words(sources)
    read_one, what = partial(_message, glosses, words), "labelled message"
    read = [*labelled(folder, read_one, what=what), *(labelled_rows(own, read_one, what=what) if own else ())]
    found = tuple(message for message in read if message is not None)
    return MessageData(found, glosses, len(read) - len(found))


def read_glosses(path: Path) -> dict[str, str]:
    """Return the predicates and what the words of each are scored by."""
    try:
        glosses = dict(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError) as error:
        raise TrainingRefused(f"{path} does not describe predicates: {error}.") from error
    if OTHER not in glosses:
        raise TrainingRefused(f"{path} has no {OTHER!r}, which stands for all predicates without a name.")
    return glosses


def _message(
    glosses: Mapping[str, str], words: Mapping[str, SourceWords], row: dict[str, Any]
) -> LabelledMessage | None:
    source = row.get("src", OWN)
    said = SourceWords(row.get("p") or "", row["s"]) if source == OWN or "s" in row else words.get(source)
    facts = tuple(_fact(glosses, *fact) for fact in row["f"])
    if said is None:
        return None
    return LabelledMessage(said.before, said.text, row.get("r") or "", facts, source.partition("/")[0])


def _fact(glosses: Mapping[str, str], subject: str, predicate: str, value: str, flags: str) -> LabelledFact:
    if predicate not in glosses and predicate.partition(":")[0] != OTHER:
        raise ValueError(f"the predicate {predicate!r} is not one of the guide's")
    unknown = set(flags.split()) - set(FLAGS)
    if unknown:
        raise ValueError(f"the flag {min(unknown)!r} is not one of {', '.join(FLAGS)}")
    if not subject.strip() or not value.strip():
        raise ValueError("a fact has no subject or no object")
    return LabelledFact(subject, predicate, value, tuple(flags.split()))


def example_of(message: LabelledMessage, tokenizer: Any, predicates: Sequence[str]) -> Example:
    """Return a message as pieces, with the facts whose words are found in it."""
    pieces = cut(tokenizer, message.before, message.text, window=WINDOW, first_room=BEFORE_ROOM)
    places = {predicate: place for place, predicate in enumerate(predicates)}
    texts = (message.before, message.text)
    targets = []
    for fact in message.facts:
        span = _place(fact.object, texts, pieces)
        if span is None or span[1] - span[0] >= LONGEST_SPAN:
            continue
        subject = (0, 0)
        if fact.subject.lower() not in SPEAKERS:
            subject = pieces_of_words(fact.subject, texts, pieces) or (0, 0)
        predicate = places.get(fact.predicate, places[OTHER])
        targets.append(Target(*span, predicate, subject, tuple(float(flag in fact.flags) for flag in FLAGS)))
    return Example(pieces, tuple(targets))


def pieces_of_words(wanted: str, texts: tuple[str, str], pieces: Pieces) -> tuple[int, int] | None:
    """Return the first and last piece of a run of words, or else of the last of them; None where neither is there."""
    words = _place(wanted, texts, pieces) or _place(wanted.split()[-1], texts, pieces)
    return None if words is None else (pieces.words[words[0]].first, pieces.words[words[1]].last)


def _place(wanted: str, texts: tuple[str, str], pieces: Pieces) -> tuple[int, int] | None:
    """Return the first and last word of a run of words, preferably of the message, and preferably as whole words."""
    wanted = wanted.lower()
    texts = (texts[0].lower(), texts[1].lower())
    partly: tuple[int, int] | None = None
    for which in (1, 0):
        start = texts[which].find(wanted)
        while start >= 0:
            end = start + len(wanted)
            covered = [
                place
                for place, word in enumerate(pieces.words)
                if word.text == which and word.start < end and word.end > start
            ]
            if covered:
                span = (covered[0], covered[-1])
                if pieces.words[span[0]].start == start and pieces.words[span[1]].end == end:
                    return span
                partly = partly or span
            start = texts[which].find(wanted, start + 1)
    return partly


def names_by_predicate(messages: Sequence[LabelledMessage]) -> dict[str, tuple[str, ...]]:
    """Return the names that are values of each predicate: runs of words that all begin with a capital."""
    found: dict[str, set[str]] = defaultdict(set)
    for message in messages:
        for fact in message.facts:
            if NAME.fullmatch(fact.object) and fact.predicate.partition(":")[0] != OTHER:
                found[fact.predicate].add(fact.object)
    return {predicate: tuple(sorted(names)) for predicate, names in found.items()}


def renamed(message: LabelledMessage, names: Mapping[str, tuple[str, ...]], chance: Random) -> LabelledMessage:
    """Return a message with other names of the same kind, so that none is learned to be anybody's, denied or only asked."""
    others = {
        fact.object: chance.choice(names[fact.predicate])
        for fact in message.facts
        if fact.object in names.get(fact.predicate, ())
    }
    if not others:
        return message
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, sorted(others, key=len, reverse=True)))})(?!\w)")

    def put(words: str) -> str:
        return pattern.sub(lambda found: others[found[0]], words)

    facts = tuple(replace(fact, subject=put(fact.subject), object=put(fact.object)) for fact in message.facts)
    return replace(message, before=put(message.before), text=put(message.text), facts=facts)


def gloss_vectors(glosses: Sequence[str], base: Path) -> Any:
    """Return the sentence embedding of each gloss by the encoder as it was before any training, shape (glosses, width)."""
    import torch

    encoder, tokenizer = encoder_of(base).eval(), tokenizer_of(base)
    found = []
    with torch.no_grad():
        for gloss in glosses:
            hidden = encoder(input_ids=torch.tensor([tokenizer.encode(gloss).ids])).last_hidden_state[0]
            found.append(torch.nn.functional.normalize(hidden.mean(0), dim=-1))
    return torch.stack(found)


def message_network(glosses: Sequence[str], base: Path) -> Any:
    """Return a fresh network: the encoder and the heads for spans, subjects and flags."""
    from torch import nn

    vectors = gloss_vectors(glosses, base)
    network = headed_network(
        base,
        {
            "begin": 0,
            "end": 0,
            "length": partial(nn.Embedding, LONGEST_SPAN),
            "label": 0,
            "label_bias": 1,
            "relation": lambda width: nn.Linear(2 * width, width),
            "subject_begin": 0,
            "subject_end": 0,
            "flags": len(FLAGS),
        },
    )
    network.register_buffer("glosses", vectors)
    nn.init.constant_(network.label_bias.bias, -6.0)
    return network


class MessageRecipe(ReaderRecipe[LabelledMessage, Example]):
    kind, window, first_room = KIND, WINDOW, BEFORE_ROOM

    def __init__(self, labelled: Sequence[LabelledMessage], glosses: Mapping[str, str], *, base: Path) -> None:
        super().__init__(labelled, base=base)
        self.glosses = glosses
        self.names = names_by_predicate(labelled)

    def batches(self, epoch: int, *, seed: int) -> list[list[Example]]:
        """Return an epoch's batches, in which half of the messages have other names."""
        chance = chance_of(epoch, seed=seed)
        said = [
            renamed(message, self.names, chance) if chance.random() < RENAMED_SHARE else message
            for message in self.labelled
        ]
        self.examples = [example_of(message, self.tokenizer, tuple(self.glosses)) for message in said]
        return super().batches(epoch, seed=seed)

    def identity(self) -> str:
        return digest_of([json.dumps(self.glosses), *map(repr, self.labelled)])

    def network(self) -> Any:
        return message_network(tuple(self.glosses.values()), self.base)

    def loss(self, network: Any, batch: Sequence[Example]) -> Any:
        import torch

        losses = torch.nn.functional
        inputs = tensors([example.pieces for example in batch])
        with fast_products():
            hidden = network.drop(network(**inputs))
        hidden = hidden.float()
        table, places = span_table(batch)
        rows, first, last, lengths = torch.from_numpy(table)
        spans = losses.silu(
            network.begin(hidden)[rows, first] + network.end(hidden)[rows, last] + network.length(lengths)
        )
        labels, bias = network.label(network.glosses), network.label_bias(network.glosses)
        scores = spans @ labels.T / network.width**0.5 + bias.T
        wanted, weight, chosen = wanted_scores(batch, places, scores.shape)
        span_loss = losses.binary_cross_entropy_with_logits(
            scores, torch.from_numpy(wanted), weight=torch.from_numpy(weight), reduction="sum"
        )
        if not chosen:
            return span_loss / len(batch)
        of_row, of_span, targets = zip(*chosen, strict=True)
        predicates = network.label(network.glosses)[torch.tensor([target.predicate for target in targets])]
        relations = losses.silu(network.relation(torch.cat([spans[list(of_span)], predicates], -1)))
        outside = inputs["attention_mask"][list(of_row)] == 0
        subject_loss = sum(
            losses.cross_entropy(
                (torch.einsum("fd,fld->fl", relations, pointer(hidden)[list(of_row)]) / network.width**0.5).masked_fill(
                    outside, IMPOSSIBLE
                ),
                torch.tensor([target.subject[side] for target in targets]),
                reduction="sum",
            )
            for side, pointer in enumerate((network.subject_begin, network.subject_end))
        )
        flag_loss = losses.binary_cross_entropy_with_logits(
            network.flags(relations), torch.tensor([target.flags for target in targets]), reduction="sum"
        )
        return (span_loss + 0.7 * subject_loss + flag_loss) / len(batch)


def span_table(batch: Sequence[Example]) -> tuple[Any, list[dict[tuple[int, int], int]]]:
    """Return all spans of a batch as an array (row, first piece, last piece, length - 1), and each row by its words."""
    table: list[tuple[int, int, int, int]] = []
    begins: list[dict[tuple[int, int], int]] = []
    for row, example in enumerate(batch):
        places: dict[tuple[int, int], int] = {}
        words = example.pieces.words
        for start, word in enumerate(words):
            for end in range(start, min(start + LONGEST_SPAN, len(words))):
                if words[end].text != word.text:
                    break
                places[start, end] = len(table)
                table.append((row, word.first, words[end].last, end - start))
        begins.append(places)
    return np.array(table).T, begins


def wanted_scores(
    batch: Sequence[Example], begins: Sequence[dict[tuple[int, int], int]], shape: tuple[int, int]
) -> tuple[Any, Any, list[tuple[int, int, Target]]]:
    """Return the wanted scores, the weight of each, and the spans of the facts as (row, span, target)."""
    wanted, weight = np.zeros(shape, dtype=np.float32), np.ones(shape, dtype=np.float32)
    chosen = []
    for row, (example, places) in enumerate(zip(batch, begins, strict=True)):
        for target in example.targets:
            size = target.last - target.first + 1
            for (start, end), span in places.items():
                shared = min(end, target.last) - max(start, target.first) + 1
                if shared > 0 and 2 * shared >= max(size, end - start + 1):
                    weight[span, target.predicate] = NEAR_WEIGHT
        for target in example.targets:
            span = places[target.first, target.last]
            wanted[span, target.predicate], weight[span, target.predicate] = 1, 1
            chosen.append((row, span, target))
    return wanted, weight, chosen

"""The recipe of the message reader: labelled messages -> spans by predicate, each with its subject and flags.

Every run of up to eight words is scored against every predicate, that is against the sentence embedding of the predicate's
gloss, so that a predicate added later needs no new weights. The subject is the speaker (the first piece) or a run of words,
found by two pointers; the flags are seven independent yes-or-no answers. One message in 25 is held out, chosen by a digest of
its words; the thresholds are fitted on those.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from memory.adapters.learning.batching import batches_of, chance_of, fast_products, tensors
from memory.adapters.learning.digests import digest_of, is_drawn
from memory.adapters.learning.label_files import label_files, labelled_rows
from memory.adapters.learning.minilm import encoder_of, tokenizer_of
from memory.adapters.learning.source_words import SourceWords, source_words
from memory.adapters.readers.pieces import Pieces, cut, padded
from memory.core.errors import TrainingRefused
from memory.core.types import FactFlag

PREDICATES_FILE = "predicates.json"
WINDOW = 192
BEFORE_ROOM = 48
LONGEST_SPAN = 8
FLAGS = tuple(flag.value for flag in FactFlag)
HELD_OUT_ONE_IN = 25
BATCH = 16
OWN = "own"
SPEAKERS = frozenset({"me", "i", "user"})
OTHER = "other"
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


def read_messages(folder: Path, *, sources: Path | None = None) -> MessageData:
    """Return the messages of a folder's files, which have the form of GUIDE.md, in order.

    A message that only names its source has its words from the folder `sources`, and is left out where it is not there.
    Raises `TrainingRefused` that names a bad line.
    """
    files = label_files(folder)
    glosses = read_glosses(folder / PREDICATES_FILE)
    words = {} if sources is None else source_words(sources)
    read = [
        message
        for path in files
        for message in labelled_rows(path, partial(_message, glosses, words), what="labelled message")
    ]
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
    import torch
    from torch import nn

    class MessageNetwork(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.encoder = encoder_of(base)
            self.width = width = int(self.encoder.config.hidden_size)
            self.register_buffer("glosses", gloss_vectors(glosses, base))
            self.begin = nn.Linear(width, width)
            self.end = nn.Linear(width, width)
            self.length = nn.Embedding(LONGEST_SPAN, width)
            self.label = nn.Linear(width, width)
            self.label_bias = nn.Linear(width, 1)
            self.relation = nn.Linear(2 * width, width)
            self.subject_begin = nn.Linear(width, width)
            self.subject_end = nn.Linear(width, width)
            self.flags = nn.Linear(width, len(FLAGS))
            self.drop = nn.Dropout(0.1)
            nn.init.constant_(self.label_bias.bias, -6.0)

        def hidden(self, **inputs: Any) -> Any:
            return self.drop(self.encoder(**inputs).last_hidden_state)

        def spans(self, hidden: Any, first: Any, last: Any, rows: Any, lengths: Any) -> Any:
            """Return a vector for each span, from the pieces that its first word begins with and its last ends with."""
            begin, end = self.begin(hidden), self.end(hidden)
            return nn.functional.silu(begin[rows, first] + end[rows, last] + self.length(lengths))

        def scores(self, spans: Any) -> Any:
            """Return the logit of each span and predicate."""
            return spans @ self.label(self.glosses).T / self.width**0.5 + self.label_bias(self.glosses).T

        def relations(self, spans: Any, predicates: Any) -> Any:
            """Return a vector for each pair of a span and its predicate, which subject and flags are read from."""
            labels = self.label(self.glosses)[predicates]
            return nn.functional.silu(self.relation(torch.cat([spans, labels], -1)))

    return MessageNetwork()


class MessageRecipe:
    """Implements `Recipe` for the message reader."""

    def __init__(self, messages: Sequence[LabelledMessage], glosses: dict[str, str], *, base: Path) -> None:
        self.glosses = glosses
        self._messages = messages
        self._base = base
        tokenizer = tokenizer_of(base)
        self.examples = [example_of(message, tokenizer, tuple(glosses)) for message in messages]

    def identity(self) -> str:
        return digest_of([json.dumps(self.glosses), *map(repr, self._messages)])

    def network(self) -> Any:
        return message_network(tuple(self.glosses.values()), self._base)

    def batches(self, epoch: int, *, seed: int) -> list[list[Example]]:
        chance = chance_of(epoch, seed=seed)
        return batches_of(self.examples, size=BATCH, length=lambda example: len(example.pieces.ids), chance=chance)

    def loss(self, network: Any, batch: Sequence[Example]) -> Any:
        import torch

        losses = torch.nn.functional
        with fast_products():
            hidden = network.hidden(**tensors([example.pieces for example in batch]))
        hidden = hidden.float()
        rows, first, last, lengths, begins = span_table(batch)
        spans = network.spans(hidden, *(torch.from_numpy(part) for part in (first, last, rows, lengths)))
        scores = network.scores(spans)
        wanted, weight, chosen = wanted_scores(batch, begins, scores.shape)
        span_loss = losses.binary_cross_entropy_with_logits(
            scores, torch.from_numpy(wanted), weight=torch.from_numpy(weight), reduction="sum"
        )
        if not chosen:
            return span_loss / len(batch)
        targets = [target for _, _, target in chosen]
        relations = network.relations(
            spans[[span for _, span, _ in chosen]], torch.tensor([target.predicate for target in targets])
        )
        of_row = torch.tensor([row for row, _, _ in chosen])
        mask = torch.from_numpy(padded([example.pieces for example in batch])["attention_mask"])[of_row] == 0
        subject_loss = sum(
            losses.cross_entropy(
                (torch.einsum("fd,fld->fl", relations, keys(hidden)[of_row]) / network.width**0.5).masked_fill(
                    mask, -1e4
                ),
                torch.tensor([target.subject[side] for target in targets]),
                reduction="sum",
            )
            for side, keys in enumerate((network.subject_begin, network.subject_end))
        )
        flag_loss = losses.binary_cross_entropy_with_logits(
            network.flags(relations), torch.tensor([target.flags for target in targets]), reduction="sum"
        )
        return (span_loss + 0.3 * subject_loss + flag_loss) / len(batch)


def span_table(batch: Sequence[Example]) -> tuple[Any, Any, Any, Any, list[dict[tuple[int, int], int]]]:
    """Return all spans of a batch as arrays (row, first piece, last piece, length - 1), and each row by its words."""
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
    rows, first, last, lengths = np.array(table).T
    return rows, first, last, lengths, begins


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

"""The recipe of the message reader: labelled messages -> spans by predicate, each with its subject and flags.

Every run of up to eight words is scored against every predicate, that is against the sentence embedding of the predicate's
gloss, so that a predicate added later needs no new weights. The subject is the speaker (the first piece) or a run of words,
found by two pointers; the flags are seven independent yes-or-no answers. One message in 25 is held out, chosen by a digest of
its words; the thresholds are fitted on those.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from memory.adapters.learning.minilm import WIDTH, minilm_encoder, minilm_tokenizer
from memory.adapters.readers.pieces import Pieces, cut, padded
from memory.core.errors import TrainingRefused

WINDOW = 192
BEFORE_ROOM = 48
LONGEST_SPAN = 8
FLAGS = ("neg", "past", "fut", "hyp", "ask", "rep", "fix")
HELD_OUT_ONE_IN = 25
BATCH = 16
BATCHES_A_CHUNK = 40
SPEAKER = frozenset({"me", "i", "user"})
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
    """A message, what was said before it, its register, and its facts."""

    before: str
    text: str
    register: str
    facts: tuple[LabelledFact, ...]

    @property
    def is_held_out(self) -> bool:
        digest = hashlib.sha256(f"{self.before}|{self.text}".encode()).hexdigest()
        return int(digest[:8], 16) % HELD_OUT_ONE_IN == 0


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


def read_labelled(path: Path) -> Iterator[LabelledMessage]:
    """Return the messages of a file in the form of GUIDE.md. Raises `TrainingRefused` that names a bad line."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            facts = tuple(LabelledFact(s, p, o, tuple(flags.split())) for s, p, o, flags in row["f"])
            yield LabelledMessage(row.get("p") or "", row["s"], row.get("r") or "", facts)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise TrainingRefused(f"{path}, line {number} is no labelled message: {error}.") from error


def read_glosses(path: Path) -> dict[str, str]:
    """Return the predicates and what the words of each are scored by."""
    return dict(json.loads(path.read_text(encoding="utf-8")))


def example_of(message: LabelledMessage, tokenizer: Any, predicates: Sequence[str]) -> Example:
    """Return a message as pieces, with the facts whose words are found in it."""
    pieces = cut(tokenizer, message.before, message.text, window=WINDOW, first_room=BEFORE_ROOM)
    places = {predicate: place for place, predicate in enumerate(predicates)}
    texts = (message.before.lower(), message.text.lower())
    targets = []
    for fact in message.facts:
        span = _place(fact.object, texts, pieces)
        if span is None or span[1] - span[0] >= LONGEST_SPAN:
            continue
        subject = (0, 0)
        if fact.subject.lower() not in SPEAKER:
            words = _place(fact.subject, texts, pieces) or _place(fact.subject.split()[-1], texts, pieces)
            if words is not None:
                subject = (pieces.words[words[0]].first, pieces.words[words[1]].last)
        predicate = places.get(fact.predicate, places[OTHER])
        targets.append(Target(*span, predicate, subject, tuple(float(flag in fact.flags) for flag in FLAGS)))
    return Example(pieces, tuple(targets))


def _place(wanted: str, texts: tuple[str, str], pieces: Pieces) -> tuple[int, int] | None:
    """Return the first and last word of a run of words, preferably of the message, and preferably as whole words."""
    wanted = wanted.lower()
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


def gloss_vectors(glosses: Sequence[str]) -> Any:
    """Return the sentence embedding of each gloss by the encoder as it was before any training, shape (glosses, 384)."""
    import torch

    encoder, tokenizer = minilm_encoder().eval(), minilm_tokenizer()
    found = []
    with torch.no_grad():
        for gloss in glosses:
            hidden = encoder(input_ids=torch.tensor([tokenizer.encode(gloss).ids])).last_hidden_state[0]
            found.append(torch.nn.functional.normalize(hidden.mean(0), dim=-1))
    return torch.stack(found)


def message_network(glosses: Sequence[str]) -> Any:
    """Return a fresh network: the encoder and the heads for spans, subjects and flags."""
    import torch
    from torch import nn

    class MessageNetwork(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.encoder = minilm_encoder()
            self.register_buffer("glosses", gloss_vectors(glosses))
            self.begin = nn.Linear(WIDTH, WIDTH)
            self.end = nn.Linear(WIDTH, WIDTH)
            self.length = nn.Embedding(LONGEST_SPAN, WIDTH)
            self.label = nn.Linear(WIDTH, WIDTH)
            self.label_bias = nn.Linear(WIDTH, 1)
            self.relation = nn.Linear(2 * WIDTH, WIDTH)
            self.subject_begin = nn.Linear(WIDTH, WIDTH)
            self.subject_end = nn.Linear(WIDTH, WIDTH)
            self.flags = nn.Linear(WIDTH, len(FLAGS))
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
            return spans @ self.label(self.glosses).T / WIDTH**0.5 + self.label_bias(self.glosses).T

        def relations(self, spans: Any, predicates: Any) -> Any:
            """Return a vector for each pair of a span and its predicate, which subject and flags are read from."""
            labels = self.label(self.glosses)[predicates]
            return nn.functional.silu(self.relation(torch.cat([spans, labels], -1)))

    return MessageNetwork()


class MessageRecipe:
    """Implements `Recipe` for the message reader."""

    def __init__(self, messages: Sequence[LabelledMessage], glosses: dict[str, str]) -> None:
        self.glosses = glosses
        self._messages = messages
        tokenizer = minilm_tokenizer()
        self.examples = [example_of(message, tokenizer, tuple(glosses)) for message in messages]

    def identity(self) -> str:
        digest = hashlib.sha256(json.dumps(self.glosses).encode())
        for message in self._messages:
            digest.update(repr(message).encode())
        return digest.hexdigest()

    def network(self) -> Any:
        return message_network(tuple(self.glosses.values()))

    def batches(self, epoch: int, *, seed: int) -> list[list[Example]]:
        """Return the examples in batches of similar length; the batches of every forty are shuffled."""
        chance = random.Random(1000 * (seed + 1) + epoch)
        examples = list(self.examples)
        chance.shuffle(examples)
        batches = []
        size = BATCH * BATCHES_A_CHUNK
        for start in range(0, len(examples), size):
            chunk = sorted(examples[start : start + size], key=lambda example: len(example.pieces.ids))
            in_order = [chunk[first : first + BATCH] for first in range(0, len(chunk), BATCH)]
            chance.shuffle(in_order)
            batches += in_order
        return batches

    def loss(self, network: Any, batch: Sequence[Example]) -> Any:
        import torch

        losses = torch.nn.functional
        with torch.autocast("cpu", torch.bfloat16):
            hidden = network.hidden(**tensors(batch))
        hidden = hidden.float()
        rows, first, last, lengths, begins = span_table(batch)
        spans = network.spans(hidden, *(torch.from_numpy(part) for part in (first, last, rows, lengths)))
        scores = network.scores(spans)
        wanted, weight, chosen = _wanted(batch, begins, scores.shape)
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
                (torch.einsum("fd,fld->fl", relations, keys(hidden)[of_row]) / WIDTH**0.5).masked_fill(mask, -1e4),
                torch.tensor([target.subject[side] for target in targets]),
                reduction="sum",
            )
            for side, keys in enumerate((network.subject_begin, network.subject_end))
        )
        flag_loss = losses.binary_cross_entropy_with_logits(
            network.flags(relations), torch.tensor([target.flags for target in targets]), reduction="sum"
        )
        return (span_loss + 0.3 * subject_loss + flag_loss) / len(batch)


def tensors(batch: Sequence[Example]) -> dict[str, Any]:
    import torch

    return {name: torch.from_numpy(part) for name, part in padded([example.pieces for example in batch]).items()}


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


def _wanted(
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

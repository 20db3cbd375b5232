"""The recipe of the evidence reader: histories of tasks -> tags of the words of a turn, and bearings between pieces.

A training alternates between batches of turns, whose words are tagged, of pairs of pieces, and of pieces beside later turns.
Every epoch shows each turn four times, all pairs that bear on one another, all pieces that fall and, drawn anew, so many
times as many that do not. The change judge's pairs of an old and a new sentence are mixed in. One history in twelve is held
out, chosen by a digest of its id.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from memory.adapters.learning.change_judge import read_changes
from memory.adapters.learning.label_files import digest_of, is_drawn, labelled
from memory.adapters.learning.recipe import (
    IGNORED,
    ReaderRecipe,
    batches_of,
    chance_of,
    example_length,
    fast_products,
    headed_network,
    padded_labels,
    tensors,
)
from memory.adapters.readers.evidence_reader import (
    BEARINGS,
    FATES,
    KIND,
    OUTSIDE,
    TAGS,
    begins,
    fate_texts,
    goes_on,
    pair_texts,
)
from memory.adapters.readers.pieces import Pieces, cut
from memory.core.semantic_state.ports import Bearing, EvidencePair, Fate, FatePair, Marked, MarkedWords
from memory.core.types import Change, MessageInContext, Span

WINDOW = 160
BEFORE_ROOM = 48
HELD_OUT_ONE_IN = 12
# Of pairs there are many more than of turns, whose tags need as many steps.
OTHERS_TIMES, TURNS_TIMES = 2, 4
BEARING_HEAD, FATE_HEAD = "bearings", "fates"
LABEL_SMOOTHING = 0.05
_ASKED = re.compile(r"[^.!?\n]+\?")
# What brings an element, and may be borne on.
ELEMENTS = frozenset({Marked.ASSERT, Marked.REQUIRE, Marked.FORBID, Marked.PREFER, Marked.GUESS, Marked.MISSING})
REQUIRING = frozenset({Marked.REQUIRE, Marked.FORBID, Marked.PREFER})
BEARING = ELEMENTS | {Marked.RETRACT, Marked.SWITCH}
OF_CHANGES = {
    Change.REPLACES: Fate.REPLACED,
    Change.CORRECTS: Fate.REPLACED,
    Change.ENDS: Fate.ENDED,
    Change.CONFIRMS: Fate.STANDS,
    Change.COEXISTS: Fate.STANDS,
    Change.UNRELATED: Fate.STANDS,
}
# What becomes of a piece that a new one bears on.
FALLING = {Bearing.REPLACES: Fate.REPLACED, Bearing.ENDS: Fate.ENDED, Bearing.ANSWERS: Fate.ANSWERED}


@dataclass(frozen=True)
class LabelledEvidence:
    """A piece of a user's turn; `bears` are the ids of what it bears on, and how. `question` asks for what is missing."""

    id: str
    words: MarkedWords
    question: str
    bears: tuple[tuple[str, Bearing], ...]

    @property
    def asked_or_said(self) -> str:
        return self.question or self.words.text


@dataclass(frozen=True)
class LabelledTurn:
    message: MessageInContext
    evidence: tuple[LabelledEvidence, ...]


@dataclass(frozen=True)
class LabelledHistory:
    """A task in pieces: its user's turns with what each brings."""

    id: str
    turns: tuple[LabelledTurn, ...]

    @property
    def is_held_out(self) -> bool:
        return is_drawn(self.id, one_in=HELD_OUT_ONE_IN)


@dataclass(frozen=True)
class LabelledPair:
    pair: EvidencePair
    bearing: Bearing


@dataclass(frozen=True)
class LabelledFate:
    pair: FatePair
    fate: Fate


@dataclass(frozen=True)
class TurnExample:
    pieces: Pieces
    tags: tuple[int, ...]


@dataclass(frozen=True)
class PairExample:
    """A pair as pieces, the head that judges it, and the place of its label; 0 is that nothing happens."""

    pieces: Pieces
    head: str
    label: int


def read_histories(folder: Path) -> list[LabelledHistory]:
    """Return the histories of a folder's files, in order. Raises `TrainingRefused` that names a bad line."""
    return labelled(folder, _history, what="history with its evidence")


def _history(row: dict[str, Any]) -> LabelledHistory:
    turns, before = [], ""
    for turn in row["turns"]:
        if turn["role"] == "user":
            evidence = tuple(
                _evidence(one, turn["text"]) for one in turn["evidence"] if one["kind"] not in ("ask", "chat")
            )
            turns.append(LabelledTurn(MessageInContext(turn["text"], before), evidence))
        before = turn["text"]
    return LabelledHistory(row["id"], tuple(turns))


def _evidence(row: dict[str, Any], text: str) -> LabelledEvidence:
    start = text.find(row["words"])
    if start < 0:
        raise ValueError(f"{row['words']!r} is not in the turn")
    words = MarkedWords(row["words"], Span(start, start + len(row["words"])), Marked(row["kind"]), 1.0)
    bears = [(other, bearing) for bearing in BEARINGS[1:] for other in row.get(bearing.value, ())]
    return LabelledEvidence(row["id"], words, row.get("question", ""), tuple(bears))


def echoed(history: LabelledHistory) -> LabelledHistory:
    """Return a history in which the assistant answers as the built-in engine does: what it noted, and what it asks."""
    turns = list(history.turns[:1])
    for last, turn in pairwise(history.turns):
        told = [one.words.text for one in last.evidence if one.words.kind in (Marked.ASSERT, Marked.GUESS)]
        kept = [one.words.text for one in last.evidence if one.words.kind in REQUIRING]
        said = [f"Noted: {'; '.join(told)}."] if told else []
        said += [f"I keep to this: {'; '.join(kept)}."] if kept else []
        asked = _ASKED.findall(turn.message.before)
        before = " ".join([*said, *(one.strip() for one in asked or ["Nothing is open."])])
        turns.append(replace(turn, message=replace(turn.message, before=before)))
    return replace(history, turns=tuple(turns))


def pairs_of(history: LabelledHistory) -> Iterator[LabelledPair]:
    """Yield each new piece beside each that still stood before it, and beside the others of its own turn."""
    for turn, standing in standing_before(history):
        for new in turn.evidence:
            if new.words.kind not in BEARING or not new.words.text:
                continue
            bears = dict(new.bears)
            beside = [other for other in turn.evidence if other is not new and other.words.kind in ELEMENTS]
            for other in [*standing.values(), *beside]:
                pair = EvidencePair(other.asked_or_said, other.words.kind, turn.message, new.words)
                yield LabelledPair(pair, bears.get(other.id, Bearing.NONE))


def fates_of(history: LabelledHistory) -> Iterator[LabelledFate]:
    """Yield each piece beside each turn before which it stood, with what became of it there."""
    for turn, standing in standing_before(history):
        fates = fates_by(turn, standing)
        for name, one in standing.items():
            pair = FatePair(one.asked_or_said, one.words.kind, turn.message)
            yield LabelledFate(pair, fates.get(name, Fate.STANDS))


def standing_before(history: LabelledHistory) -> Iterator[tuple[LabelledTurn, dict[str, LabelledEvidence]]]:
    """Yield each turn with the pieces that stood before it."""
    standing: dict[str, LabelledEvidence] = {}
    for turn in history.turns:
        yield turn, standing
        fates = fates_by(turn, standing)
        standing = {name: one for name, one in standing.items() if name not in fates}
        standing |= {new.id: new for new in turn.evidence if new.words.kind in ELEMENTS}


def fates_by(turn: LabelledTurn, standing: Mapping[str, LabelledEvidence]) -> dict[str, Fate]:
    """Return what becomes of the pieces that a turn fells: what rests on one of them, ends with it."""
    fates = {
        other: FALLING[bearing]
        for new in turn.evidence
        for other, bearing in new.bears
        if bearing in FALLING and other in standing
    }
    falling = set(fates)
    while falling:
        falling = {
            name
            for name, one in standing.items()
            if name not in fates and any(bearing is Bearing.RESTS_ON and other in fates for other, bearing in one.bears)
        }
        fates |= dict.fromkeys(falling, Fate.ENDED)
    return fates


def fates_of_changes(folder: Path) -> Iterator[LabelledFate]:
    """Yield the pairs of the change judge's examples as something asserted and a later message."""
    for change in read_changes(folder):
        pair = FatePair(change.old, Marked.ASSERT, MessageInContext(change.new))
        yield LabelledFate(pair, OF_CHANGES[change.change])


def turn_example(turn: LabelledTurn, tokenizer: Any) -> TurnExample:
    """Return a turn as pieces with the tag of each word's first piece; other pieces are ignored."""
    pieces = cut(tokenizer, turn.message.before, turn.message.text, window=WINDOW, first_room=BEFORE_ROOM)
    tags = [IGNORED] * len(pieces.ids)
    for word in pieces.words:
        if word.text == 1:
            tags[word.first] = OUTSIDE
    for one in turn.evidence:
        span = one.words.span
        inside = [word for word in pieces.words if word.text == 1 and word.start < span.end and word.end > span.start]
        for place, word in enumerate(inside):
            tags[word.first] = goes_on(one.words.kind) if place else begins(one.words.kind)
    return TurnExample(pieces, tuple(tags))


class EvidenceRecipe(ReaderRecipe[LabelledHistory, TurnExample | PairExample]):
    """A tag for each piece, and a bearing or a fate for each pair."""

    kind, window, first_room = KIND, WINDOW, BEFORE_ROOM

    def __init__(self, labelled: Sequence[LabelledHistory], changes: Sequence[LabelledFate], *, base: Path) -> None:
        super().__init__(labelled, base=base)
        self._changes = changes
        fates = [*(fate for history in labelled for fate in fates_of(history)), *changes]
        self.turns = [turn_example(turn, self.tokenizer) for history in labelled for turn in history.turns]
        self.pairs = [
            PairExample(cut_pair(self.tokenizer, pair_texts(one.pair)), BEARING_HEAD, BEARINGS.index(one.bearing))
            for history in labelled
            for one in pairs_of(history)
        ]
        self.fates = [
            PairExample(cut_pair(self.tokenizer, fate_texts(one.pair)), FATE_HEAD, FATES.index(one.fate))
            for one in fates
        ]
        self.weights = {
            head: label_weights([one.label for one in examples], len(labels))
            for head, examples, labels in ((BEARING_HEAD, self.pairs, BEARINGS), (FATE_HEAD, self.fates, FATES))
        }

    def identity(self) -> str:
        return digest_of([*map(repr, self.labelled), *map(repr, self._changes)])

    def network(self) -> Any:
        heads = {"tags": TAGS, "pooler": 0, BEARING_HEAD: len(BEARINGS), FATE_HEAD: len(FATES)}
        return headed_network(self.base, heads)

    def batches(self, epoch: int, *, seed: int) -> list[list[TurnExample | PairExample]]:
        chance = chance_of(epoch, seed=seed)
        batches: list[list[TurnExample | PairExample]] = []
        shown: list[Sequence[TurnExample | PairExample]] = [
            self.turns * TURNS_TIMES,
            some_of(self.pairs, chance),
            some_of(self.fates, chance),
        ]
        for examples in shown:
            batches += batches_of(examples, size=self.batch, length=example_length, chance=chance)
        chance.shuffle(batches)
        return batches

    def loss(self, network: Any, batch: Sequence[Any]) -> Any:
        import torch

        losses = torch.nn.functional
        inputs = tensors([example.pieces for example in batch])
        with fast_products():
            hidden = network(**inputs)
            if isinstance(batch[0], TurnExample):
                logits = network.tags(network.drop(hidden))
            else:
                pooled = network.drop(torch.tanh(network.pooler(hidden[:, 0])))
                logits = getattr(network, batch[0].head)(pooled)
        logits = logits.float()
        if isinstance(batch[0], TurnExample):
            tags = padded_labels([example.tags for example in batch], logits.shape[:2])
            return losses.cross_entropy(logits.flatten(0, 1), tags.flatten(), ignore_index=IGNORED)
        weights = self.weights[batch[0].head]
        labels, weight = torch.tensor([example.label for example in batch]), torch.tensor(weights)
        return losses.cross_entropy(logits, labels, weight=weight, label_smoothing=LABEL_SMOOTHING)


def cut_pair(tokenizer: Any, texts: tuple[str, str]) -> Pieces:
    return cut(tokenizer, *texts, window=WINDOW, first_room=BEFORE_ROOM)


def label_weights(labels: Sequence[int], count: int) -> list[float]:
    """Return how much each label counts: what happens rarely a little more, nothing (0) as it is."""
    counts = Counter(label for label in labels if label)
    even = sum(counts.values()) / max(1, len(counts))
    return [1.0, *((even / max(1, counts[label])) ** 0.5 for label in range(1, count))]


def some_of(pairs: Sequence[PairExample], chance: random.Random) -> list[PairExample]:
    """Return all pairs to which something happens, and so many times as many of the others."""
    happening = [pair for pair in pairs if pair.label]
    others = [pair for pair in pairs if not pair.label]
    return [*happening, *chance.sample(others, min(len(others), OTHERS_TIMES * len(happening)))]

"""The recipe of the question reader: a question -> predicate, path to its subject, value, wanted kind, time, form, and kind.

A predicate is found by the likeness of the question, as the mean of its vectors, to the words of the predicate: the encoder
was made for that, and a predicate added later needs no new weights; so is a relation, by the words that its head looks at.
The subject is the speaker (the first piece) or a run of words, found by two pointers, and up to three relations from there;
so is the value that the question gives on the other side.
Of a question that asks several things the first is learned.
One question in ten is held out, chosen by a digest of its words; the temperatures are fitted on those. Frames, filled in with
names and with values of labelled messages, are learned from alone.
"""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory.adapters.learning.frames import SPEAKER, Frame, read_frames, read_told
from memory.adapters.learning.label_files import digest_of, is_drawn, labelled
from memory.adapters.learning.message_reader import (
    OTHER,
    PREDICATES_FILE,
    gloss_vectors,
    pieces_of_words,
    read_glosses,
)
from memory.adapters.learning.recipe import IGNORED, IMPOSSIBLE, ReaderRecipe, fast_products, headed_network, tensors
from memory.adapters.readers.pieces import Pieces, cut
from memory.adapters.readers.question_reader import CHOICES, COOLED, HOP, KIND, POINTED, RELATIONS, look_of
from memory.core.types import AskedKind, AskedTime

WINDOW = 96
BEFORE_ROOM = 2
HELD_OUT_ONE_IN = 10
LABEL_SMOOTHING = 0.05
NO_RELATION = "nobody else, no relation"
# The logarithm of what a cosine is multiplied by before any training.
FIRST_SCALE = 3.0
# What the product can is talk with the assistant, as far as a memory is concerned.
OTHER_ACTS = {"product": AskedKind.CHAT}
POINTERS = tuple(f"{name}_{side}" for name in POINTED for side in ("begin", "end"))
HOPS = tuple(chain.from_iterable(RELATIONS.values()))
# How much each judgement counts beside the predicate and the kind.
WEIGHTS = (
    {"time": 0.7, "want": 0.7, "form": 0.5}
    | dict.fromkeys(POINTERS, 0.5)
    | {name: weight for names in RELATIONS.values() for name, weight in zip(names, (0.7, 0.4, 0.4), strict=True)}
)


@dataclass(frozen=True)
class LabelledQuestion:
    """A question as an annotator read it: its kind and, of one to a memory, what it asks first.

    `start` is the speaker or words of the question, from which `relations` lead to whom it is about; `value`, empty where it
    gives none, and `value_relations` lead to the other side.
    """

    text: str
    kind: AskedKind
    start: str = SPEAKER
    relations: tuple[str, ...] = ()
    predicate: str = ""
    want: str = ""
    time: str = ""
    form: str = ""
    value: str = ""
    value_relations: tuple[str, ...] = ()
    is_framed: bool = False

    @property
    def is_held_out(self) -> bool:
        return not self.is_framed and is_drawn(self.text, one_in=HELD_OUT_ONE_IN)


@dataclass(frozen=True)
class Example:
    """A question as pieces, with the place of what is right for each judgement of it."""

    pieces: Pieces
    wanted: Mapping[str, int]


@dataclass(frozen=True)
class QuestionData:
    questions: tuple[LabelledQuestion, ...]
    glosses: dict[str, str]


def read_asked(folder: Path) -> QuestionData:
    """Return the questions of a folder's files, and the words of the predicates. Raises `TrainingRefused` for a bad line."""
    glosses = read_glosses(folder / PREDICATES_FILE)
    return QuestionData(tuple(labelled(folder, partial(_question, glosses), what="labelled question")), glosses)


def read_framed(frames: Path, messages: Path, *, chance: random.Random) -> list[LabelledQuestion]:
    """Return each frame of a folder twice as a question, filled in from what messages tell of others."""
    facts = [fact for message in read_told(messages) for fact in message.facts]
    names = sorted({fact[0] for fact in facts if fact[0][:1].isupper() and " " not in fact[0]})
    values = defaultdict(list)
    for _, predicate, value, _ in facts:
        values[predicate].append(value)
    return [
        _framed(frame, chance.choice(names), chance.choice(values[frame.predicate] or names))
        for frame in read_frames(frames)
        for _ in range(2)
    ]


def _framed(frame: Frame, name: str, value: str) -> LabelledQuestion:
    start = SPEAKER if frame.is_of_speaker else name
    form = "yes-no" if frame.is_yes_no else ""
    return LabelledQuestion(
        frame.asked(name, value),
        AskedKind.MEMORY,
        start,
        predicate=frame.predicate,
        want=frame.want,
        time=AskedTime(frame.time),
        form=form,
        value=value if frame.is_yes_no and value in frame.asked(name, value) else "",
        is_framed=True,
    )


def _question(glosses: Mapping[str, str], row: dict[str, Any]) -> LabelledQuestion:
    text, kind = row["q"], AskedKind(OTHER_ACTS.get(row.get("act", AskedKind.MEMORY), row.get("act", AskedKind.MEMORY)))
    if bool(row["parts"]) != (kind is AskedKind.MEMORY):
        raise ValueError("a question to a memory has parts, and no other has")
    if not row["parts"]:
        return LabelledQuestion(text, kind)
    part = row["parts"][0]
    start, *relations = part["subject"]
    given, *led = [part.get("value", "")] if isinstance(part.get("value", ""), str) else part["value"]
    time = part["time"] if part["time"] in CHOICES["time"] else AskedTime.DATED
    found = LabelledQuestion(
        text,
        kind,
        start,
        tuple(relations),
        part["predicate"],
        part["want"],
        AskedTime(time),
        part["form"],
        given,
        tuple(led),
    )
    named = (found.predicate, *relations, *led)
    unknown = [name for name in named if name not in glosses and not name.startswith(f"{OTHER}:")]
    unknown += [part[name] for name in ("want", "form") if part[name] not in CHOICES[name]]
    unknown += [words for words in (start, found.value) if words != SPEAKER and words.casefold() not in text.casefold()]
    if unknown:
        raise ValueError(f"{unknown[0]!r} is none of the words that may stand there")
    return found


def example_of(question: LabelledQuestion, tokenizer: Any, predicates: Sequence[str]) -> Example:
    pieces = cut(tokenizer, "", question.text, window=WINDOW, first_room=BEFORE_ROOM)
    if question.kind is not AskedKind.MEMORY:
        return Example(pieces, {"kind": CHOICES["kind"].index(question.kind)})
    places = {predicate: place for place, predicate in enumerate(predicates)}
    nobody = [len(predicates)] * max(map(len, RELATIONS.values()))
    judged_of = [name for name in CHOICES if getattr(question, name)]
    wanted = {name: CHOICES[name].index(getattr(question, name)) for name in judged_of}
    wanted["predicate"] = places.get(question.predicate, places[OTHER])
    for name, path in zip(POINTED, (question.relations, question.value_relations), strict=True):
        wanted |= dict(zip(RELATIONS[name], [*(places.get(one, places[OTHER]) for one in path), *nobody], strict=False))
    pointed = [
        (0, 0) if words in {SPEAKER, ""} else pieces_of_words(words, ("", question.text), pieces) or (IGNORED, IGNORED)
        for words in (question.start, question.value)
    ]
    return Example(pieces, wanted | dict(zip(POINTERS, chain.from_iterable(pointed), strict=True)))


def question_network(glosses: Sequence[str], base: Path) -> Any:
    """Return a fresh network: the encoder, a head for each judgement, and what compares a question with the glosses."""
    import torch

    heads = {"ask": 0, "label": 0, "label_bias": 1, "pool": 0} | dict.fromkeys((*POINTERS, HOP), 0)
    heads |= dict.fromkeys(map(look_of, HOPS), 1)
    network = headed_network(base, heads | {name: len(kinds) for name, kinds in CHOICES.items()})
    network.register_buffer("glosses", gloss_vectors([*glosses, NO_RELATION], base))
    network.scale = torch.nn.Parameter(torch.tensor(FIRST_SCALE))
    for same in (network.ask, network.hop, network.label):
        # Before any training, words are as like to a gloss as the encoder finds them.
        torch.nn.init.eye_(same.weight)
        torch.nn.init.zeros_(same.bias)
    return network


def logits_of(network: Any, examples: Sequence[Example]) -> dict[str, Any]:
    """Return the logits of each judgement."""
    import torch

    inputs = tensors([example.pieces for example in examples])
    with fast_products():
        hidden = network(**inputs)
    hidden, mask = network.drop(hidden.float()), inputs["attention_mask"].float()
    pooled = torch.tanh(network.pool(hidden[:, 0]))
    mean = (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
    unit = partial(torch.nn.functional.normalize, dim=-1)
    labels = network.label(network.glosses)
    cosines = unit(network.ask(mean)) @ unit(labels[:-1]).T
    found = {"predicate": cosines * network.scale.exp() + network.label_bias(network.glosses)[:-1, 0]}
    for name in HOPS:
        looks = getattr(network, look_of(name))(hidden)[..., 0].masked_fill(mask == 0, IMPOSSIBLE).softmax(-1)
        looked = torch.einsum("ql,qld->qd", looks, hidden)
        found[name] = network.hop(looked) @ labels.T / network.width**0.5
    found |= {name: getattr(network, name)(pooled) for name in CHOICES}
    for name in POINTERS:
        pointers = torch.einsum("qd,qld->ql", pooled, getattr(network, name)(hidden)) / network.width**0.5
        found[name] = pointers.masked_fill(mask == 0, IMPOSSIBLE)
    return found


def judged(network: Any, examples: Sequence[Example]) -> dict[str, tuple[NDArray[np.float64], list[int]]]:
    """Return the logits of each judgement with a temperature, shape (questions, values), and the places of what is right."""
    import torch

    with torch.inference_mode():
        read = logits_of(network, examples)
    found = {}
    for name in COOLED:
        known = [place for place, example in enumerate(examples) if example.wanted.get(name, IGNORED) != IGNORED]
        found[name] = (read[name].numpy()[known].astype(np.float64), [examples[place].wanted[name] for place in known])
    return found


class QuestionRecipe(ReaderRecipe[LabelledQuestion, Example]):
    kind, window, first_room = KIND, WINDOW, BEFORE_ROOM

    def __init__(self, labelled: Sequence[LabelledQuestion], glosses: Mapping[str, str], *, base: Path) -> None:
        super().__init__(labelled, base=base)
        self.glosses = glosses
        self.examples = [example_of(question, self.tokenizer, tuple(glosses)) for question in labelled]

    def identity(self) -> str:
        return digest_of([json.dumps(self.glosses), *map(repr, self.labelled)])

    def network(self) -> Any:
        return question_network(tuple(self.glosses.values()), self.base)

    def loss(self, network: Any, batch: Sequence[Example]) -> Any:
        import torch

        losses = []
        for name, logits in logits_of(network, batch).items():
            wanted = torch.tensor([example.wanted.get(name, IGNORED) for example in batch])
            if (wanted != IGNORED).any():
                smoothing = 0.0 if name in POINTERS else LABEL_SMOOTHING
                loss = torch.nn.functional.cross_entropy(logits, wanted, label_smoothing=smoothing)
                losses.append(WEIGHTS.get(name, 1.0) * loss)
        return sum(losses)

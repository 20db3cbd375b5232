"""`bench backbones`: what a memory backbone takes to answer a question, at a number of units.

Each is filled with turns of one sentence that are made up, each read as one triple and told as one fact, and vectors that
are made up too, near one of some hundred topics: no model is asked, and neither the reading of a turn nor the embedding of
a question is in the figures. `first_ms` is the first question after the filling, for which some backbones build their tree
or their communities; `add_ms` is the mean for a turn; `units` is what can be retrieved then. `cpu_p50_ms` and `cpu_p95_ms`
are processor time, which other load changes less.
"""

from __future__ import annotations

import random
import time
import zlib
from collections.abc import Mapping, Sequence
from datetime import timedelta
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.adapters.progress import progress_bar
from evaluation.core.costs import cost_rows
from evaluation.core.report import Row
from evaluation.performance.costs import BenchOption
from evaluation.services.sentence_population import (
    FIRST_DAY,
    SPEAKERS,
    TURNS_A_SESSION,
    made_up_question,
    made_up_sentence,
)
from memory.bootstrap.backbones import WrittenGists, remember, said_of, told
from memory.core.backbones.catalogue import BACKBONES, Parts, make_backbone
from memory.core.errors import UnknownBackbone
from memory.core.knowledge_graph.conflict.rule_based import RuleBasedConflictDetector
from memory.core.sentence_graph.digests.rule_based import RuleBasedSummaryWriter
from memory.core.sentence_graph.in_memory import InMemoryIndex
from memory.core.types import Fact, GraphFragment, Node, RetrievalQuery, Role, SentenceSpan, Span, Utterance


def backbone_names(text: str) -> tuple[str, ...]:
    """Return the names of a list with commas. Raises `UnknownBackbone`."""
    names = tuple(text.split(","))
    if unknown := set(names) - set(BACKBONES):
        raise UnknownBackbone(f"There is no backbone {min(unknown)!r}. There are: {', '.join(BACKBONES)}.")
    return names


HELP = "asking each memory backbone, at a number of units"
OPTIONS: tuple[BenchOption, ...] = (
    BenchOption("units", int, 20_000, "how many turns each backbone is filled with (default: 20000)"),
    BenchOption("questions", int, 100, "how many questions each is measured with (default: 100)"),
    BenchOption("backbones", backbone_names, BACKBONES, "which of them, with commas (default: all)"),
)
LIMIT = 60  # the paper's k
WARM_UP = 5
TOPICS = 300
TOPIC_NOISE = 0.7


def measure(options: Mapping[str, Any]) -> list[Row]:
    """Return the times of each backbone."""
    return [row for name in options["backbones"] for row in measured(name, options)]


def measured(name: str, options: Mapping[str, Any]) -> list[Row]:
    chooser, wanted = random.Random(0), options["units"]
    memory = make_backbone(name, made_up_parts())
    began = time.perf_counter()
    with progress_bar(wanted, title=f"filling {name}", unit="turns", hidden=options["quiet"]) as bar:
        for first in range(0, wanted, TURNS_A_SESSION):
            count = min(TURNS_A_SESSION, wanted - first)
            memory.add([made_up_turn(chooser, first + place) for place in range(count)])
            bar.update(count)
    filled_ms = (time.perf_counter() - began) * 1000
    taken, cpu = [], []
    for _ in range(WARM_UP + options["questions"]):
        query = RetrievalQuery(made_up_question(chooser), FIRST_DAY, asked_by=SPEAKERS[0])
        began, cpu_began = time.perf_counter(), time.process_time()
        memory.retrieve(query, limit=LIMIT)
        cpu.append((time.process_time() - cpu_began) * 1000)
        taken.append((time.perf_counter() - began) * 1000)
    return [
        *cost_rows(name, taken[WARM_UP:]),
        *cost_rows(name, cpu[WARM_UP:], prefix="cpu_"),
        Row(name, "first_ms", taken[0], unit="ms", n=1),
        Row(name, "add_ms", filled_ms / wanted, unit="ms", n=wanted),
        Row(name, "units", memory.size, unit="units"),
    ]


def made_up_turn(chooser: random.Random, number: int) -> Utterance:
    said_at = FIRST_DAY + timedelta(days=number // TURNS_A_SESSION, minutes=number % TURNS_A_SESSION)
    return Utterance(SPEAKERS[number % 2], Role.USER, f"{made_up_sentence(chooser)[:-1]} {number}.", said_at)


def made_up_parts() -> Parts:
    index = InMemoryIndex([], embedder=MadeUpVectors(), segmenter=WholeTurns())
    return Parts(
        said=said_of(index),
        remember=partial(remember, index),
        embedder=MadeUpVectors(),
        segmenter=WholeTurns(),
        extractor=OneTriple(),
        teller=OneFact(),
        conflicts=RuleBasedConflictDetector(),
        summarise=WrittenGists(RuleBasedSummaryWriter(), MadeUpVectors()),
        tell=told,
    )


class MadeUpVectors:
    """An embedder whose vectors are near one of some topics, which the text's digest chooses."""

    name = "made-up"
    dimension = 384

    def __init__(self) -> None:
        self._topics = np.random.default_rng(0).normal(size=(TOPICS, self.dimension))

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        digests = [zlib.crc32(text.encode()) for text in texts]
        noise = np.array([np.random.default_rng(digest).normal(size=self.dimension) for digest in digests])
        vectors = self._topics[[digest % TOPICS for digest in digests]] + TOPIC_NOISE * noise
        return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)


class WholeTurns:
    """A segmenter that takes each turn for one sentence."""

    def segment_many(self, texts: Sequence[str]) -> list[list[SentenceSpan]]:
        return [[SentenceSpan(text, Span(0, len(text)))] for text in texts]


class OneTriple:
    """Reads of each sentence that its speaker likes its middle word."""

    def extract_many(self, sentences: Sequence[Utterance], *, context: Sequence[Utterance] = ()) -> list[GraphFragment]:
        return [GraphFragment((self._fact(said),)) for said in sentences]

    def _fact(self, said: Utterance) -> Fact:
        words = said.text.split()
        return Fact(Node(said.speaker, "Person"), "likes", Node(words[len(words) // 2]), Span(0, len(said.text)))


class OneFact:
    """Tells each sentence as it is."""

    def tell_many(self, sentences: Sequence[Utterance], *, context: Sequence[Utterance] = ()) -> list[list[str]]:
        return [[said.text] for said in sentences]

"""MAGMA (Jiang et al., 2026: A multi-graph based agentic memory architecture for AI agents): events in four graphs.

Every turn is an event. The temporal graph links it to the one before it, the semantic graph to those that are like it, the
entity graph to those of the same things, the causal graph to what may have brought it about. A question is read for its
intent; a beam search goes out from the events nearest to it, and the intent says which graph it rather follows:

    S(n_j | n_i, q) = exp(lambda_1 * phi(edge, intent) + lambda_2 * sim(n_j, q))
    score(n_j) = decay * score(n_i) + S(n_j | n_i, q)

Departures from the paper:
- No model is asked what caused what, since no role of the engine does. An earlier event about the same things, near in
  meaning, is taken as a possible cause of a later one.
- The intent is that of the question's word: why, when, or another. phi is 1 along the graph of the intent, else 0.
- Anchors are the events nearest to the question, those of a thing that it names first; there is no index of words.
- Events that the search does not reach follow those that it does, by their cosine, up to the limit.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from memory.core.backbones.mem_tree import leaf_of
from memory.core.backbones.triples import TripleReader, keys_of, mentions_in
from memory.core.backbones.units import Floats, UnitStore, best_rows
from memory.core.naming import key_of
from memory.core.ports import Embedder
from memory.core.types import MemoryUnit, RetrievalQuery, Utterance

_ASKED = re.compile(r"\b(?:(why|how come)|(when|what (?:time|day|date|month|year)))\b", re.IGNORECASE)


class Link(StrEnum):
    """The four graphs."""

    TEMPORAL = "temporal"
    SEMANTIC = "semantic"
    ENTITY = "entity"
    CAUSAL = "causal"


@dataclass(frozen=True)
class MagmaConfig:
    """lambda_1, lambda_2 and the decay of a score; the search's width and depth; how many links an event gets; ours."""

    follow: float = 1.0
    meaning: float = 2.0
    decay: float = 0.3
    named: float = 0.15
    anchors: int = 10
    width: int = 10
    depth: int = 3
    linked: int = 3
    alike: float = 0.5
    causal: float = 0.3


class Magma:
    """Implements `Backbone` by events in four graphs. An event's number is its row."""

    name = "magma"

    def __init__(self, *, reader: TripleReader, embedder: Embedder, config: MagmaConfig = MagmaConfig()) -> None:
        self._reader = reader
        self._config = config
        self._events = UnitStore(embedder)
        self._links: dict[int, dict[Link, list[int]]] = defaultdict(lambda: defaultdict(list))
        self._about: dict[str, list[int]] = defaultdict(list)

    def add(self, turns: Sequence[Utterance]) -> None:
        first = len(self._events)
        read = self._reader.of_turns(turns)
        self._events.write(
            [
                MemoryUnit(f"event:{number}", leaf_of(turn).text, turn.said_at, turn.speaker)
                for number, turn in enumerate(turns, start=first)
            ]
        )
        for number, (turn, triples) in enumerate(zip(turns, read, strict=True), start=first):
            things = {key for triple in triples for key in keys_of(triple)} - {key_of(turn.speaker)}
            if number > first:
                self._join(Link.TEMPORAL, number, number - 1)
            self._relate(number, things)
            for thing in things:
                self._about[thing].append(number)

    def retrieve(self, query: RetrievalQuery, *, limit: int) -> list[MemoryUnit]:
        vector = self._events.embed([query.text])[0]
        cosines = self._events.vectors @ vector
        named = cosines.copy()
        for key in {key_of(mention) for mention in mentions_in(query)} & self._about.keys():
            named[self._about[key]] += self._config.named
        reached = self._search(best_rows(named, limit=self._config.anchors), cosines, intent_of(query.text))
        # What is not reached comes after what is.
        scores = cosines - 2
        for number, score in reached.items():
            scores[number] = score
        return self._events.ranked(scores, limit=limit)

    @property
    def size(self) -> int:
        return len(self._events)

    def linked_to(self, number: int, link: Link) -> tuple[int, ...]:
        """Return the events that a graph leads to from one, nearest first."""
        return tuple(self._links[number][link]) if number in self._links else ()

    def _relate(self, number: int, things: set[str]) -> None:
        """Link an event to earlier ones: to those like it, to the last ones about its things, to its possible causes."""
        config, vectors = self._config, self._events.vectors
        cosines = vectors[:number] @ vectors[number]
        for other in best_rows(cosines, limit=config.linked):
            if cosines[other] >= config.alike:
                self._join(Link.SEMANTIC, number, other)
        for thing in sorted(things):
            for other in self._about[thing][-config.linked :]:
                self._join(Link.ENTITY, number, other)
        shared = np.array(sorted({other for thing in things for other in self._about[thing]}), np.int64)
        for place in best_rows(cosines[shared], limit=config.linked) if len(shared) else ():
            if cosines[shared[place]] >= config.causal:
                self._links[number][Link.CAUSAL].append(int(shared[place]))

    def _join(self, link: Link, one: int, other: int) -> None:
        for start, end in ((one, other), (other, one)):
            if end not in self._links[start][link]:
                self._links[start][link].append(end)

    def _search(self, anchors: Sequence[int], cosines: Floats, intent: Link) -> dict[int, float]:
        """Return the events that a beam search reaches from the anchors, with their scores."""
        config = self._config
        frontier = {number: float(np.exp(config.follow + config.meaning * cosines[number])) for number in anchors}
        reached = dict(frontier)
        for _ in range(config.depth):
            found: dict[int, float] = {}
            for start, score in frontier.items():
                for link, end in self._leaving(start):
                    step = np.exp(config.follow * (link is intent) + config.meaning * cosines[end])
                    if end not in reached:
                        found[end] = max(found.get(end, 0.0), config.decay * score + float(step))
            frontier = dict(sorted(found.items(), key=lambda one: (-one[1], one[0]))[: config.width])
            reached |= frontier
        return reached

    def _leaving(self, number: int) -> Iterator[tuple[Link, int]]:
        for link, ends in self._links[number].items() if number in self._links else ():
            yield from ((link, end) for end in ends)


def intent_of(question: str) -> Link:
    """Return the graph that a question rather follows: causes for why, time for when, else what is about the same."""
    asked = _ASKED.search(question)
    if asked is None:
        return Link.ENTITY
    return Link.CAUSAL if asked[1] else Link.TEMPORAL

"""Mem0-Graph (Chhikara et al., 2025, section 2.2): a directed graph of entities and labelled relations.

Storage: entities and relations are read from what is said; an entity that is known is used again; relations that clash with
a new one are marked, not removed, so that what held before can still be told. Retrieval: the relations of the entities that
a question names, and those whose text is near to the question.

Departures from the paper:
- Triples are those of the role `extract_facts`, clashes those of `detect_conflicts`; entities are the same where a name or
  an alias is, not where their vectors are near.
- The two retrievals are one ranking: the cosine of a relation's text, and `named` for each of its ends that is named.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from memory.core.backbones.triples import TripleMemory, keys_of, mentions_in
from memory.core.backbones.units import TripleTeller, UnitStore
from memory.core.naming import key_of
from memory.core.ports import Embedder
from memory.core.types import MemoryUnit, RetrievalQuery, Triple, Utterance


@dataclass(frozen=True)
class Mem0GraphConfig:
    """What an end that the question names adds to a relation's cosine; ours."""

    named: float = 0.15


class Mem0Graph:
    """Implements `Backbone` by relations between entities."""

    name = "mem0_graph"

    def __init__(
        self,
        *,
        memory: TripleMemory,
        tell: TripleTeller,
        embedder: Embedder,
        config: Mem0GraphConfig = Mem0GraphConfig(),
    ) -> None:
        self._memory = memory
        self._tell = tell
        self._config = config
        self._relations = UnitStore(embedder)
        self._rows: dict[str, list[int]] = defaultdict(list)

    def add(self, turns: Sequence[Utterance]) -> None:
        if not turns:
            return
        changed = self._memory.learn(self._memory.reader.sentences_of(turns))
        before = len(self._relations)
        self._relations.write([unit_of(triple, tell=self._tell) for triple in changed])
        rows = {self._relations.at(row).id: row for row in range(before, len(self._relations))}
        for triple in changed:
            for key in keys_of(triple) if unit_id(triple) in rows else ():
                self._rows[key].append(rows[unit_id(triple)])

    def retrieve(self, query: RetrievalQuery, *, limit: int) -> list[MemoryUnit]:
        scores = self._relations.vectors @ self._relations.embed([query.text])[0]
        for key in {key_of(mention) for mention in mentions_in(query)} & self._rows.keys():
            scores[self._rows[key]] += self._config.named
        return self._relations.ranked(scores, limit=limit)

    @property
    def size(self) -> int:
        return len(self._relations)


def unit_id(triple: Triple) -> str:
    return f"triple:{triple.id}"


def unit_of(triple: Triple, *, tell: TripleTeller, score: float = 0.0) -> MemoryUnit:
    """Return a triple as a unit; one that was superseded says so."""
    said = triple.source
    text = tell(triple, at=triple.superseded_at or said.said_at)
    return MemoryUnit(unit_id(triple), text, said.said_at, said.speaker, score, (said.id,), triple_ids=(triple.id,))

"""Mem0 (Chhikara et al., 2025: Building production-ready AI agents with scalable long-term memory, section 2.1).

Extraction: the salient facts of what was said. Update: each fact is compared with the memories nearest to it, and is added,
takes the place of one, deletes one, or changes nothing.

Departures from the paper:
- One call of a model chooses among the four operations there. Here the role `detect_conflicts` says what a sentence does to
  the triples of the nearest memories: what ended is deleted, what was replaced or corrected is updated.
- The facts are those of the role `tell_facts`, without a running summary of the whole conversation.
- A fact that is as near as the same words (a cosine of `same`) changes nothing.

Mem0-Graph (Chhikara et al., 2025, section 2.2): a directed graph of entities and labelled relations.

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
from enum import StrEnum

from memory.core.backbones.triples import TripleMemory, TripleReader, keys_of, mentions_in, superseded, uttered
from memory.core.backbones.units import Floats, TripleTeller, UnitStore
from memory.core.naming import key_of
from memory.core.ports import ConflictDetector, Embedder, FactTeller
from memory.core.types import Fact, MemoryUnit, Polarity, RetrievalQuery, SourceSentence, Triple, Utterance


class Operation(StrEnum):
    ADD = "add"
    UPDATE = "update"
    DELETE = "delete"
    NONE = "none"


@dataclass(frozen=True)
class Mem0Config:
    """With how many memories a fact is compared (the paper's s), and from which cosine on it says the same; ours."""

    compared: int = 10
    same: float = 0.95


class Mem0:
    """Implements `Backbone` by a list of facts that is kept current."""

    name = "mem0"

    def __init__(
        self,
        *,
        teller: FactTeller,
        reader: TripleReader,
        conflicts: ConflictDetector,
        embedder: Embedder,
        config: Mem0Config = Mem0Config(),
    ) -> None:
        self._teller = teller
        self._reader = reader
        self._conflicts = conflicts
        self._config = config
        self._facts = UnitStore(embedder)
        self._triples: dict[str, list[Triple]] = {}
        self._written = 0

    def add(self, turns: Sequence[Utterance]) -> None:
        sentences = self._reader.sentences_of(turns)
        told = self._teller.tell_many([uttered(one) for one in sentences])
        read = self._reader.read(sentences)
        texts = [text for of_sentence in told for text in of_sentence]
        vectors = iter(self._facts.embed(texts) if texts else ())
        for sentence, of_sentence, facts in zip(sentences, told, read, strict=True):
            for place, text in enumerate(of_sentence):
                self._take(text, next(vectors), sentence, facts if place == 0 else [])

    def retrieve(self, query: RetrievalQuery, *, limit: int) -> list[MemoryUnit]:
        return self._facts.nearest(self._facts.embed([query.text])[0], limit=limit)

    @property
    def size(self) -> int:
        return len(self._facts)

    def _take(self, text: str, vector: Floats, said: SourceSentence, facts: Sequence[tuple[Fact, Triple]]) -> None:
        near = self._facts.nearest(vector, limit=self._config.compared)
        operation, clashing = self._operation([fact for fact, _ in facts], said, near)
        for unit in clashing[operation is Operation.UPDATE :]:
            self._facts.remove(unit.id)
            del self._triples[unit.id]
        if operation in (Operation.ADD, Operation.UPDATE):
            self._written += 1
            unit_id = clashing[0].id if operation is Operation.UPDATE else f"fact:{self._written}"
            self._facts.put([MemoryUnit(unit_id, text, said.said_at, said.speaker)], vector[None])
            self._triples[unit_id] = [triple for _, triple in facts]

    def _operation(
        self, facts: Sequence[Fact], said: SourceSentence, near: Sequence[MemoryUnit]
    ) -> tuple[Operation, list[MemoryUnit]]:
        """Return what a fact does, and the memories that it does it to, nearest first."""
        known = {triple.id: triple for unit in near for triple in self._triples[unit.id]}
        gone = {old.id for old in superseded(said, facts, list(known.values()), self._conflicts)}
        clashing = [unit for unit in near if any(triple.id in gone for triple in self._triples[unit.id])]
        if not clashing:
            is_known = bool(near) and near[0].score >= self._config.same
            return Operation.NONE if is_known else Operation.ADD, []
        ends = all(fact.polarity is Polarity.NEGATIVE for fact in facts)
        return Operation.DELETE if ends else Operation.UPDATE, clashing


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

"""Our knowledge graph as a memory: the triples about what a question names, and of the sentences near to it.

Over a space it reads the space's own triples and can only be asked. Written here, it reads triples out of the sentences of
an index that grows. A triple has the cosine of the sentence that it was read from, and `named` for each end that is named.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from memory.core.backbones.mem0 import unit_of
from memory.core.backbones.triples import TripleMemory, mentions_in
from memory.core.backbones.units import TripleTeller
from memory.core.ports import DialogueIndex
from memory.core.types import Entity, MemoryUnit, RetrievalQuery, SourceSentence, Triple, Unit, Utterance


class KnownTriples(Protocol):
    """Reads entities and their triples: two methods of `MemoryReader`."""

    def entities_named(self, mentions: Sequence[str]) -> dict[str, list[Entity]]: ...

    def triples_about(self, entity_ids: Sequence[int], *, as_object: bool = False, limit: int = 50) -> list[Triple]: ...


class ReadTriples(Protocol):
    """Reads the triples of sentences: one method of `GraphWalker`."""

    def triples_from(self, sentence_ids: Sequence[int], *, limit: int = 40) -> list[Triple]: ...


@dataclass(frozen=True)
class KnowledgeGraphConfig:
    """How many triples are looked at for those found by a name, how many sentences are near; what a named end adds; ours."""

    looked_at: int = 200
    near: int = 60
    named: float = 0.15


class KnowledgeGraphRecall:
    """Implements `Recall` over triples and the index of the sentences that they were read from."""

    name = "knowledge_graph"

    def __init__(
        self,
        *,
        index: DialogueIndex,
        known: KnownTriples,
        read: ReadTriples,
        tell: TripleTeller,
        size: Callable[[], int],
        config: KnowledgeGraphConfig = KnowledgeGraphConfig(),
    ) -> None:
        self._index = index
        self._known = known
        self._read = read
        self._tell = tell
        self._size = size
        self._config = config

    def retrieve(self, query: RetrievalQuery, *, limit: int) -> list[MemoryUnit]:
        config, vector = self._config, self._index.embed([query.text])[0]
        called = self._known.entities_named(mentions_in(query))
        named = {entity.id for entities in called.values() for entity in entities}
        near = self._index.nearest(Unit.SENTENCE, vector, limit=config.near)
        found = (
            *self._read.triples_from([one.id for one in near], limit=config.looked_at),
            *self._known.triples_about(sorted(named), limit=config.looked_at),
            *self._known.triples_about(sorted(named), as_object=True, limit=config.looked_at),
        )
        triples = {triple.id: triple for triple in found}
        cosines = self._index.similarities_to(list({triple.source.id for triple in triples.values()}), vector)
        scores = {
            one: cosines.get(triple.source.id, 0.0) + config.named * len(named & {triple.subject.id, triple.object_id})
            for one, triple in triples.items()
        }
        best = sorted(scores, key=lambda one: (-scores[one], one))[: max(limit, 0)]
        return [unit_of(triples[one], tell=self._tell, score=scores[one]) for one in best]

    @property
    def size(self) -> int:
        return self._size()


class KnowledgeGraphMemory(KnowledgeGraphRecall):
    """Implements `Backbone`: `remember` adds turns to the index and returns those that it took, by id."""

    def __init__(
        self,
        *,
        index: DialogueIndex,
        memory: TripleMemory,
        tell: TripleTeller,
        remember: Callable[[Sequence[Utterance]], dict[int, Utterance]],
    ) -> None:
        super().__init__(index=index, known=memory, read=memory, tell=tell, size=lambda: len(memory))
        self._memory = memory
        self._remember = remember

    def add(self, turns: Sequence[Utterance]) -> None:
        taken = self._remember(turns)
        sentences = [one for ids in self._index.sentences_of(list(taken)).values() for one in ids]
        self._memory.learn(
            [
                SourceSentence(one.id, one.text, one.speaker, one.said_at, one.turn_id, taken[one.turn_id].role)
                for one in self._index.passages_of(Unit.SENTENCE, sentences)
                if one.turn_id is not None
            ]
        )

"""Where a search may enter the graph: the entities that a question names, and those whose sentences are near to it.

A graph of any size is entered by its indexes: names by their aliases, meanings by the vectors of sentences.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memory.core.ports import GraphWalker, MemoryReader
from memory.core.types import Entity, ScoredSentence, Triple

SENTENCES = 8
TRIPLES = 16
ENTITIES = 8


class NamedEntities:
    """Implements `EntityResolver` over a memory's aliases."""

    def __init__(self, memory: MemoryReader) -> None:
        self._memory = memory

    def resolve_many(self, names: Sequence[str]) -> list[Entity | None]:
        found = self._memory.entities_named(names)
        return [next(iter(found.get(name, ())), None) for name in names]


def triples_near(text: str, *, memory: MemoryReader, walker: GraphWalker) -> list[Triple]:
    """Return the active triples that were read from the sentences nearest to a text, nearest first."""
    return triples_of(memory.sentences_like(text, limit=SENTENCES), walker=walker)


def triples_of(sentences: Sequence[ScoredSentence], *, walker: GraphWalker) -> list[Triple]:
    ids = [item.sentence.id for item in sentences]
    return walker.triples_from(ids, limit=TRIPLES) if ids else []


def ends_of(triples: Iterable[Triple]) -> list[Entity]:
    """Return the entities of triples, each once: what a triple is said of after what it says."""
    found: dict[int, Entity] = {}
    for triple in triples:
        if triple.object_id is not None:
            found.setdefault(triple.object_id, Entity(triple.object_id, triple.object, triple.object_kind))
        found.setdefault(triple.subject.id, triple.subject)
    return list(found.values())[:ENTITIES]

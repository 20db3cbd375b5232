"""The baselines over a knowledge graph (SGMem, section 4.3): LightRAG, MiniRAG and KG-Retriever.

They are given entities and relations, where SGMem is given sentences. Departures from their papers:

- The graph is the space's own: triples that were read from sentences. Nothing is extracted, profiled or clustered for these.
- Entities and relations have no id in a dialogue, so that a relation stands here for the turn that it was read from, and
  an entity for the turns of its relations. `RetrievalTrace.rankings["relation"]` has the sentences of the relations, best
  first.
- A question's entities are those whose names are in it word for word; no model reads keywords out of it.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Protocol

from memory.core.bm25 import words
from memory.core.ports import DialogueIndex
from memory.core.sentence_graph.baselines import NOTHING_NEAR, nearest_shifted, retrieval_of
from memory.core.sentence_graph.config import EPSILON, POOL
from memory.core.sentence_graph.sgmem import best_first, max_similarity, rank_chunks
from memory.core.similarity import dot_products
from memory.core.types import Entity, Retrieval, RetrievalQuery, RetrievalTrace, ScoredUnit, Triple, Unit

LONGEST_NAME = 4  # words
RELATIONS_LOOKED_AT = 60
ENTRY_SENTENCES = 20
_WORD = re.compile(r"[\w'’-]+")
NO_RELATION = "No relation that is known fits the question."


class KnownRelations(Protocol):
    """Reads entities and their triples: two methods of `MemoryReader`."""

    def entities_named(self, mentions: Sequence[str]) -> dict[str, list[Entity]]:
        """Return the entities that each mention may name."""

    def triples_about(self, entity_ids: Sequence[int], *, as_object: bool = False, limit: int = 50) -> list[Triple]:
        """Return asserted triples with one of the entities as subject (or object), newest first."""


class ReadRelations(Protocol):
    """Reads the triples of sentences: one method of `GraphWalker`."""

    def triples_from(self, sentence_ids: Sequence[int], *, limit: int = 40) -> list[Triple]:
        """Return the active triples that were read from these sentences."""


class _OverRelations:
    def __init__(self, index: DialogueIndex, *, known: KnownRelations, read: ReadRelations) -> None:
        self._index = index
        self._known = known
        self._read = read


class LightRag(_OverRelations):
    """Relations by two levels (Guo et al., 2024): of the entities that a question names, and of what is near to its theme.

    The low level are the triples about the named entities. The high level, where the paper compares keywords with the keys
    of relations, are the triples that were read from the sentences nearest to the question.
    """

    name = "light_rag"

    def retrieve(self, query: RetrievalQuery, *, limit: int) -> Retrieval:
        named = relations_of(entities_of(query, self._known), self._known)
        themes = relations_near(query, self._index, self._read)
        return retrieval_of_relations(query, [*named, *themes], self._index, limit=limit)


class KgRetriever(_OverRelations):
    """Relations by two layers (Chen et al., 2024): of the passages nearest to a question, then of the entities in these.

    The upper layer, the paper's documents that collaborate, are the nearest sentences here; the lower one is the graph around
    what was read from them.
    """

    name = "kg_retriever"

    def retrieve(self, query: RetrievalQuery, *, limit: int) -> Retrieval:
        near = relations_near(query, self._index, self._read)
        entities = {triple.subject.id for triple in near} | {triple.object_id for triple in near if triple.object_id}
        return retrieval_of_relations(
            query, [*near, *relations_of(sorted(entities), self._known)], self._index, limit=limit
        )


class MiniRag:
    """Sessions, by themselves and by the entities that lead to them (Fan et al., 2025: topology-enhanced retrieval).

    A session's score is sim(q, s) * (1 + ln(1 + its relations of the question's entities)). The paper walks paths of a graph
    of entities and chunks and lets a small model guess the type of the answer; here a path has one edge and no type.
    """

    name = "mini_rag"

    def __init__(self, index: DialogueIndex, *, known: KnownRelations) -> None:
        self._index = index
        self._known = known

    def retrieve(self, query: RetrievalQuery, *, limit: int) -> Retrieval:
        vector = self._index.embed([query.text])[0]
        sentence_ids = {triple.source.id for triple in relations_of(entities_of(query, self._known), self._known)}
        places = self._index.places_of(sorted(sentence_ids))
        led_to = Counter(place.session_id for place in places.values())
        pool = nearest_shifted(self._index, Unit.SESSION, vector, limit=POOL * limit)
        found = best_first(replace(one, score=one.score * (1 + math.log1p(led_to[one.id]))) for one in pool)
        return retrieval_of(found[:limit], reason=NOTHING_NEAR)


def entities_of(query: RetrievalQuery, known: KnownRelations) -> list[int]:
    """Return the entities whose names are in a question, and who asks it."""
    tokens = _WORD.findall(query.text)
    lengths = range(1, LONGEST_NAME + 1)
    mentions = [" ".join(tokens[start : start + length]) for start in range(len(tokens)) for length in lengths]
    telling = [mention for mention in dict.fromkeys(mentions) if words(mention)]
    found = known.entities_named([*telling, *filter(None, [query.asked_by])])
    return sorted({entity.id for entities in found.values() for entity in entities})


def relations_of(entity_ids: Sequence[int], known: KnownRelations) -> list[Triple]:
    """Return what is known of entities, as subjects and as objects."""
    if not entity_ids:
        return []
    about = known.triples_about(entity_ids, limit=RELATIONS_LOOKED_AT)
    return [*about, *known.triples_about(entity_ids, as_object=True, limit=RELATIONS_LOOKED_AT)]


def relations_near(query: RetrievalQuery, index: DialogueIndex, read: ReadRelations) -> list[Triple]:
    """Return what was read from the sentences nearest to a question."""
    vector = index.embed([query.text])[0]
    sentences = index.nearest(Unit.SENTENCE, vector, limit=ENTRY_SENTENCES)
    return read.triples_from([one.id for one in sentences], limit=RELATIONS_LOOKED_AT) if sentences else []


def retrieval_of_relations(
    query: RetrievalQuery, relations: Iterable[Triple], index: DialogueIndex, *, limit: int
) -> Retrieval:
    """Return the `limit` relations whose text is nearest to the question, as the turns that they were extracted from."""
    triples = list({triple.id: triple for triple in relations}.values())
    question, *vectors = index.embed([query.text, *map(relation_text, triples)])
    best: dict[int, float] = {}
    for triple, vector in zip(triples, vectors, strict=True):
        score = float(dot_products(question[None], vector[None])[0]) + EPSILON
        best[triple.source.id] = max(score, best.get(triple.source.id, score))
    places = index.places_of(sorted(best))
    sentences = best_first(ScoredUnit(Unit.SENTENCE, one, score) for one, score in best.items() if one in places)
    turns = rank_chunks(sentences, places, chunk=Unit.TURN, aggregate=max_similarity)[:limit]
    grounds = {sentence_id for turn in turns for sentence_id in turn.sentence_ids}
    return Retrieval(
        chunks={Unit.TURN: turns} if turns else {},
        sentences=tuple(one for one in sentences if one.id in grounds),
        trace=RetrievalTrace(rankings={"relation": sentences}),
        reason="" if turns else NO_RELATION,
    )


def relation_text(triple: Triple) -> str:
    """Return the text of a relation for its embedding: its subject, the speaker's phrase, its object."""
    spoken = triple.phrase or triple.predicate.replace("_", " ")
    return f"{triple.subject.label} {spoken} {triple.object}"

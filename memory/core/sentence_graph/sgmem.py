"""SGMem's retrieval over the sentence graph (SGMem, section 3.4).

    sim(q, u) = cos(e_q, e_u) + epsilon,  epsilon = 1
    C* = C_q with N_h(C_q)
    score(k_p) = 1 / |C_kp| * sum of sim(q, c_j) over c_j in C_kp

Departures from the paper, and what it leaves open:

- n and gamma choose C_q, the sentences that are found at first. What the graph adds is bounded by k and h alone: to hold it
  to gamma too would drop the very sentences that only their neighbours speak for.
- An edge is walked from a sentence to its neighbours, not back: "(c_j, c_j') if c_j' in Top-k of c_j".
- Digests are the top-K of their kind, whatever their similarity: gamma constrains sentences alone.
- Sentences of a chunk that were not reached do not count, so that |C_kp| is small and one sentence decides often. The mean
  lowers a chunk whose second sentence is a weaker one; `max_similarity` is a variant that does not, and is no part of the
  paper.
- Equal scores go by the lower id.
- The paper's graph has every sentence; an index has evidence alone, without what only asks (ADR 21).

Edges by words: a sentence's neighbours are those that BM25 ranks first for its words (SGMem, section 4.4).

Departure from the paper: it stores such edges in its graph. A BM25 score changes with every sentence that is added (by idf
and mean length), so no stored edge would stay exact. These edges are computed when they are walked.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Protocol

from memory.core.ports import DialogueIndex
from memory.core.sentence_graph.baselines import nearest_digests, nearest_shifted
from memory.core.sentence_graph.config import EPSILON, Recipe, SgmemConfig
from memory.core.types import (
    Neighbour,
    Retrieval,
    RetrievalQuery,
    RetrievalTrace,
    ScoredChunk,
    ScoredUnit,
    SentencePlace,
    Unit,
)


class SentenceEdges(Protocol):
    """The edges of a sentence graph. A `DialogueIndex` has the edges by embedding."""

    def neighbours_of(self, sentence_ids: Sequence[int], *, k: int) -> dict[int, list[Neighbour]]:
        """Return each sentence's `k` nearest others, nearest first."""


class Bm25Edges:
    """Implements `SentenceEdges` by BM25; `similarity` is the BM25 score.

    A sentence that shares words with fewer than `k` others has fewer neighbours.
    """

    def __init__(self, index: DialogueIndex) -> None:
        self._index = index

    def neighbours_of(self, sentence_ids: Sequence[int], *, k: int) -> dict[int, list[Neighbour]]:
        edges = {}
        for sentence in self._index.passages_of(Unit.SENTENCE, sentence_ids):
            found = self._index.matching(Unit.SENTENCE, sentence.text, limit=k + 1)
            others = [Neighbour(id=one.id, similarity=one.score) for one in found if one.id != sentence.id]
            edges[sentence.id] = others[:k]
        return edges


Aggregate = Callable[[Sequence[float]], float]


def mean_similarity(similarities: Sequence[float]) -> float:
    """Aggregate as the paper does."""
    return fmean(similarities)


def max_similarity(similarities: Sequence[float]) -> float:
    """Let a chunk's best sentence decide: our variant."""
    return max(similarities)


def expand(sentence_ids: Sequence[int], edges: SentenceEdges, *, k: int, hops: int) -> list[int]:
    """Return the sentences that at most `hops` edges lead to from the given ones, N_h(C_q), without these."""
    reached = dict.fromkeys(sentence_ids)
    frontier = list(sentence_ids)
    for _ in range(hops):
        lists = edges.neighbours_of(frontier, k=k)
        near = dict.fromkeys(edge.id for sentence_id in frontier for edge in lists.get(sentence_id, ()))
        frontier = [sentence_id for sentence_id in near if sentence_id not in reached]
        reached.update(dict.fromkeys(frontier))
    return list(reached)[len(sentence_ids) :]


def rank_chunks(
    sentences: Iterable[ScoredUnit], places: Mapping[int, SentencePlace], *, chunk: Unit, aggregate: Aggregate
) -> tuple[ScoredChunk, ...]:
    """Return the chunks of one kind that hold any of the sentences, by the aggregate of these sentences' similarities.

    `sentences` come best first. One that has no place any more counts for nothing.
    """
    members: dict[int, list[ScoredUnit]] = defaultdict(list)
    for sentence in sentences:
        if sentence.id in places:
            members[places[sentence.id].chunk_id(chunk)].append(sentence)
    scored = [
        ScoredChunk(chunk, chunk_id, aggregate([one.score for one in found]), tuple(one.id for one in found))
        for chunk_id, found in members.items()
    ]
    return tuple(sorted(scored, key=lambda one: (-one.score, one.id)))


def best_first(found: Iterable[ScoredUnit]) -> tuple[ScoredUnit, ...]:
    return tuple(sorted(found, key=lambda one: (-one.score, one.id)))


@dataclass(frozen=True)
class SgmemRetriever:
    """Implements `Retriever` with a sentence graph: the index's own, where no `edges` are given."""

    name: str
    index: DialogueIndex
    recipe: Recipe
    config: SgmemConfig
    edges: SentenceEdges | None = None
    aggregate: Aggregate = mean_similarity

    def __post_init__(self) -> None:
        _chunk_of(self.recipe)

    def retrieve(self, query: RetrievalQuery, *, limit: int) -> Retrieval:
        """Return the relevant context of a question (SGMem, section 3.4). `limit` is the paper's K."""
        config = replace(self.config, top_k=limit)
        chunk = _chunk_of(self.recipe)
        # Retrieve memory and sentences
        vector = self.index.embed([query.text])[0]
        digests = nearest_digests(self.index, self.recipe.digests, vector, limit=config.top_k)
        nearest = nearest_shifted(self.index, Unit.SENTENCE, vector, limit=config.max_sentences)
        candidates = tuple(one for one in nearest if one.score >= config.min_similarity)
        # Rank chunks
        reached = expand(
            [one.id for one in candidates], self.edges or self.index, k=config.neighbours, hops=config.hops
        )
        expansion = best_first(
            ScoredUnit(Unit.SENTENCE, sentence_id, cosine + EPSILON)
            for sentence_id, cosine in self.index.similarities_to(reached, vector).items()
        )
        sentences = best_first((*candidates, *expansion))
        places = self.index.places_of([one.id for one in sentences])
        ranked = rank_chunks(sentences, places, chunk=chunk, aggregate=self.aggregate)
        # Collect relevant context
        chosen = ranked[: config.top_k]
        grounds = {sentence_id for one in chosen for sentence_id in one.sentence_ids}
        return Retrieval(
            chunks={chunk: chosen} if chosen else {},
            digests=digests,
            sentences=tuple(one for one in sentences if one.id in grounds),
            trace=RetrievalTrace(
                candidates=candidates,
                expansion=expansion,
                rankings={
                    chunk: tuple(ScoredUnit(chunk, one.id, one.score) for one in ranked),
                    **{kind: tuple(one for one in digests if one.unit is kind) for kind in self.recipe.digests},
                },
            ),
            reason="" if chosen else _why_nothing(nearest, config),
        )


def _chunk_of(recipe: Recipe) -> Unit:
    if recipe.chunk is None:
        raise ValueError("The sentence graph ranks chunks, and the recipe has none.")
    return recipe.chunk


def _why_nothing(nearest: Sequence[ScoredUnit], config: SgmemConfig) -> str:
    if not nearest:
        return "There is no sentence to search."
    if nearest[0].score >= config.min_similarity:
        return "No chunk was asked for."
    return (
        f"No sentence is near enough to the question: the nearest has {nearest[0].score:.2f} of 2, "
        f"and {config.min_similarity:.2f} is asked for."
    )

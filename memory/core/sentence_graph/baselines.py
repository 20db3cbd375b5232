"""What SGMem is compared with (section 4.3): which context each named system gives its model, over one index.

SGMem compares systems by their "context type", so a baseline here is that system's idea of what to find, over the same
sentences, digests and embedder. Departures from the systems' own papers, which all have language models at work that write
and rewrite memory: digests are those that the index holds, whoever wrote them; no model reranks or rephrases; what else is
left out, each class says. Those over a knowledge graph are in `graph_baselines.py`.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from memory.core.bm25 import words
from memory.core.ports import DialogueIndex
from memory.core.sentence_graph.config import EPSILON, POOL, Recipe
from memory.core.types import Passage, Retrieval, RetrievalQuery, RetrievalTrace, ScoredChunk, ScoredUnit, Unit

NOTHING_NEAR = "Nothing was said yet."
NO_WORD_SHARED = "Nothing that was said shares a word with the question."


class ChunkRetriever:
    """RAG over turns, rounds or sessions, and over digests: the top K of each kind by cosine (section 4.3)."""

    def __init__(self, name: str, index: DialogueIndex, *, recipe: Recipe) -> None:
        self.name = name
        self._index = index
        self._recipe = recipe

    def retrieve(self, query: RetrievalQuery, *, limit: int) -> Retrieval:
        vector = self._index.embed([query.text])[0]
        chunk = self._recipe.chunk
        found = nearest_shifted(self._index, chunk, vector, limit=limit) if chunk else ()
        digests = nearest_digests(self._index, self._recipe.digests, vector, limit=limit)
        return retrieval_of(found, digests, reason=NOTHING_NEAR)


class LexicalRetriever:
    """Turns or sessions by BM25."""

    def __init__(self, name: str, index: DialogueIndex, *, chunk: Unit) -> None:
        self.name = name
        self._index = index
        self._chunk = chunk

    def retrieve(self, query: RetrievalQuery, *, limit: int) -> Retrieval:
        return retrieval_of(self._index.matching(self._chunk, query.text, limit=limit), reason=NO_WORD_SHARED)


def nearest_shifted(
    index: DialogueIndex, unit: Unit, vector: NDArray[np.float32], *, limit: int
) -> tuple[ScoredUnit, ...]:
    """Return the units nearest to a question by sim(q, u) = cos(e_q, e_u) + epsilon (section 3.4)."""
    found = index.nearest(unit, vector, limit=limit) if limit else []
    return tuple(ScoredUnit(one.unit, one.id, one.score + EPSILON) for one in found)


def nearest_digests(
    index: DialogueIndex, kinds: Sequence[Unit], vector: NDArray[np.float32], *, limit: int
) -> tuple[ScoredUnit, ...]:
    """Return the top-K digests of each kind, kind by kind: M*, F* and I* (section 3.4)."""
    return tuple(one for kind in kinds for one in nearest_shifted(index, kind, vector, limit=limit))


def retrieval_of(found: Sequence[ScoredUnit], digests: tuple[ScoredUnit, ...] = (), *, reason: str) -> Retrieval:
    """Return ranked chunks of one kind, and digests, as a `Retrieval`; `reason` is used where both are empty."""
    chunks = {found[0].unit: tuple(ScoredChunk(one.unit, one.id, one.score) for one in found)} if found else {}
    rankings: dict[str, tuple[ScoredUnit, ...]] = {found[0].unit: tuple(found)} if found else {}
    for digest in digests:
        rankings[digest.unit] = (*rankings.get(digest.unit, ()), digest)
    return Retrieval(
        chunks=chunks,
        digests=digests,
        trace=RetrievalTrace(rankings=rankings),
        reason="" if found or digests else reason,
    )


DAY = timedelta(days=1)
EVERY_SESSION = 1_000_000
LD_AGENT_TAU_S = 1e7
FACTS_LOOKED_AT = 10  # times as many facts as sessions are asked for, because many facts are of one session


class NoHistory:
    """No History: retrieves nothing."""

    name = "no_history"

    def retrieve(self, query: RetrievalQuery, *, limit: int) -> Retrieval:
        return Retrieval(reason="This way of answering reads no history.")


class LatestSessions:
    """The newest sessions, whatever the question is: `limit` of them for LC Latest, all of them for LC Full."""

    def __init__(self, name: str, index: DialogueIndex, *, is_full: bool = False) -> None:
        self.name = name
        self._index = index
        self._is_full = is_full

    def retrieve(self, query: RetrievalQuery, *, limit: int) -> Retrieval:
        ids = self._index.latest(Unit.SESSION, limit=EVERY_SESSION if self._is_full else limit)
        found = [ScoredUnit(Unit.SESSION, one, 1 / (rank + 1)) for rank, one in enumerate(ids)]
        return retrieval_of(found, reason=NOTHING_NEAR)


@dataclass(frozen=True)
class Recall:
    """How often a memory was recalled, and when it was recalled last."""

    strength: int
    at: datetime


class MemoryBank:
    """Rounds and summaries that fade (Zhong et al., 2024): retention R = exp(-t / S).

    t is the days since a memory was last recalled, or said; S begins at 1 and grows by 1 with every recall. The nearest
    memories are ordered by sim(q, u) * R, as ln sim - t / S, since R of an old one is too small for a number. Departures: the
    paper deletes a memory by chance, with 1 - R; here none is lost, and the same questions in the same order find the same.
    Recalls are those of this object, since the index keeps none. The daily personality summaries are left out.
    """

    name = "memory_bank"

    def __init__(self, index: DialogueIndex) -> None:
        self._index = index
        self._recalls: dict[tuple[Unit, int], Recall] = {}

    def retrieve(self, query: RetrievalQuery, *, limit: int) -> Retrieval:
        vector = self._index.embed([query.text])[0]
        found: dict[Unit, list[ScoredUnit]] = {}
        for unit in (Unit.ROUND, Unit.SUMMARY):
            pool = nearest_shifted(self._index, unit, vector, limit=POOL * limit)
            said = _passages(self._index, unit, pool)
            kept = [one for one in pool if one.id in said]
            faded = [replace(one, score=self._faded(one, said[one.id].said_at, query.asked_at)) for one in kept]
            found[unit] = sorted(faded, key=lambda one: (-one.score, one.id))[:limit]
        for one in (*found[Unit.ROUND], *found[Unit.SUMMARY]):
            strength = self._recalls[one.unit, one.id].strength if (one.unit, one.id) in self._recalls else 1
            self._recalls[one.unit, one.id] = Recall(strength + 1, query.asked_at)
        return retrieval_of(found[Unit.ROUND], tuple(found[Unit.SUMMARY]), reason=NOTHING_NEAR)

    def _faded(self, memory: ScoredUnit, said_at: datetime, now: datetime) -> float:
        recall = self._recalls.get((memory.unit, memory.id), Recall(strength=1, at=said_at))
        days = max((now - recall.at) / DAY, 0.0)
        return math.log(max(memory.score, 1e-9)) - days / recall.strength


class LdAgent:
    """Summaries of events, and facts for the personas (Li et al., 2024).

    An event's score is exp(-t / tau) * (cos(q, m) + overlap of topics), with tau = 1e7 seconds and the overlap as the mean of
    the shares that common topics have of the question's and of the event's. Departures: topics are the words that say
    something rather than nouns, and no threshold drops a summary. The short-term memory bank is the dialogue itself.
    """

    name = "ld_agent"

    def __init__(self, index: DialogueIndex) -> None:
        self._index = index

    def retrieve(self, query: RetrievalQuery, *, limit: int) -> Retrieval:
        vector = self._index.embed([query.text])[0]
        pool = nearest_shifted(self._index, Unit.SUMMARY, vector, limit=POOL * limit)
        said = _passages(self._index, Unit.SUMMARY, pool)
        events = [
            replace(one, score=_event_score(query, said[one.id], one.score - EPSILON)) for one in pool if one.id in said
        ]
        facts = nearest_shifted(self._index, Unit.FACT, vector, limit=limit)
        best = sorted(events, key=lambda one: (-one.score, one.id))[:limit]
        return retrieval_of((), (*best, *facts), reason="Nothing was distilled from the dialogue yet.")


def _event_score(query: RetrievalQuery, event: Passage, cosine: float) -> float:
    asked, topics = set(words(query.text)), set(words(event.text))
    common = len(asked & topics)
    overlap = (common / len(asked) + common / len(topics)) / 2 if common else 0.0
    age_s = max((query.asked_at - event.said_at).total_seconds(), 0.0)
    return math.exp(-age_s / LD_AGENT_TAU_S) * (cosine + overlap)


class LongMemEvalIndex:
    """Sessions, found by themselves and by the facts told in them (Wu et al., 2024: fact-augmented key expansion).

    Departure: that paper writes the facts behind the session and embeds both as one key. Our encoder reads the first 256 word
    pieces, which would be the session alone, so that each fact is a key of its own and a session's best key decides.
    """

    name = "long_mem_eval"

    def __init__(self, index: DialogueIndex) -> None:
        self._index = index

    def retrieve(self, query: RetrievalQuery, *, limit: int) -> Retrieval:
        vector = self._index.embed([query.text])[0]
        best = {one.id: one.score for one in nearest_shifted(self._index, Unit.SESSION, vector, limit=POOL * limit)}
        facts = nearest_shifted(self._index, Unit.FACT, vector, limit=FACTS_LOOKED_AT * limit)
        told = _passages(self._index, Unit.FACT, facts)
        for fact in facts:
            session_id = told[fact.id].session_id if fact.id in told else None
            if session_id is not None:
                best[session_id] = max(best.get(session_id, fact.score), fact.score)
        found = [ScoredUnit(Unit.SESSION, session_id, score) for session_id, score in best.items()]
        found = sorted(found, key=lambda one: (-one.score, one.id))[:limit]
        return retrieval_of(found, reason=NOTHING_NEAR)


def _passages(index: DialogueIndex, unit: Unit, found: tuple[ScoredUnit, ...]) -> Mapping[int, Passage]:
    return {passage.id: passage for passage in index.passages_of(unit, [one.id for one in found])}

"""SGMem, sections 3.3 and 3.4, worked by hand over vectors in the plane."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np
import pytest
from numpy.typing import NDArray

from memory.adapters.segmenter import SyntokSegmenter
from memory.core.sentence_graph.catalogue import make_retriever
from memory.core.sentence_graph.config import LOCOMO, LONGMEMEVAL, Recipe, SgmemConfig
from memory.core.sentence_graph.in_memory import InMemoryIndex, SpokenSession, WrittenDigest
from memory.core.sentence_graph.sgmem import (
    Bm25Edges,
    SgmemRetriever,
    expand,
    max_similarity,
    mean_similarity,
    rank_chunks,
)
from memory.core.types import DIGESTS, Retrieval, RetrievalQuery, Role, ScoredUnit, SentencePlace, Unit, Utterance

NOON = datetime(2023, 5, 8, 12, tzinfo=UTC)
QUESTION = RetrievalQuery("Which way?", asked_at=NOON)
DIRECTIONS = {
    "Which way?": (1, 0),
    "East.": (1, 0),  # c1, session 1: cos to the question 1
    "North.": (0, 1),  # c2, session 1: 0
    "Rather east.": (0.8, 0.6),  # c3, session 2: 0.8
    "Rather north.": (0.6, 0.8),  # c4, session 2: 0.6
    "West.": (-1, 0),  # c5, session 3: -1
    "They went east.": (0.96, 0.28),
    "They went north.": (0, 1),
    "They like the east.": (0.8, 0.6),
}


class Compass:
    """Vectors written down by hand; every other text is nowhere."""

    name = "compass"
    dimension = 2

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.array([DIRECTIONS.get(text, (0, 0)) for text in texts], np.float32).reshape(-1, 2)


@pytest.fixture
def index() -> InMemoryIndex:
    def session(*texts: str) -> SpokenSession:
        return SpokenSession(NOON, tuple((Utterance("", Role.USER, text, NOON),) for text in texts))

    return InMemoryIndex(
        [session("East. North."), session("Rather east.", "Rather north."), session("West.")],
        embedder=Compass(),
        segmenter=SyntokSegmenter(),
        digests=[
            WrittenDigest(Unit.FACT, "They went north.", NOON, session=1),
            WrittenDigest(Unit.FACT, "They went east.", NOON, session=1),
            WrittenDigest(Unit.INSIGHT, "They like the east.", NOON),
        ],
    )


def retrieved(index: InMemoryIndex, *, chunk: Unit = Unit.SESSION, digests: tuple[Unit, ...] = (), **values: float):
    config = SgmemConfig(**{"neighbours": 1, **values})
    return retrieve_by_sentence_graph(QUESTION, index, recipe=Recipe(chunk, digests), config=config)


def retrieve_by_sentence_graph(
    query: RetrievalQuery, index: InMemoryIndex, *, recipe: Recipe, config: SgmemConfig
) -> Retrieval:
    return SgmemRetriever("sgmem", index, recipe, config).retrieve(query, limit=config.top_k)


def scores(found: Sequence[ScoredUnit]) -> dict[int, float]:
    return {one.id: pytest.approx(one.score) for one in found}


def test_similarity_is_the_cosine_moved_by_one(index: InMemoryIndex) -> None:
    found = retrieved(index, min_similarity=0, hops=0)
    assert scores(found.trace.candidates) == {1: 2.0, 3: 1.8, 4: 1.6, 2: 1.0, 5: 0.0}


def test_an_edge_leaves_a_sentence_for_its_nearest(index: InMemoryIndex) -> None:
    edges = index.neighbours_of([1, 2, 3, 4, 5], k=1)
    assert {one: near[0].id for one, near in edges.items()} == {1: 3, 2: 4, 3: 4, 4: 3, 5: 2}
    assert edges[3][0].similarity == pytest.approx(0.96)
    assert [near.id for near in index.neighbours_of([5], k=2)[5]] == [2, 4]


def test_gamma_and_n_choose_what_is_found_at_first_and_not_what_the_graph_adds(index: InMemoryIndex) -> None:
    by_gamma = retrieved(index, min_similarity=1.9)
    assert scores(by_gamma.trace.candidates) == {1: 2.0}
    assert scores(by_gamma.trace.expansion) == {3: 1.8}
    by_n = retrieved(index, max_sentences=2)
    assert scores(by_n.trace.candidates) == {1: 2.0, 3: 1.8}
    assert scores(by_n.trace.expansion) == {4: 1.6}


def test_hops_follow_edges_one_way_and_end_where_nothing_is_new(index: InMemoryIndex) -> None:
    assert expand([1], index, k=1, hops=0) == []
    assert expand([1], index, k=1, hops=1) == [3]
    assert expand([1], index, k=1, hops=2) == [3, 4]
    assert expand([1], index, k=1, hops=9) == [3, 4]  # nobody's nearest is 2 or 5


def test_a_chunks_score_is_the_mean_over_its_sentences_that_were_reached(index: InMemoryIndex) -> None:
    found = retrieved(index, max_sentences=1, hops=2)
    sessions = found.chunks[Unit.SESSION]
    assert [(one.id, one.sentence_ids) for one in sessions] == [(1, (1,)), (2, (3, 4))]
    assert [one.score for one in sessions] == pytest.approx([2.0, (1.8 + 1.6) / 2])
    turns = retrieved(index, chunk=Unit.TURN, max_sentences=1, hops=2).chunks[Unit.TURN]
    assert [one.score for one in turns] == pytest.approx([2.0, 1.8, 1.6])


def test_mean_and_max_rank_otherwise() -> None:
    reached = [ScoredUnit(Unit.SENTENCE, 1, 1.9), ScoredUnit(Unit.SENTENCE, 2, 1.8), ScoredUnit(Unit.SENTENCE, 3, 1.3)]
    places = {one: SentencePlace(one, turn_id=one, round_id=one, session_id=2 if one == 2 else 1) for one in (1, 2, 3)}
    by_mean = rank_chunks(reached, places, chunk=Unit.SESSION, aggregate=mean_similarity)
    by_max = rank_chunks(reached, places, chunk=Unit.SESSION, aggregate=max_similarity)
    assert [(one.id, one.score) for one in by_mean] == [(2, 1.8), (1, pytest.approx(1.6))]
    assert [(one.id, one.score) for one in by_max] == [(1, 1.9), (2, 1.8)]


def test_the_context_is_the_union_of_the_best_chunks_and_digests(index: InMemoryIndex) -> None:
    found = retrieved(index, digests=DIGESTS, top_k=1)
    assert [one.id for one in found.chunks[Unit.SESSION]] == [2]  # c2 draws the mean of session 1 down
    assert [(one.unit, one.id, one.score) for one in found.digests] == [
        (Unit.FACT, 2, pytest.approx(1.96)),
        (Unit.INSIGHT, 1, pytest.approx(1.8)),
    ]
    assert [one.id for one in found.sentences] == [3, 4]  # only those of the chosen session speak for it
    assert scores(found.trace.rankings["session"]) == {2: 1.7, 1: 1.5}


def test_nothing_near_enough_is_an_empty_context_that_says_why(index: InMemoryIndex) -> None:
    turned = RetrievalQuery("They went north.", asked_at=NOON)
    found = retrieve_by_sentence_graph(
        turned, index, recipe=Recipe(Unit.SESSION), config=SgmemConfig(min_similarity=2.0, neighbours=1)
    )
    assert [one.id for one in found.trace.candidates] == [2]
    nowhere = RetrievalQuery("Nowhere.", asked_at=NOON)
    empty = retrieve_by_sentence_graph(nowhere, index, recipe=Recipe(Unit.SESSION), config=LOCOMO)
    assert empty.is_empty
    assert empty.sentences == empty.trace.candidates == empty.trace.expansion == ()
    assert empty.reason == (
        "No sentence is near enough to the question: the nearest has 1.00 of 2, and 1.20 is asked for."
    )


def test_the_presets_are_those_of_section_4_4() -> None:
    assert SgmemConfig(neighbours=3, hops=1, max_sentences=15, min_similarity=1.0, top_k=5) == LONGMEMEVAL
    assert SgmemConfig(neighbours=1, hops=1, max_sentences=15, min_similarity=1.2, top_k=5) == LOCOMO


def test_edges_by_words_are_the_nearest_by_bm25(index: InMemoryIndex) -> None:
    edges = Bm25Edges(index).neighbours_of([1, 3, 5], k=1)
    assert {one: [near.id for near in nearest] for one, nearest in edges.items()} == {1: [3], 3: [1], 5: []}
    assert edges[1][0].similarity == {one.id: one.score for one in index.matching(Unit.SENTENCE, "East", limit=5)}[3]
    by_words = make_retriever("sgmem_s_bm25", index, config=SgmemConfig(neighbours=2, max_sentences=1))
    assert scores(by_words.retrieve(QUESTION, limit=5).trace.expansion) == {3: 1.8}

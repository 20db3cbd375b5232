"""Every way to find a context, by name, over one small dialogue."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest

from memory.core.errors import RetrieverUnfit, UnknownRetriever
from memory.core.sentence_graph.catalogue import RETRIEVERS, make_retriever
from memory.core.sentence_graph.config import Recipe, SgmemConfig
from memory.core.sentence_graph.in_memory import InMemoryIndex, WrittenDigest
from memory.core.sentence_graph.sgmem import SgmemRetriever
from memory.core.types import (
    CHUNKS,
    Entity,
    Polarity,
    Retrieval,
    RetrievalQuery,
    SourceSentence,
    Span,
    Tense,
    Triple,
    Unit,
)
from tests.fakes.memory import EARLY
from tests.fakes.spoken import asking, index_of, spoken

GRAPH_BASELINES = ("light_rag", "mini_rag", "kg_retriever")
PARROT = asking("Who adopted a parrot?")


@pytest.fixture
def index() -> InMemoryIndex:
    return index_of(
        spoken(0, "Ann: I adopted a green parrot.", "Bob: Parrots sing all day."),
        spoken(30, "Ann: My bicycle broke.", "Bob: Repair the bicycle then.", "Ann: The parrot watched me repair."),
        spoken(60, "Bob: I bake bread on Sundays.", "Ann: Bread with olives tastes best."),
        digests=[
            WrittenDigest(Unit.SUMMARY, "Ann adopted a parrot.", EARLY, session=1),
            WrittenDigest(Unit.SUMMARY, "Ann repaired her bicycle beside the parrot.", EARLY, session=2),
            WrittenDigest(Unit.FACT, "Ann adopted a green parrot.", EARLY, session=1),
            WrittenDigest(Unit.FACT, "Bob bakes bread on Sundays.", EARLY, session=3),
            WrittenDigest(Unit.INSIGHT, "Ann likes a parrot.", EARLY),
        ],
    )


class Known:
    """A knowledge graph of three triples."""

    ANN, PARROT, BOB = Entity(1, "Ann"), Entity(2, "parrot"), Entity(3, "Bob")

    def __init__(self) -> None:
        self.triples = [
            self.triple(1, self.ANN, "adopted", "parrot", 2, sentence_id=1, turn_id=1),
            self.triple(2, self.BOB, "bakes", "bread", None, sentence_id=6, turn_id=6),
            self.triple(3, self.ANN, "repaired", "bicycle", None, sentence_id=4, turn_id=4),
        ]

    @staticmethod
    def triple(
        number: int, subject: Entity, words: str, thing: str, thing_id: int | None, *, sentence_id: int, turn_id: int
    ) -> Triple:
        source = SourceSentence(sentence_id, f"{subject.label} {words} {thing}", subject.label, EARLY, turn_id=turn_id)
        return Triple(
            number, subject, words, thing, thing_id, Polarity.POSITIVE, Tense.PAST, None, None, EARLY, None, 1.0, source,
            Span(0, 1), phrase=words,
        )  # fmt: skip

    def entities_named(self, mentions: Sequence[str]) -> dict[str, list[Entity]]:
        every = (self.ANN, self.PARROT, self.BOB)
        return {one: [entity for entity in every if entity.label.lower() == one.lower()] for one in mentions}

    def triples_about(self, entity_ids: Sequence[int], *, as_object: bool = False, limit: int = 50) -> list[Triple]:
        ends = [(one, one.object_id if as_object else one.subject.id) for one in self.triples]
        return [triple for triple, end in ends if end in entity_ids][:limit]

    def triples_from(self, sentence_ids: Sequence[int], *, limit: int = 40) -> list[Triple]:
        return [triple for triple in self.triples if triple.source.id in sentence_ids][:limit]


def found_by(name: str, index: InMemoryIndex, query: RetrievalQuery = PARROT, *, limit: int = 2) -> Retrieval:
    known = Known()
    return make_retriever(name, index, known=known, read=known).retrieve(query, limit=limit)


@pytest.mark.parametrize("name", RETRIEVERS)
def test_a_retriever_has_its_name_and_keeps_to_the_limit(name: str, index: InMemoryIndex) -> None:
    known = Known()
    retriever = make_retriever(name, index, known=known, read=known)
    assert retriever.name == name
    found = retriever.retrieve(PARROT, limit=1)
    limit = 3 if name == "lc_full" else 1
    assert all(len(chunks) <= limit for chunks in found.chunks.values())
    assert all(sum(one.unit is kind for one in found.digests) <= 1 for kind in Unit)
    assert found.is_empty == (name == "no_history") == bool(found.reason)
    for chunks in found.chunks.values():
        assert [one.score for one in chunks] == sorted((one.score for one in chunks), reverse=True)


@pytest.mark.parametrize("name", [name for name in RETRIEVERS if name not in GRAPH_BASELINES])
def test_nothing_is_found_where_nothing_was_said_and_that_is_told(name: str) -> None:
    found = make_retriever(name, index_of()).retrieve(PARROT, limit=5)
    assert found.is_empty
    assert found.reason


@pytest.mark.parametrize("name", RETRIEVERS)
def test_a_recipe_has_the_kinds_that_its_name_says(name: str, index: InMemoryIndex) -> None:
    letter, _, digests = name.removeprefix("sgmem_").partition("_")
    if letter not in "trs" or digests in ("max", "bm25"):
        return
    found = found_by(name, index)
    assert list(found.chunks) == [{"t": Unit.TURN, "r": Unit.ROUND, "s": Unit.SESSION}[letter]]
    kinds = {"f": Unit.FACT, "m": Unit.SUMMARY, "i": Unit.INSIGHT}
    assert {one.unit for one in found.digests} == {kinds[one] for one in digests}


def test_the_chunk_that_says_it_is_found_first(index: InMemoryIndex) -> None:
    for name in ("t", "r", "s", "sgmem_t", "sgmem_r", "sgmem_s", "sgmem_s_max", "bm25_t", "bm25_s", "long_mem_eval"):
        [chunks] = found_by(name, index).chunks.values()
        assert chunks[0].id == 1, name


def test_what_shares_no_word_is_not_found_by_words(index: InMemoryIndex) -> None:
    found = found_by("bm25_t", index, asking("Where is the airplane?"))
    assert found.is_empty
    assert "word" in found.reason


def test_the_latest_sessions_come_newest_first_and_all_of_them_for_full(index: InMemoryIndex) -> None:
    assert [one.id for one in found_by("lc_latest", index).chunks[Unit.SESSION]] == [3, 2]
    assert [one.id for one in found_by("lc_full", index, limit=1).chunks[Unit.SESSION]] == [3, 2, 1]


def test_what_memory_bank_recalls_fades_less() -> None:
    index = index_of(*(spoken(day, "Ann: The parrot sings.") for day in (0, 10, 20)))
    bank = make_retriever("memory_bank", index)
    likeness = math.log(index.nearest(Unit.ROUND, index.embed(["parrot sings"])[0], limit=1)[0].score + 1)

    def recalled(day: int, limit: int) -> dict[int, float]:
        found = bank.retrieve(asking("parrot sings", day=day), limit=limit).chunks[Unit.ROUND]
        return {one.id: pytest.approx(one.score - likeness, abs=1e-4) for one in found}

    assert recalled(21, limit=1) == {3: -1.0}  # said a day ago
    assert recalled(31, limit=3) == {3: -5.0, 2: -21.0, 1: -31.0}  # ten days since the recall, at strength 2
    assert recalled(37, limit=3) == {3: -2.0, 2: -3.0, 1: -3.0}  # six days, at strengths 3, 2 and 2


def test_ld_agent_prefers_the_younger_of_two_events_alike() -> None:
    events = [
        WrittenDigest(Unit.SUMMARY, "Ann adopted a parrot.", spoken(0).started_at, session=1),
        WrittenDigest(Unit.SUMMARY, "Ann adopted a parrot.", spoken(90).started_at, session=2),
    ]
    index = index_of(spoken(0, "Ann: Hi."), spoken(90, "Ann: Hi."), digests=events)
    assert [one.id for one in found_by("ld_agent", index).digests] == [2, 1]


def test_a_session_is_found_by_a_fact_told_in_it(index: InMemoryIndex) -> None:
    query = asking("Which facts: Bob bakes bread on Sundays?")
    assert found_by("long_mem_eval", index, query).chunks[Unit.SESSION][0].id == 3


def test_relations_stand_for_the_turns_that_they_were_read_from(index: InMemoryIndex) -> None:
    for name in ("light_rag", "kg_retriever"):
        found = found_by(name, index)
        assert found.chunks[Unit.TURN][0].id == 1, name
        assert found.trace.rankings["relation"][0].id == 1
    assert {one.id for one in found_by("light_rag", index, asking("What is up?"), limit=9).chunks[Unit.TURN]} >= {1, 4}


def test_mini_rag_prefers_sessions_that_entities_lead_to() -> None:
    index = index_of(spoken(0, "Ann: The sky is blue."), spoken(1, "Ann: The sky is blue."))
    known = Known()
    known.triples = [Known.triple(1, Known.BOB, "likes", "skies", None, sentence_id=2, turn_id=2)]
    retriever = make_retriever("mini_rag", index, known=known)
    assert [one.id for one in retriever.retrieve(asking("The sky"), limit=2).chunks[Unit.SESSION]] == [1, 2]
    assert [one.id for one in retriever.retrieve(asking("The sky of Bob"), limit=2).chunks[Unit.SESSION]] == [2, 1]


def test_what_cannot_be_made_is_refused(index: InMemoryIndex) -> None:
    with pytest.raises(UnknownRetriever, match="no retriever 'oracle'"):
        make_retriever("oracle", index)
    for name in GRAPH_BASELINES:
        with pytest.raises(RetrieverUnfit, match="knowledge graph"):
            make_retriever(name, index)
    with pytest.raises(ValueError, match="ranks chunks"):
        SgmemRetriever("none", index, recipe=Recipe(digests=(Unit.FACT,)), config=SgmemConfig())


@pytest.mark.parametrize(
    "values", [{"neighbours": 0}, {"hops": -1}, {"max_sentences": 0}, {"min_similarity": 2.1}, {"min_similarity": -0.1}]
)
def test_hyperparameters_have_their_ranges(values: dict[str, int]) -> None:
    with pytest.raises(ValueError):
        SgmemConfig(**values)


def test_a_recipe_is_a_chunk_and_digests() -> None:
    for chunk in (*CHUNKS, None):
        assert Recipe(chunk).chunk is chunk
    for refused in (Unit.SENTENCE, Unit.WINDOW, Unit.FACT):
        with pytest.raises(ValueError, match="other things"):
            Recipe(refused)
    with pytest.raises(ValueError, match="other things"):
        Recipe(Unit.TURN, (Unit.ROUND,))

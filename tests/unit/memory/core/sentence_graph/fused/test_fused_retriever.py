"""`fused`: what each part is for, over small dialogues, and what holds for any."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from memory.adapters.segmenter import SyntokSegmenter
from memory.core.sentence_graph.catalogue import make_retriever
from memory.core.sentence_graph.fused.config import FUSED, FUSED_WITHOUT, FusedConfig
from memory.core.sentence_graph.fused.retriever import NOTHING_FOUND, FusedRetriever
from memory.core.sentence_graph.in_memory import InMemoryIndex, SpokenSession
from memory.core.types import Retrieval, Unit
from tests.fakes.spoken import asking, index_of, spoken

WORDS = "ann bob ran swam race tea cake dog rome june last week yesterday the of".split()
LINES = st.builds(
    lambda speaker, words: f"{speaker}: {' '.join(words)}.",
    st.sampled_from(["Ann", "Bob", "Assistant"]),
    st.lists(st.sampled_from(WORDS), min_size=0, max_size=6),
)
DIALOGUES = st.lists(st.lists(LINES, max_size=6), max_size=5)


def found(index: InMemoryIndex, question: str, *, config: FusedConfig = FUSED, limit: int = 10) -> Retrieval:
    return FusedRetriever(index, config=config).retrieve(asking(question), limit=limit)


def texts(index: InMemoryIndex, retrieval: Retrieval, unit: Unit = Unit.TURN) -> list[str]:
    return [one.text for one in index.passages_of(unit, [chunk.id for chunk in retrieval.chunks.get(unit, ())])]


def sessions_of(*lines: Sequence[str]) -> list[SpokenSession]:
    return [spoken(7 * number, *said) for number, said in enumerate(lines)]


def test_the_speaker_who_is_named_comes_first() -> None:
    index = index_of(
        spoken(0, "Bob: I ran a race for charity.", "Ann: Lovely."),
        spoken(7, "Ann: I ran a race for charity.", "Bob: Lovely."),
    )
    of_ann = found(index, "What race did Ann run for charity?")
    assert index.passages_of(Unit.TURN, [of_ann.chunks[Unit.TURN][0].id])[0].speaker == "Ann"
    of_bob = found(index, "What race did Bob run for charity?")
    assert index.passages_of(Unit.TURN, [of_bob.chunks[Unit.TURN][0].id])[0].speaker == "Bob"


def test_an_answer_is_found_by_the_question_before_it() -> None:
    index = index_of(
        spoken(0, "Bob: Which instrument do you play, Ann?", "Ann: Clarinet, since school."),
        spoken(7, "Bob: I cooked pasta.", "Ann: Tasty."),
        spoken(14, "Ann: My garden grows.", "Bob: Nice roses."),
    )
    assert texts(index, found(index, "Which instrument does Ann play?"))[0] == "Clarinet, since school."
    blind = replace(FUSED, word_weight=0.0, window_weight=0.0, session_weight=0.0)
    last = texts(index, found(index, "Which instrument does Ann play?", config=blind))[-1]
    assert last == "Clarinet, since school."


def test_a_date_in_the_question_finds_what_was_said_then() -> None:
    index = index_of(
        spoken(0, "Ann: I went bowling and won.", "Bob: Well done."),
        spoken(31, "Ann: I went bowling and won.", "Bob: Well done."),
        spoken(62, "Ann: I went bowling and won.", "Bob: Well done."),
    )
    # The first day is 10 January 2024, and the question's the 20th of March.
    query = asking("What did Ann win at last month?", day=70)
    assert FusedRetriever(index).retrieve(query, limit=1).chunks[Unit.TURN][0].id == 3
    deaf = FusedRetriever(index, config=FUSED_WITHOUT["time"])
    assert deaf.retrieve(query, limit=1).chunks[Unit.TURN][0].id == 1


def test_a_turn_that_tells_of_those_days_counts_too() -> None:
    index = index_of(
        spoken(0, "Ann: I went bowling today and won.", "Bob: Well done."),
        spoken(30, "Ann: I went bowling last month and won.", "Bob: Well done."),
    )
    asked = "What did Ann win at in January 2024?"
    scores = {turn.id: turn.score for turn in found(index, asked).chunks[Unit.TURN]}
    deaf = {turn.id: turn.score for turn in found(index, asked, config=FUSED_WITHOUT["told_time"]).chunks[Unit.TURN]}
    assert scores[3] == pytest.approx(deaf[3] + FUSED.told_time_weight)


def test_several_pieces_come_from_several_sessions() -> None:
    index = index_of(
        spoken(0, "Ann: I play sports.", "Ann: I play sports.", "Ann: I play sports."),
        spoken(7, "Bob: It rained.", "Ann: On Sundays in autumn I take a boat for sports."),
    )
    asked, two = "Which sports does Ann play?", 2
    together = found(index, asked, config=FUSED_WITHOUT["spreading"], limit=two)
    apart = found(index, asked, config=replace(FUSED, spread_penalty=10.0), limit=two)
    places = [
        [one.session_id for one in index.passages_of(Unit.TURN, [turn.id for turn in result.chunks[Unit.TURN]])]
        for result in (together, apart)
    ]
    assert places == [[1, 1], [1, 2]]


def test_a_session_with_several_good_turns_is_before_one_with_a_single() -> None:
    index = index_of(
        spoken(0, "Ann: We climbed a mountain.", "Bob: Tea is ready.", "Ann: The cat sleeps."),
        spoken(
            7, "Ann: We climbed a mountain.", "Bob: You climbed a mountain?", "Ann: A high mountain, we climbed it."
        ),
    )
    best = found(index, "Who climbed a mountain?").chunks[Unit.SESSION][0]
    assert best.id == 2


def test_a_session_is_found_by_its_words_alone() -> None:
    config = replace(FUSED, sentence_weight=0.0, turn_weight=0.0, window_weight=0.0, word_weight=0.0)
    index = index_of(spoken(0, "Ann: The parrot sang."), spoken(7, "Ann: It rained."))
    result = found(index, "Which parrot?", config=config)
    assert [chunk.id for chunk in result.chunks[Unit.SESSION]] == [1]
    assert result.chunks[Unit.TURN] == ()


def test_every_chunk_names_the_sentences_that_speak_for_it() -> None:
    index = index_of(spoken(0, "Ann: It rained. My parrot sang a song. We slept.", "Bob: Lovely."))
    result = found(index, "Which parrot sang?")
    turn, session = result.chunks[Unit.TURN][0], result.chunks[Unit.SESSION][0]
    assert turn.sentence_ids[0] == 2
    assert set(turn.sentence_ids) == {1, 2, 3}
    assert session.sentence_ids[0] == 2
    assert result.sentences[0].id == 2


def test_the_trace_has_what_each_part_ranked() -> None:
    index = index_of(spoken(0, "Ann: I ran a race in January.", "Bob: Well run."))
    rankings = found(index, "What race did Ann run in January?").trace.rankings
    assert set(rankings) == {
        "sentences", "turns", "windows", "words", "speaker", "time", "told time", "session words"
    }  # fmt: skip
    assert [one.id for one in rankings["speaker"]] == [1]
    assert [one.id for one in rankings["time"]] == [1, 2]


def test_nothing_near_is_said_and_not_filled_up() -> None:
    index = index_of(spoken(0, "Ann: It rained.", "Bob: All day."))
    result = found(index, "Quantenmechanik")
    assert result.is_empty
    assert result.reason == NOTHING_FOUND


def test_an_empty_memory_gives_nothing() -> None:
    assert found(index_of(), "Who?").reason == NOTHING_FOUND


class Favours:
    """A relevance model that likes one passage."""

    name = "favours"

    def __init__(self, wanted: str) -> None:
        self.wanted = wanted
        self.pairs: list[tuple[str, str]] = []

    def score_many(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        self.pairs += pairs
        return [float(self.wanted in passage) for _, passage in pairs]


def test_a_relevance_model_reads_the_first_turns_and_moves_them() -> None:
    index = index_of(*sessions_of(*[[f"Ann: The race number {number} was long."] for number in range(9)]))
    model = Favours("number 7")
    config = replace(FUSED, rerank_depth=8)
    retriever = FusedRetriever(index, config=config, relevance=model)
    before = found(index, "Which race was long?")
    result = retriever.retrieve(asking("Which race was long?"), limit=10)
    assert texts(index, result)[0] == "The race number 7 was long."
    assert len(model.pairs) == 8
    assert model.pairs[0] == ("Which race was long?", f"Ann: {texts(index, before)[0]}")
    assert {chunk.id for chunk in result.chunks[Unit.TURN]} == {chunk.id for chunk in before.chunks[Unit.TURN]}


class Alike:
    """An embedder for which everything means the same."""

    name = "alike"
    dimension = 4

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.full((len(texts), 4), 0.5, np.float32)


def test_sentences_that_are_all_the_same_are_bounded() -> None:
    said = spoken(0, *["Ann: Good morning."] * 300)
    index = InMemoryIndex([said], embedder=Alike(), segmenter=SyntokSegmenter())
    result = found(index, "Good morning?", limit=5)
    assert len({chunk.id for chunk in result.chunks[Unit.TURN]}) == 5
    assert all(len(ranking) <= FUSED.depth for ranking in result.trace.rankings.values())


@given(DIALOGUES, st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join) | st.text(max_size=40), st.integers(1, 6))
@settings(max_examples=60)
def test_whatever_is_asked_is_bounded_without_repetition_and_the_same_again(
    dialogues: list[list[str]], question: str, limit: int
) -> None:
    index = index_of(*sessions_of(*dialogues))
    result = found(index, question, limit=limit)
    for unit in (Unit.TURN, Unit.SESSION):
        chunks = result.chunks.get(unit, ())
        ids = [chunk.id for chunk in chunks]
        assert len(ids) == len(set(ids)) <= limit
        assert set(ids) <= set(index.latest(unit, limit=1000))
        assert len(set(sum((chunk.sentence_ids for chunk in chunks), ()))) == sum(
            len(chunk.sentence_ids) for chunk in chunks
        )
    scores = [chunk.score for chunk in result.chunks.get(Unit.SESSION, ())]
    assert scores == sorted(scores, reverse=True)
    assert bool(result.reason) is result.is_empty
    assert found(index, question, limit=limit) == result


@pytest.mark.parametrize("part", FUSED_WITHOUT)
def test_every_part_can_be_left_out(part: str) -> None:
    index = index_of(spoken(0, "Ann: I ran a race in January.", "Bob: Well run."))
    assert found(index, "Which races did Ann run in January?", config=FUSED_WITHOUT[part]).chunks[Unit.TURN]


def test_fused_is_a_retriever_by_name() -> None:
    index = index_of(spoken(0, "Ann: I ran a race."))
    assert texts(index, make_retriever("fused", index).retrieve(asking("Who ran a race?"), limit=1)) == [
        "I ran a race."
    ]

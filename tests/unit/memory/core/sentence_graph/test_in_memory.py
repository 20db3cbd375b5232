"""The index that measurements search."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memory.core.sentence_graph.in_memory import InMemoryIndex, WrittenDigest
from memory.core.types import SentencePlace, Unit
from tests.fakes.memory import EARLY
from tests.fakes.spoken import index_of, spoken


@pytest.fixture
def index() -> InMemoryIndex:
    return index_of(
        spoken(0, "Ann: I adopted a parrot. It sings.", "Bob: Lovely parrot.", "Ann: Thanks."),
        spoken(7, "Bob: My bicycle broke.", "Ann: Repair it."),
        digests=[
            WrittenDigest(Unit.FACT, "Ann adopted a parrot.", EARLY, session=1),
            WrittenDigest(Unit.INSIGHT, "Ann likes birds.", EARLY),
        ],
    )


def test_sentences_stand_in_turns_rounds_and_sessions(index: InMemoryIndex) -> None:
    assert index.places_of([1, 2, 3, 4, 6, 99, 0]) == {
        1: SentencePlace(1, turn_id=1, round_id=1, session_id=1),
        2: SentencePlace(2, turn_id=1, round_id=1, session_id=1),
        3: SentencePlace(3, turn_id=2, round_id=1, session_id=1),
        4: SentencePlace(4, turn_id=3, round_id=2, session_id=1),
        6: SentencePlace(6, turn_id=5, round_id=3, session_id=2),
    }


def test_passages_are_the_words_with_who_said_them_and_when(index: InMemoryIndex) -> None:
    [turn] = index.passages_of(Unit.TURN, [2])
    assert (turn.text, turn.speaker, turn.said_at, turn.session_id, turn.turn_id) == (
        "Lovely parrot.", "Bob", EARLY + timedelta(minutes=1), 1, 2,
    )  # fmt: skip
    [session] = index.passages_of(Unit.SESSION, [2, 3])
    assert session.text == "Bob: My bicycle broke.\nAnn: Repair it."
    assert (session.speaker, session.said_at, session.turn_id) == ("", EARLY + timedelta(days=7), None)
    [window] = index.passages_of(Unit.WINDOW, [5])
    assert window.text == "Bob: My bicycle broke.\nAnn: Repair it."
    assert [one.text for one in index.passages_of(Unit.SENTENCE, [2, 1])] == ["It sings.", "I adopted a parrot."]
    assert [one.session_id for one in index.passages_of(Unit.FACT, [1])] == [1]


def test_units_are_found_by_meaning_and_by_words(index: InMemoryIndex) -> None:
    vector = index.embed(["the parrot that was adopted"])[0]
    assert [found.id for found in index.nearest(Unit.FACT, vector, limit=5)] == [1]
    sentences = index.nearest(Unit.SENTENCE, vector, limit=2)
    assert [found.id for found in sentences] == [1, 3]
    assert index.similarities_to([1, 3, 99], vector) == {found.id: found.score for found in sentences}
    assert [found.id for found in index.matching(Unit.WINDOW, "bicycles", limit=5)] == [4, 5]
    assert [found.id for found in index.matching(Unit.TURN, "Ann's bicycle", limit=5)][:1] == [4]
    assert [found.id for found in index.matching(Unit.SESSION, "January", limit=5)] == [2, 1]  # the shorter first
    with pytest.raises(ValueError, match="round"):
        index.matching(Unit.ROUND, "bicycle", limit=5)


def test_a_sentence_has_the_vector_of_its_words_and_the_first_of_a_turn_its_speaker_too(index: InMemoryIndex) -> None:
    ann = index.embed(["Ann"])[0]
    near = index.similarities_to([1, 2, 3, 4], ann)
    assert {one: cosine > 0 for one, cosine in near.items()} == {1: True, 2: False, 3: False, 4: True}
    assert index.matching(Unit.SENTENCE, "Ann", limit=5) == []


def test_the_newest_come_first(index: InMemoryIndex) -> None:
    assert index.latest(Unit.SESSION, limit=1) == [2]
    assert index.latest(Unit.TURN, limit=9) == [5, 4, 3, 2, 1]


def test_more_neighbours_begin_with_the_fewer(index: InMemoryIndex) -> None:
    few = index.neighbours_of([1, 3, 99], k=1)
    more = index.neighbours_of([1, 3], k=3)
    assert few[3][0].id == 1
    assert few == {one: near[:1] for one, near in more.items()} == index.neighbours_of([1, 3], k=1)
    assert {len(near) for near in more.values()} == {3}


def test_an_empty_index_finds_nothing() -> None:
    empty = index_of()
    vector = empty.embed(["anything"])[0]
    assert empty.nearest(Unit.SENTENCE, vector, limit=3) == empty.matching(Unit.TURN, "anything", limit=3) == []
    assert empty.neighbours_of([1], k=2) == empty.similarities_to([1], vector) == {}
    assert empty.latest(Unit.SESSION, limit=3) == []


def test_digests_that_cannot_be_are_refused() -> None:
    with pytest.raises(ValueError, match="no digest"):
        index_of(digests=[WrittenDigest(Unit.TURN, "A turn.", EARLY)])
    with pytest.raises(ValueError, match="no session 2"):
        index_of(spoken(0, "Ann: Hi."), digests=[WrittenDigest(Unit.FACT, "A fact.", EARLY, session=2)])


def test_an_index_that_grew_between_searches_finds_what_one_built_at_once_finds() -> None:
    sessions = [
        spoken(0, "Ann: I adopted a parrot. It sings.", "Bob: Lovely parrot."),
        spoken(3, "Ann: Who has a bicycle?", "Bob: My bicycle broke."),
        spoken(7, "Bob: The parrot rides my bicycle.", "Ann: It sings and rides."),
    ]
    whole, grown = index_of(*sessions), index_of()
    vector = whole.embed(["a parrot on a bicycle"])[0]
    for session in sessions:
        grown.add(session)
        grown.nearest(Unit.TURN, vector, limit=3)
        grown.matching(Unit.WINDOW, "bicycle", limit=3)
        grown.neighbours_of([1], k=2)
    every = list(range(1, 9))
    assert grown.nearest(Unit.TURN, vector, limit=9) == whole.nearest(Unit.TURN, vector, limit=9)
    assert grown.matching(Unit.WINDOW, "bicycle", limit=9) == whole.matching(Unit.WINDOW, "bicycle", limit=9)
    assert grown.neighbours_of(every, k=2) == whole.neighbours_of(every, k=2)
    assert grown.similarities_to(every, vector) == whole.similarities_to(every, vector)
    assert [grown.count(unit) for unit in (Unit.TURN, Unit.SENTENCE, Unit.SESSION)] == [5, 6, 3]

"""The index over the database finds what the exact one in memory finds, in few queries, and only in its own space."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory import bootstrap
from memory.core.sentence_graph.in_memory import InMemoryIndex, SpokenSession, WrittenDigest
from memory.core.types import DIGESTS, Role, ScoredUnit, Unit, Utterance
from memory.models import DigestRecord, Round, SentenceRecord, Session, Space, Turn
from memory.services import (
    round_add_turn,
    round_complete,
    round_open,
    session_create,
    space_create,
    space_maintain,
)
from tests.fakes.engines import StopSegmenter, WordEmbedder
from tests.integration.memory.dialogues import START, new_session, say
from tests.integration.memory.sentence_graphs import assert_is_exact, index_wholly

pytestmark = pytest.mark.django_db

DIALOGUE = (
    (
        ("I went to the museum of Lyon with Bea. It rained all day.", "How was the museum?"),
        ("The paintings were old and the rain was loud.", "I love old paintings. Bea told me of them."),
    ),
    (
        ("I bought a guitar in Lyon.", "Which guitar did you buy?"),
        ("A red guitar. I bought it for Bea. I bought it for Bea.", "Lovely."),
        ("Nothing more. Nothing more.", "You said nothing at all."),
    ),
    (("Rivers rise when it rains. Rivers are loud then.", "The rivers of Lyon are two."),),
)
WITH_WORDS = (Unit.SENTENCE, Unit.TURN, Unit.WINDOW, Unit.SESSION)
TEXTS = ("guitar for Bea", "old paintings in the museum", "loud rain and rivers", "Ana", "nothing like it", "Monday")
SUMMARY = "Ana went to a museum in Lyon with Bea."


@pytest.fixture
def dialogue(space, extractor) -> Space:
    for number, rounds in enumerate(DIALOGUE):
        session = session_create(space=space, started_at=START + timedelta(days=number))
        for place, (asked, answered) in enumerate(rounds):
            at = session.started_at + timedelta(minutes=place)
            opened = round_open(session=session, speaker="Ana", role=Role.USER, text=asked, said_at=at).round
            round_add_turn(round=opened, speaker="Ben", role=Role.ASSISTANT, text=answered, said_at=at)
            round_complete(round=opened)
    space_maintain(space_id=space.pk)
    index_wholly(space)
    first = Session.objects.filter(space=space).earliest("pk")
    [vector] = WordEmbedder().embed([SUMMARY])
    for unit in DIGESTS:
        DigestRecord.objects.create(
            space=space,
            kind=unit.value,
            session=first if unit is Unit.SUMMARY else None,
            text=SUMMARY,
            said_at=START,
            embedding=vector,
        )
    return space


@pytest.fixture
def exact() -> InMemoryIndex:
    sessions = []
    for number, rounds in enumerate(DIALOGUE):
        started = START + timedelta(days=number)
        said = (
            tuple(
                Utterance(speaker, role, text, started + timedelta(minutes=place))
                for speaker, role, text in (("Ana", Role.USER, asked), ("Ben", Role.ASSISTANT, answered))
            )
            for place, (asked, answered) in enumerate(rounds)
        )
        sessions.append(SpokenSession(started, tuple(said)))
    digests = [WrittenDigest(unit, SUMMARY, START, session=1 if unit is Unit.SUMMARY else None) for unit in DIGESTS]
    index = InMemoryIndex(sessions, embedder=WordEmbedder(), segmenter=StopSegmenter(), digests=digests)
    said = [passage.text for passage in index.passages_of(Unit.SENTENCE, range(1, 100))]
    # A memory's sentence vectors are of the sentence alone; measurements put a turn's speaker before its first sentence.
    own = WordEmbedder().embed(said)
    index._vectors_of(Unit.SENTENCE)[:] = own
    index._vectors_of(Unit.SENTENCE, evident=True)[:] = own[np.array(index._evidence[Unit.SENTENCE]) - 1]
    return index


class Numbers:
    """The ids of a space beside those of the index in memory, which counts each kind from 1."""

    def __init__(self, space: Space) -> None:
        said = SentenceRecord.objects.filter(space=space)
        turns = Turn.objects.filter(pk__in=said.values("turn"))
        self.ids: dict[Unit, list[int]] = {
            Unit.SENTENCE: list(said.order_by("pk").values_list("pk", flat=True)),
            Unit.TURN: list(turns.order_by("pk").values_list("pk", flat=True)),
            Unit.ROUND: list(Round.objects.filter(space=space).order_by("pk").values_list("pk", flat=True)),
            Unit.SESSION: list(Session.objects.filter(space=space).order_by("pk").values_list("pk", flat=True)),
        }
        self.ids[Unit.WINDOW] = self.ids[Unit.TURN]
        for unit in DIGESTS:
            rows = DigestRecord.objects.filter(space=space, kind=unit.value)
            self.ids[unit] = list(rows.values_list("pk", flat=True))

    def of(self, unit: Unit, found: int) -> int:
        return self.ids[unit].index(found) + 1

    def scored(self, found: Sequence[ScoredUnit]) -> list[tuple[int, float]]:
        return [(self.of(one.unit, one.id), pytest.approx(one.score, abs=1e-5)) for one in found]


def plain(found: Sequence[ScoredUnit]) -> list[tuple[int, float]]:
    return [(one.id, one.score) for one in found]


@pytest.mark.parametrize("unit", list(Unit))
def test_nearest_is_what_the_exact_index_finds(dialogue, exact, unit):
    index, numbers = bootstrap.dialogue_index(dialogue.pk), Numbers(dialogue)
    for text in TEXTS:
        [vector] = index.embed([text])
        for limit in (0, 2, 30):
            wanted = exact.nearest(unit, vector, limit=limit)
            found = index.nearest(unit, vector, limit=limit)
            assert [one.score for one in found] == pytest.approx([one.score for one in wanted], abs=1e-6)
            assert limit < 30 or sorted(numbers.scored(found)) == sorted(plain(wanted)), text


@pytest.mark.parametrize("unit", WITH_WORDS)
def test_matching_is_what_the_exact_index_finds(dialogue, exact, unit):
    index, numbers = bootstrap.dialogue_index(dialogue.pk), Numbers(dialogue)
    for text in TEXTS:
        for limit in (0, 1, 3, 30):
            found = index.matching(unit, text, limit=limit)
            assert numbers.scored(found) == plain(exact.matching(unit, text, limit=limit)), text


@pytest.mark.parametrize("unit", [Unit.ROUND, *DIGESTS])
def test_what_has_no_words_is_not_matched(dialogue, unit):
    with pytest.raises(ValueError, match="no index of the words"):
        bootstrap.dialogue_index(dialogue.pk).matching(unit, "guitar", limit=3)


def test_common_words_count_for_what_rare_words_chose(dialogue, exact, monkeypatch):
    monkeypatch.setattr("memory.stores.lexicon.POSTINGS_READ", 2)
    index, numbers = bootstrap.dialogue_index(dialogue.pk), Numbers(dialogue)
    wanted = dict(plain(exact.matching(Unit.TURN, "museum Ana", limit=30)))
    found = numbers.scored(index.matching(Unit.TURN, "museum Ana", limit=30))
    assert found
    assert all(score == wanted[one] for one, score in found)


def test_edges_places_and_sentences_are_those_of_the_exact_index(dialogue, exact):
    index, numbers = bootstrap.dialogue_index(dialogue.pk), Numbers(dialogue)
    sentences = numbers.ids[Unit.SENTENCE]
    places, edges = index.places_of(sentences), index.neighbours_of(sentences, k=3)
    assert len(places) == len(edges) == len(sentences)
    for number, sentence in enumerate(sentences, start=1):
        place = exact.places_of([number])[number]
        assert numbers.of(Unit.TURN, places[sentence].turn_id) == place.turn_id
        assert numbers.of(Unit.ROUND, places[sentence].round_id) == place.round_id
        assert numbers.of(Unit.SESSION, places[sentence].session_id) == place.session_id
        wanted = exact.neighbours_of([number], k=3)[number]
        assert [(numbers.of(Unit.SENTENCE, one.id), one.similarity) for one in edges[sentence]] == [
            (one.id, one.similarity) for one in wanted
        ]
        assert index.neighbours_of([sentence], k=1)[sentence] == edges[sentence][:1]
    of_turns = index.sentences_of(numbers.ids[Unit.TURN])
    for turn, found in of_turns.items():
        number = numbers.of(Unit.TURN, turn)
        assert [numbers.of(Unit.SENTENCE, one) for one in found] == exact.sentences_of([number])[number]
    assert index.places_of([0]) == index.neighbours_of([0], k=3) == index.sentences_of([0]) == {}


def test_similarities_are_those_of_the_exact_index(dialogue, exact):
    index, numbers = bootstrap.dialogue_index(dialogue.pk), Numbers(dialogue)
    [vector] = index.embed(["a red guitar"])
    sentences = numbers.ids[Unit.SENTENCE]
    found = index.similarities_to([*sentences, 0], vector)
    wanted = exact.similarities_to(range(1, len(sentences) + 1), vector)
    assert {numbers.of(Unit.SENTENCE, one): pytest.approx(score, abs=1e-6) for one, score in found.items()} == wanted


@pytest.mark.parametrize("unit", list(Unit))
def test_passages_and_the_latest_are_those_of_the_exact_index(dialogue, exact, unit):
    index, numbers = bootstrap.dialogue_index(dialogue.pk), Numbers(dialogue)
    ids = numbers.ids[unit]
    passages = index.passages_of(unit, [ids[-1], *ids[:-1], 0])
    assert [one.id for one in passages] == [ids[-1], *ids[:-1]]
    for found in passages:
        [wanted] = exact.passages_of(unit, [numbers.of(unit, found.id)])
        renumbered = replace(
            found,
            id=wanted.id,
            session_id=found.session_id and numbers.of(Unit.SESSION, found.session_id),
            turn_id=found.turn_id and numbers.of(Unit.TURN, found.turn_id),
        )
        assert renumbered == wanted
    for limit in (1, 3, 50):
        assert [numbers.of(unit, one) for one in index.latest(unit, limit=limit)] == exact.latest(unit, limit=limit)
    assert index.count(unit) == exact.count(unit)


def test_every_call_is_a_few_queries_whatever_its_batch(dialogue):
    index, numbers = bootstrap.dialogue_index(dialogue.pk), Numbers(dialogue)
    sentences, turns = numbers.ids[Unit.SENTENCE], numbers.ids[Unit.TURN]
    [vector] = index.embed(["guitar"])
    calls = [
        (2, lambda: index.nearest(Unit.SENTENCE, vector, limit=10)),
        (2, lambda: index.neighbours_of(sentences, k=3)),
        (1, lambda: index.similarities_to(sentences, vector)),
        (1, lambda: index.places_of(sentences)),
        (1, lambda: index.sentences_of(turns)),
        (1, lambda: index.passages_of(Unit.TURN, turns)),
        (1, lambda: index.passages_of(Unit.WINDOW, turns)),
        (2, lambda: index.passages_of(Unit.SESSION, numbers.ids[Unit.SESSION])),
        (4, lambda: index.matching(Unit.SESSION, "guitar for Bea", limit=10)),
        (5, lambda: index.matching(Unit.SENTENCE, "guitar for Bea", limit=10)),
    ]
    for most, call in calls:
        with CaptureQueriesContext(connection) as seen:
            assert call()
        assert len(seen) <= most


def test_an_index_finds_nothing_of_another_space(dialogue, ana):
    other = space_create(name="Another", owner=ana)
    index, numbers = bootstrap.dialogue_index(other.pk), Numbers(dialogue)
    [vector] = index.embed(["guitar"])
    sentences = numbers.ids[Unit.SENTENCE]
    for unit in Unit:
        assert index.nearest(unit, vector, limit=9) == []
        assert index.latest(unit, limit=9) == []
        assert index.passages_of(unit, numbers.ids[unit]) == []
    assert all(index.matching(unit, "guitar", limit=9) == [] for unit in WITH_WORDS)
    assert index.neighbours_of(sentences, k=3) == index.places_of(sentences) == {}
    assert index.similarities_to(sentences, vector) == index.sentences_of(numbers.ids[Unit.TURN]) == {}


def test_a_turn_without_words_is_nowhere_and_breaks_nothing(space, extractor):
    say(new_session(space), "", "...", "I like tea.")
    space_maintain(space_id=space.pk)
    assert Round.objects.filter(space=space, maintenance="done").count() == 3
    index = bootstrap.dialogue_index(space.pk)
    [found] = index.matching(Unit.TURN, "tea", limit=5)
    assert index.passages_of(Unit.TURN, [found.id])[0].text == "I like tea."
    assert not index.nearest(Unit.TURN, index.embed(["tea"])[0], limit=0)
    assert_is_exact(space)

"""The stored graph equals the one built from scratch, whatever was said and forgotten, and in whatever process."""

from __future__ import annotations

import random
import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory.core.sentence_graph.neighbours import NeighbourGraph
from memory.models import OutboxRecord, Round, SentenceEdge, SentenceRecord, Session, Space
from memory.services import round_retract, session_forget, space_maintain
from memory.services import sentence_graph as graph_service
from memory.services.edits.forget_many import memory_forget
from memory.services.indexing import space_index, spaces_to_index
from memory.services.round_words import RoundReading, space_state
from memory.services.stages import Stage, store_words
from memory.stores.neighbour_graphs import NeighbourGraphs
from tests.integration.memory.dialogues import new_session, say
from tests.integration.memory.sentence_graphs import (
    assert_is_exact,
    committed,
    index_wholly,
    killed_before_commit,
    lists_from_scratch,
    stored_lists,
)

pytestmark = pytest.mark.django_db

THINGS = "tea coffee rain snow books music Paris Lyon rivers trains cats dogs bread".split()


class Processes:
    """Two processes with a cache of their own; `now` is the one that works."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.caches = [NeighbourGraphs(10**9), NeighbourGraphs(10**9)]
        self.now = 0
        monkeypatch.setattr(graph_service, "graphs", lambda: self.caches[self.now])
        monkeypatch.setattr("memory.services.indexing.graphs", lambda: self.caches[self.now])

    def restart(self) -> None:
        self.caches[self.now] = NeighbourGraphs(10**9)


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> Processes:
    return Processes(monkeypatch)


@pytest.fixture(autouse=True)
def worth_a_glance(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compare new sentences ahead, on a thread, also with few others."""
    monkeypatch.setattr(graph_service, "WORTH_A_GLANCE", 1)


def maintain(space: Space) -> None:
    with committed():
        space_maintain(space_id=space.pk)


def sentence(chosen: random.Random) -> str:
    return f"I like {chosen.choice(THINGS)} and {chosen.choice(THINGS)}."


def test_a_rounds_sentences_are_compared_with_the_others_once(space, ana, extractor, processes, monkeypatch):
    session = new_session(space)
    say(session, "I like tea. I like rain. I like trains.")
    maintain(space)
    compared: list[int] = []
    nearness = NeighbourGraph._nearness

    def spied(graph, vectors, known=None):
        compared.append(graph._rows - (0 if known is None else known.shape[1]))
        return nearness(graph, vectors, known)

    monkeypatch.setattr(NeighbourGraph, "_nearness", spied)
    say(session, "I like cats. I like bread.")
    maintain(space)
    assert compared == [2]
    assert_is_exact(space)


@pytest.mark.parametrize("seed", range(5))
def test_edges_are_exact_after_any_sequence(space, ana, extractor, processes, seed):
    chosen = random.Random(seed)
    sessions: list[Session] = []
    for _ in range(14):
        processes.now = chosen.randrange(2)
        match chosen.choice(["say", "say", "say", "restart", "retract", "forget", "session", "index"]):
            case "say":
                if not sessions or chosen.random() < 0.3:
                    sessions.append(new_session(space))
                say(chosen.choice(sessions), " ".join(sentence(chosen) for _ in range(chosen.randrange(1, 4))))
                maintain(space)
            case "restart":
                processes.restart()
            case "retract":
                rounds = list(Round.objects.filter(space=space, maintenance="done"))
                if rounds:
                    round_retract(round=chosen.choice(rounds))
            case "forget":
                known = list(SentenceRecord.objects.filter(space=space).values_list("pk", flat=True))
                memory_forget(space=space, by=ana, sentences=chosen.sample(known, min(2, len(known))))
            case "session":
                if sessions:
                    session_forget(session=sessions.pop(chosen.randrange(len(sessions))))
            case "index":
                index_wholly(space)
                assert_is_exact(space)
    index_wholly(space)
    assert_is_exact(space)


def test_a_round_says_its_edges_at_once(space, extractor, processes):
    for text in ("I like tea. I like rain.", "I like tea and rain.", "I like books."):
        say(new_session(space), text)
        maintain(space)
        assert_is_exact(space)
    space.refresh_from_db()
    assert space.is_indexed


def test_a_list_that_lost_a_neighbour_is_short_until_the_promised_task_ran(space, ana, extractor, processes):
    say(new_session(space), "I like tea.", "I like tea and rain.", "I like tea and books.", "I like tea and music.")
    maintain(space)
    OutboxRecord.objects.all().delete()
    lost = SentenceRecord.objects.get(text="I like tea and rain.")
    bereft = set(SentenceEdge.objects.filter(neighbour=lost).values_list("sentence_id", flat=True))
    memory_forget(space=space, by=ana, sentences=[lost.pk])
    for one in bereft:
        assert SentenceEdge.objects.filter(sentence=one).count() < 3
    assert OutboxRecord.objects.filter(task="memory.index_space", arguments={"space_id": space.pk}).exists()
    assert space in spaces_to_index()
    index_wholly(space)
    assert bereft
    assert_is_exact(space)
    assert space not in spaces_to_index()


def test_a_restarted_process_completes_lists_from_the_database_alone(space, ana, extractor, processes):
    say(new_session(space), *(f"I like {one} and tea." for one in THINGS))
    maintain(space)
    processes.restart()
    memory_forget(space=space, by=ana, sentences=[SentenceRecord.objects.get(text="I like rain and tea.").pk])
    say(new_session(space), "I like rain too.")
    maintain(space)
    assert stored_lists(space) == lists_from_scratch(space)


def test_a_write_that_was_killed_leaves_nothing_doubled(space, extractor, processes):
    say(new_session(space), "I like tea. I like rain.")
    maintain(space)
    [round] = say(new_session(space), "I like tea and rain.")
    with killed_before_commit():
        space_maintain(space_id=space.pk)
    assert SentenceRecord.objects.filter(turn__round=round).count() == 0
    maintain(space)
    assert_is_exact(space)


def rerun(stage: Stage, round: Round) -> None:
    stage(RoundReading(round, space_state(round.space_id)))(space_state(round.space_id))


def test_a_stage_that_is_run_again_changes_nothing(space, extractor, processes):
    [round] = say(new_session(space), "I like tea. I like rain.")
    maintain(space)
    before = stored_lists(space)
    with committed():
        rerun(graph_service.link_words, round)
    assert stored_lists(space) == before
    assert_is_exact(space)


def test_words_that_are_stored_again_are_there_once(space, extractor, processes):
    rounds = say(new_session(space), "I like tea. I like rain.", "I like books.")
    maintain(space)
    before = list(SentenceRecord.objects.filter(space=space).order_by("turn", "index").values_list("turn", "text"))
    for stage in (store_words, graph_service.link_words):
        with committed():
            rerun(stage, rounds[0])
    again = list(SentenceRecord.objects.filter(space=space).order_by("turn", "index").values_list("turn", "text"))
    assert again == before
    index_wholly(space)
    assert_is_exact(space)


def test_a_memory_of_before_gets_its_graph_in_steps_that_may_be_killed(space, extractor, processes, monkeypatch):
    say(new_session(space), *(f"I like {one}. It is {one}." for one in THINGS))
    maintain(space)
    Space.objects.filter(pk=space.pk).update(is_indexed=False, linked_until=0, index_revision=99)
    for table in ("SentenceEdge", "RoundVector", "SessionVector", "TurnVector", "WordRecord", "LexiconRecord"):
        getattr(__import__("memory.models", fromlist=[table]), table).objects.filter(space=space).delete()
    monkeypatch.setattr("memory.services.indexing.STEP", 7)
    assert not space_index(space_id=space.pk, seconds=0)
    processes.restart()
    with committed():
        space_index(space_id=space.pk, seconds=0.2)
    processes.restart()
    index_wholly(space)
    assert_is_exact(space)


def test_a_round_does_not_wait_for_many_old_sentences(space, extractor, processes, monkeypatch):
    monkeypatch.setattr(graph_service, "STEP", 3)
    say(new_session(space), "One. Two. Three. Four. Five.")
    maintain(space)
    assert not SentenceEdge.objects.exists()
    space.refresh_from_db()
    assert not space.is_indexed
    index_wholly(space)
    assert_is_exact(space)


def test_a_round_reads_no_vectors_of_sentences_that_it_does_not_wait_for(space, extractor, processes, monkeypatch):
    monkeypatch.setattr(graph_service, "STEP", 3)
    say(new_session(space), "One. Two. Three. Four. Five.")
    maintain(space)
    promised = OutboxRecord.objects.filter(task=graph_service.INDEX_TASK)
    promised.delete()
    say(new_session(space), "Six.")
    with CaptureQueriesContext(connection) as captured:
        maintain(space)
    assert not [
        one["sql"] for one in captured if re.match(r'SELECT [^F]*"memory_sentencerecord"."embedding"', one["sql"])
    ]
    # What was promised before and is not done yet is not promised again.
    assert not promised.exists()


def test_the_task_lets_go_of_a_space_that_somebody_else_holds(space, extractor, processes):
    say(new_session(space), "I like tea.")
    maintain(space)
    graph_service.index_promise(space.pk)
    held = space_state(space.pk)
    from memory.services.maintenance import space_lease_take

    assert space_lease_take(space.pk) is not None
    assert not space_index(space_id=space.pk)
    assert space_state(space.pk).index_revision == held.index_revision


def test_a_cache_forgets_the_graph_that_was_used_longest_ago(space, ana, extractor, monkeypatch):
    from memory.services import space_create

    small = NeighbourGraphs(1)
    monkeypatch.setattr(graph_service, "graphs", lambda: small)
    other = space_create(name="Another", owner=ana)
    for one in (space, other):
        say(new_session(one), "I like tea.")
        maintain(one)
    assert other.pk in small and space.pk not in small
    assert small.nbytes > 1
    say(new_session(space), "I like tea again.")
    maintain(space)
    assert_is_exact(space)

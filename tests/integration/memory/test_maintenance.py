"""Maintenance runs in order, once, and survives what happens to its worker."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memory import bootstrap
from memory.core.errors import ModelUnreachable
from memory.models import (
    ConflictRecord,
    EntityRecord,
    MaintenanceState,
    OutboxRecord,
    Round,
    SentenceRecord,
    Session,
    Space,
    TripleRecord,
    Turn,
)
from memory.services import (
    maintenance_retry,
    round_complete,
    round_retract,
    session_forget,
    space_forget,
    space_maintain,
)
from memory.services.leases import Lease, LeaseLost
from memory.services.maintenance import space_lease_take
from tests.integration.memory.dialogues import new_session, say
from tests.threads import seeing_thread

pytestmark = pytest.mark.django_db


def active(space: Space) -> list[str]:
    return list(TripleRecord.objects.filter(space=space, superseded_at=None).values_list("value", flat=True))


def test_round_becomes_sentences_and_triples_with_provenance(space, extractor):
    [round] = say(new_session(space), "Well, hello. I live in Paris.")
    assert space_maintain(space_id=space.pk) == 1
    round.refresh_from_db()
    triple = TripleRecord.objects.get()
    assert round.maintenance == MaintenanceState.DONE
    assert set(round.stage_ms) == {
        "words", "sentences", "embeddings", "postings", "links", "edges", "sessions", "graph", "extraction", "statement",
        "conflicts", "update", "check", "senses", "facts", "summaries", "insights", "digests",
    }  # fmt: skip
    assert (triple.subject.label, triple.predicate, triple.object.label) == ("Ana", "livesIn", "Paris")
    assert triple.subject.is_speaker
    assert triple.sentence.text[triple.span_start : triple.span_end] == "I live in Paris"
    turn = triple.sentence.turn
    assert turn.text[triple.sentence.start : triple.sentence.end] == triple.sentence.text
    assert (triple.said_by, triple.said_at) == ("Ana", turn.said_at)


def test_new_functional_value_supersedes_the_old_one(space, extractor):
    say(new_session(space), "I live in Paris.", "I live in Lyon.")
    space_maintain(space_id=space.pk)
    assert active(space) == ["Lyon"]
    old = TripleRecord.objects.get(value="Paris")
    assert old.superseded_by.value == "Lyon"
    assert ConflictRecord.objects.values_list("old__value", "new__value", "rule").get() == (
        "Paris", "Lyon", "functional_value",
    )  # fmt: skip


def test_maintenance_of_nothing_writes_nothing(space, extractor):
    say(new_session(space), "I live in Paris.")
    space_maintain(space_id=space.pk)
    before = SentenceRecord.objects.count(), TripleRecord.objects.count()
    assert space_maintain(space_id=space.pk) == 0
    assert (SentenceRecord.objects.count(), TripleRecord.objects.count()) == before


def test_worker_that_died_in_the_graph_stage_leaves_no_double(space, extractor):
    [round] = say(new_session(space), "I live in Paris.")

    def die() -> None:
        raise SystemExit

    extractor.before = die
    with pytest.raises(SystemExit):
        space_maintain(space_id=space.pk)
    round.refresh_from_db()
    assert (round.maintenance, round.maintenance_stage) == (MaintenanceState.RUNNING, "words")

    extractor.before = lambda: None
    assert space_maintain(space_id=space.pk) == 1
    assert active(space) == ["Paris"]
    assert SentenceRecord.objects.filter(turn__round=round).count() == 2


def test_failed_round_says_why_and_does_not_hold_up_the_next(space, extractor):
    def fail_once() -> None:
        extractor.before = lambda: None
        raise ModelUnreachable("The server at http://127.0.0.1:1 does not answer.")

    extractor.before = fail_once
    failed, fine = say(new_session(space), "I live in Paris.", "I live in Lyon.")
    space_maintain(space_id=space.pk)
    failed.refresh_from_db()
    fine.refresh_from_db()
    assert (failed.maintenance, fine.maintenance) == (MaintenanceState.FAILED, MaintenanceState.DONE)
    assert failed.maintenance_error == "The server at http://127.0.0.1:1 does not answer."

    maintenance_retry(round=failed)
    space_maintain(space_id=space.pk)
    failed.refresh_from_db()
    assert (failed.maintenance, failed.maintenance_error) == (MaintenanceState.DONE, "")
    paris = TripleRecord.objects.get(value="Paris")
    lyon = TripleRecord.objects.get(value="Lyon")
    assert paris.valid_to == lyon.said_at, "Paris was learnt after Lyon, but said before it."
    assert (lyon.valid_to, lyon.superseded_at) == (None, None)


def test_space_under_another_workers_lease_is_left_alone(space, extractor):
    say(new_session(space), "I live in Paris.")
    assert space_lease_take(space.pk) is not None
    assert space_maintain(space_id=space.pk) == 0
    assert active(space) == []

    Space.objects.update(maintenance_until=timezone.now() - timedelta(seconds=1))
    assert space_maintain(space_id=space.pk) == 1
    assert active(space) == ["Paris"]


def test_worker_that_lost_its_lease_commits_nothing(space, extractor):
    say(new_session(space), "I live in Paris.")
    extractor.before = lambda: Space.objects.update(maintenance_token=uuid.uuid4()) and None
    space_maintain(space_id=space.pk)
    assert active(space) == []
    lease = space_lease_take(space.pk)
    assert lease is None
    stale = Space.objects.get()
    assert stale.maintenance_token is not None


def test_lease_of_another_token_cannot_commit(space):
    lease = space_lease_take(space.pk)
    Space.objects.update(maintenance_token=uuid.uuid4())
    with pytest.raises(LeaseLost), lease.committing():
        pytest.fail("the block must not run")


def test_round_that_comes_while_the_lease_ends_is_promised_again(space, extractor, monkeypatch):
    session = new_session(space)
    say(session, "I live in Paris.")
    release = Lease.release

    def release_late(lease) -> None:
        release(lease)
        say(session, "I live in Lyon.")
        OutboxRecord.objects.all().delete()

    monkeypatch.setattr(Lease, "release", release_late)
    space_maintain(space_id=space.pk)
    assert OutboxRecord.objects.filter(arguments={"space_id": space.pk}).count() == 1


def test_task_that_has_maintained_long_enough_promises_the_rest(space, extractor):
    say(new_session(space), "I live in Paris.", "I live in Lyon.")
    OutboxRecord.objects.all().delete()
    assert space_maintain(space_id=space.pk, seconds=0.001) <= 1
    assert OutboxRecord.objects.filter(arguments={"space_id": space.pk}).exists()
    assert space_lease_take(space.pk) is not None


@pytest.mark.django_db(transaction=True)
def test_two_workers_at_once_learn_every_round_once(space, extractor):
    say(new_session(space), *(f"I live in City{index}." for index in range(12)))

    def work() -> None:
        space_maintain(space_id=space.pk)
        connection.close()

    workers = [seeing_thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert TripleRecord.objects.count() == 12
    assert active(space) == ["City11"]
    assert ConflictRecord.objects.count() == 11


def test_cost_of_a_round_does_not_grow_with_the_graph(space, extractor):
    session = new_session(space)
    say(session, "I live in Oslo.")
    space_maintain(space_id=space.pk)
    small = queries_of_a_round(space, session, "I live in Nice.")
    say(session, *(f"I live in City{index}." for index in range(30)))
    space_maintain(space_id=space.pk)
    assert queries_of_a_round(space, session, "I live in Lyon.") == small
    assert small <= 78, (
        "with the look that finds no further round, what a promise of scores asks, what a title does, and the numbers of "
        "rows that are written together"
    )


def queries_of_a_round(space: Space, session: Session, words: str) -> int:
    say(session, words)
    with CaptureQueriesContext(connection) as captured:
        space_maintain(space_id=space.pk)
    return len(captured)


@pytest.mark.parametrize("stage", ["segmenter", "engine"])
def test_round_that_is_edited_while_it_is_read_is_read_again_from_its_new_words(space, extractor, monkeypatch, stage):
    [round] = say(new_session(space), "I live in Paris.")
    during_maintenance(monkeypatch, stage, lambda: edit(round, "I live in Lyon."))
    space_maintain(space_id=space.pk)
    round.refresh_from_db()
    assert round.maintenance == MaintenanceState.WAITING
    assert not TripleRecord.objects.exists() and not SentenceRecord.objects.exists()
    round_complete(round=round)
    assert space_maintain(space_id=space.pk) == 1
    assert active(space) == ["Lyon"]
    assert list(SentenceRecord.objects.values_list("text", flat=True)) == ["I live in Lyon."]


@pytest.mark.parametrize("stage", ["segmenter", "engine"])
@pytest.mark.parametrize("forget", ["session", "space"])
def test_what_is_forgotten_while_it_is_read_does_not_come_back(space, extractor, monkeypatch, caplog, stage, forget):
    session = new_session(space)
    say(session, "I live in Paris.")
    say(new_session(space), "I live in Nice.")
    acts = {
        "session": lambda: session_forget(session=session),
        "space": lambda: space_forget(space=Space.objects.get(pk=space.pk)),
    }
    during_maintenance(monkeypatch, stage, acts[forget])
    space_maintain(space_id=space.pk)
    assert active(space) == (["Nice"] if forget == "session" else [])
    assert not any("Paris" in text for text in SentenceRecord.objects.values_list("text", flat=True))
    assert not EntityRecord.objects.filter(label="Paris").exists()
    assert not caplog.records


def edit(round: Round, text: str) -> None:
    round_retract(round=round)
    Turn.objects.filter(round=round).update(text=text)


def during_maintenance(monkeypatch: pytest.MonkeyPatch, part: str, act: Callable[[], None]) -> None:
    """Do something, once, while the named part of the memory is at work outside of any transaction of maintenance."""
    make, done = getattr(bootstrap, part), []

    def made(*names: str) -> object:
        if not done:
            done.append(True)
            act()
        return make(*names)

    monkeypatch.setattr(bootstrap, part, made)

"""Hearing a message: the person's words are read before the reply to them, and once, whoever writes the memory."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from memory.core.errors import ModelUnreachable
from memory.core.types import Learnt, Role
from memory.models import MaintenanceState, Round, RoundVector, SentenceRecord, Session, Space, TripleRecord
from memory.services import round_add_turn, round_complete, round_open, session_create, space_create, space_maintain
from memory.services.hearing import SpaceListener, others_unfinished
from memory.services.maintenance import space_lease_take
from memory.services.recording import RoundToRecord, TurnToRecord, rounds_record
from tests.integration.memory.dialogues import START, new_session, say

pytestmark = pytest.mark.django_db


def asked(session: Session, text: str) -> Round:
    """Return a round that waits for its reply."""
    return round_open(
        session=session, speaker="Ana", role=Role.USER, text=text, said_at=START + timedelta(hours=1)
    ).round


def answer(round: Round, text: str = "Noted: you live in Lyon.") -> None:
    round_add_turn(round=round, speaker="assistant", role=Role.ASSISTANT, text=text, said_at=START, is_generated=True)
    round_complete(round=round)


def hear(space: Space, round: Round) -> Learnt | None:
    return SpaceListener(space_id=space.pk, within_s=0).hear(round.pk)


def stands(round: Round) -> tuple[str, str]:
    return Round.objects.values_list("maintenance", "maintenance_stage").get(pk=round.pk)


def values(learnt: Learnt | None) -> list[tuple[str, list[str]]] | None:
    return learnt and [(one.triple.object, [old.object for old in one.replaced]) for one in learnt.triples]


def test_what_was_heard_is_stored_and_what_it_replaced_told(space, extractor):
    session = new_session(space)
    say(session, "I live in Paris.")
    space_maintain(space_id=space.pk)
    round = asked(session, "I live in Lyon.")
    assert values(hear(space, round)) == [("Lyon", ["Paris"])]
    assert stands(round) == (MaintenanceState.WAITING, "graph")
    assert list(TripleRecord.objects.filter(superseded_at=None).values_list("value", flat=True)) == ["Lyon"]


def bring_in(session: Session, *texts: str) -> None:
    """Bring a dialogue in as a whole, each text a round, said before everything else in these tests."""
    said = [RoundToRecord((TurnToRecord("Ana", Role.USER, text, START - timedelta(days=300), text),)) for text in texts]
    rounds_record(session=session, rounds=said)


def test_what_was_brought_in_is_read_after_what_is_said_now(space, extractor):
    brought_in = new_session(space, "brought in")
    bring_in(brought_in, "I live in Rome.", "I live in Oslo.")
    round = asked(new_session(space), "I live in Lyon.")
    assert values(hear(space, round)) == [("Lyon", [])]
    answer(round)
    space_maintain(space_id=space.pk)
    ended = Round.objects.order_by("maintained_at").values_list("session", "index")
    assert list(ended) == [(round.session_id, 0), (brought_in.pk, 0), (brought_in.pk, 1)]
    lasting = TripleRecord.objects.filter(superseded_at=None, valid_to=None)
    assert list(lasting.values_list("value", flat=True)) == ["Lyon"], "It was said last."


def test_what_was_brought_in_of_the_same_conversation_is_read_before_what_is_said_now(space, extractor):
    elsewhere, session = new_session(space, "elsewhere"), new_session(space, "goes on")
    bring_in(elsewhere, "I live in Paris.")
    bring_in(session, "I live in Rome.", "I live in Oslo.")
    round = asked(session, "I live in Lyon.")
    assert hear(space, round) is None
    answer(round)
    space_maintain(space_id=space.pk)
    ended = Round.objects.order_by("maintained_at").values_list("session", "index")
    assert list(ended) == [*((session.pk, number) for number in range(3)), (elsewhere.pk, 0)]


def test_a_reply_goes_first_while_a_backlog_is_read(space):
    bring_in(new_session(space, "brought in"), "I live in Rome.")
    round = asked(new_session(space), "I live in Lyon.")
    assert not others_unfinished(round).exists()
    asked(new_session(space), "I live in Paris.")
    assert others_unfinished(round).exists()


def test_what_comes_before_it_is_read_first(space, extractor):
    session = new_session(space)
    say(session, "I live in Paris.")
    round = asked(session, "I live in Lyon.")
    assert hear(space, round) is None, "Another's round comes before it, and nobody reads that in no time."
    assert stands(round) == (MaintenanceState.HEARING, "")
    space_maintain(space_id=space.pk)
    assert values(hear(space, round)) == [("Lyon", ["Paris"])]


def test_rest_is_done_once_the_reply_is_there_and_nothing_twice(space, extractor):
    round = asked(new_session(space), "I live in Lyon.")
    hear(space, round)
    answer(round)
    assert space_maintain(space_id=space.pk) == 1
    assert stands(round) == (MaintenanceState.DONE, "digests")
    assert extractor.seen == ["I live in Lyon."]
    assert TripleRecord.objects.count() == 1
    assert RoundVector.objects.filter(round=round).count() == 1
    stored = SentenceRecord.objects.filter(turn__round=round).order_by("pk")
    assert list(stored.values_list("text", "is_evidence")) == [
        ("I live in Lyon.", True),
        ("Noted: you live in Lyon.", False),
    ]
    assert not stored.filter(embedding=None).exists()


def test_hearing_again_reads_nothing_again(space, extractor):
    round = asked(new_session(space), "I live in Lyon.")
    assert values(hear(space, round)) == values(hear(space, round)) == [("Lyon", [])]
    assert extractor.seen == ["I live in Lyon."]


def test_reply_that_ends_meanwhile_leaves_the_rest_to_maintenance(space, extractor):
    round = asked(new_session(space), "I live in Lyon.")
    extractor.before = lambda: answer(round, "Stopped.")
    assert hear(space, round) is None
    extractor.before = lambda: None
    assert stands(round)[0] in (MaintenanceState.PENDING, MaintenanceState.DONE)
    space_maintain(space_id=space.pk)
    assert stands(round) == (MaintenanceState.DONE, "digests")
    assert TripleRecord.objects.count() == 1
    assert SentenceRecord.objects.filter(turn__round=round).count() == 2


def test_failure_is_told_where_it_is_read_again_after_the_reply(space, extractor):
    round = asked(new_session(space), "I live in Lyon.")

    def fail() -> None:
        raise ModelUnreachable("The server does not answer.")

    extractor.before = fail
    assert hear(space, round) is None
    assert stands(round) == (MaintenanceState.WAITING, "words")
    answer(round)
    space_maintain(space_id=space.pk)
    assert Round.objects.values_list("maintenance", "maintenance_error").get(pk=round.pk) == (
        MaintenanceState.FAILED,
        "The server does not answer.",
    )


def test_worker_that_died_while_it_heard_leaves_no_double(space, extractor):
    round = asked(new_session(space), "I live in Lyon.")

    def die() -> None:
        raise SystemExit

    extractor.before = die
    with pytest.raises(SystemExit):
        hear(space, round)
    assert stands(round) == (MaintenanceState.HEARING, "words")
    extractor.before = lambda: None
    assert values(hear(space, round)) == [("Lyon", [])]
    assert SentenceRecord.objects.filter(turn__round=round).count() == 1


def test_who_writes_the_memory_already_is_not_disturbed(space, extractor):
    round = asked(new_session(space), "I live in Lyon.")
    lease = space_lease_take(space.pk)
    assert lease is not None
    assert hear(space, round) is None
    lease.release()
    assert space_maintain(space_id=space.pk) == 1, "Any worker hears it."
    assert values(hear(space, round)) == [("Lyon", [])]


def test_session_that_is_not_remembered_is_not_heard(space, extractor):
    session = session_create(space=space, started_at=timezone.now(), is_remembered=False)
    round = asked(session, "I live in Lyon.")
    assert hear(space, round) is None
    assert stands(round) == (MaintenanceState.WAITING, "")
    assert not SentenceRecord.objects.exists()


def test_round_of_another_space_is_not_heard(space, extractor, ana):
    other = space_create(name="Other", owner=ana)
    round = asked(new_session(other), "I live in Lyon.")
    assert hear(space, round) is None
    assert stands(round) == (MaintenanceState.WAITING, "")
    assert not TripleRecord.objects.exists()

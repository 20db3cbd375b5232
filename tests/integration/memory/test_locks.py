"""Whoever adds turns, maintains, forgets and edits at one moment waits for the others; nobody is stopped by a deadlock."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest
from django.db import connection, transaction
from django.utils import timezone

from memory.core.knowledge_graph.rdf.terms import GraphFormat
from memory.core.types import Role
from memory.models import EditRecord, MaintenanceState, Round, Session, Space, Turn
from memory.services import session_forget, space_maintain
from memory.services.edits import utterances
from memory.services.edits.add import triple_add
from memory.services.edits.undo import edit_undo
from memory.services.exchange import graph_import
from memory.services.recording import turn_record
from tests.integration.memory.api import address, client_of
from tests.integration.memory.dialogues import new_session, say
from tests.threads import seeing_thread

pytestmark = pytest.mark.django_db(transaction=True)

# Longer than what the other side does before it waits.
HELD_S = 0.5


def turn_add_slowly(session: Session, begun: threading.Event) -> None:
    with transaction.atomic():
        turn_record(session=session, speaker="Ana", role=Role.USER, text="And now?", said_at=timezone.now())
        begun.set()
        time.sleep(HELD_S)


def beside_a_turn(session: Session, act: Callable[[], object]) -> list[Exception]:
    """Do something while a turn is added to the session; return what either of the two raised."""
    begun, failures = threading.Event(), []

    def run(work: Callable[[], object]) -> None:
        try:
            work()
        except Exception as error:
            failures.append(error)
        finally:
            connection.close()

    threads = [seeing_thread(target=run, args=(lambda: turn_add_slowly(session, begun),))]
    threads[0].start()
    assert begun.wait(10)
    threads.append(seeing_thread(target=run, args=(act,)))
    threads[1].start()
    for thread in threads:
        thread.join()
    return failures


def test_turn_is_added_while_a_round_of_its_session_is_maintained(space: Space, extractor):
    session = new_session(space)
    [round] = say(session, "I live in Paris.")
    assert beside_a_turn(session, lambda: space_maintain(space_id=space.pk)) == []
    assert Round.objects.get(pk=round.pk).maintenance == MaintenanceState.DONE
    assert Turn.objects.filter(session=session, text="And now?").exists()


def test_session_is_forgotten_with_the_turn_that_was_being_added(space: Space, extractor):
    session = new_session(space)
    say(session, "I live in Paris.")
    space_maintain(space_id=space.pk)
    assert beside_a_turn(session, lambda: session_forget(session=session)) == []
    assert not Session.objects.exists() and not Turn.objects.exists()
    session_forget(session=session)


def test_turns_are_not_added_to_what_was_written_by_hand(space: Space, ana, extractor):
    triple_add(space=space, subject="Ana", predicate="likes", value="tea", by=ana)
    turns = address("turns", Session.objects.get(key="by-hand").pk)
    answer = client_of(ana).post(turns, {"role": "user", "speaker": "Ana", "text": "And now?"}, format="json")
    assert answer.status_code == 409 and Turn.objects.count() == 1


def test_turn_of_a_session_that_was_forgotten_meanwhile_is_not_found(space: Space, ana, monkeypatch):
    session = new_session(space)

    def record_late(**fields: object) -> object:
        session_forget(session=fields["session"])
        return turn_record(**fields)

    monkeypatch.setattr("memory.api.sessions.turn_record", record_late)
    body = {"role": "user", "speaker": "Ana", "text": "And now?"}
    assert client_of(ana).post(address("turns", session.pk), body, format="json").status_code == 404


@pytest.mark.django_db(transaction=False)
def test_message_that_is_sent_during_an_edit_outlives_its_undo(space: Space, ana, extractor, monkeypatch):
    session = new_session(space)
    merged = utterances.triples_add

    def add_beside_a_message(*args: object) -> object:
        say(session, "Hello.")
        return merged(*args)

    monkeypatch.setattr(utterances, "triples_add", add_beside_a_message)
    triple_add(space=space, subject="Ana", predicate="likes", value="tea", by=ana)
    made = graph_import(
        space=space, content=b"<http://e/Tom> <http://e/likes> <http://e/Rain> .", form=GraphFormat.TURTLE
    )
    assert made.triples == 1
    for edit in EditRecord.objects.order_by("-pk"):
        edit_undo(edit=edit, by=ana)
    assert list(Turn.objects.values_list("text", flat=True)) == ["Hello.", "Noted."]

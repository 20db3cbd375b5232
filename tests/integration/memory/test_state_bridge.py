"""Facts of a state and triples of the graph that say the same: they refer to one another, and end together."""

from __future__ import annotations

import pytest

from memory.core.semantic_state.evidence import Asserted, Assumed, Missed
from memory.models import Session, StateChangeRecord, StateElementRecord, TripleRecord
from memory.services import space_maintain, triple_correct, triple_forget
from memory.services.edits.correct import triple_retract
from memory.services.semantic_state import state_update
from memory.services.state_bridge import graph_follow
from tests.fakes.evidence import KnownEvidence
from tests.integration.memory.dialogues import new_session, say

pytestmark = pytest.mark.django_db
PARIS = "I live in Paris."
READER = KnownEvidence(
    {
        PARIS: [
            Asserted(description="Ana lives in Paris.", words="I live in Paris", ref="paris"),
            Assumed(description="The trip starts in Paris.", basis=("paris",), confidence=0.8),
            Missed(description="the day of the trip", question="On which day?"),
        ],
    }
)


@pytest.fixture
def task(space, extractor) -> Session:
    """A session whose only fact was read both into the state and into the graph."""
    session = new_session(space, "task")
    [round] = say(session, PARIS)
    state_update(round=round, extractor=READER)
    space_maintain(space_id=space.pk)
    return session


def statuses() -> dict[str, str]:
    return dict(StateElementRecord.objects.order_by("pk").values_list("description", "status"))


def test_fact_refers_to_the_triple_of_its_words_and_back(task):
    fact = StateElementRecord.objects.get(description="Ana lives in Paris.")
    assert fact.triple == TripleRecord.objects.get(value="Paris")
    assert list(fact.triple.state_elements.all()) == [fact]
    assert not StateElementRecord.objects.exclude(pk=fact.pk).exclude(triple=None).exists()


def test_replaced_triple_closes_its_fact_and_what_rested_on_it_from_another_conversation(task, space):
    say(new_session(space, "other"), "I live in Lyon.")
    space_maintain(space_id=space.pk)
    assert statuses() == {
        "Ana lives in Paris.": "closed",
        "The trip starts in Paris.": "closed",
        "the day of the trip": "open",
    }
    closed = StateChangeRecord.objects.get(element__description="Ana lives in Paris.", after="closed")
    assert (closed.evidence, closed.round, closed.by) == ("I live in Lyon.", None, None)
    fell = StateChangeRecord.objects.get(element__description="The trip starts in Paris.", after="closed")
    assert fell.cause == closed.element.key


def test_following_the_graph_twice_changes_nothing_more(task, space):
    say(new_session(space, "other"), "I live in Lyon.")
    space_maintain(space_id=space.pk)
    entries = StateChangeRecord.objects.count()
    graph_follow(space_id=space.pk)
    assert StateChangeRecord.objects.count() == entries


@pytest.mark.parametrize("by_hand", ["correct", "retract"])
def test_triple_that_is_changed_by_hand_closes_its_fact(task, ana, by_hand, django_capture_on_commit_callbacks):
    triple = TripleRecord.objects.get(value="Paris")
    with django_capture_on_commit_callbacks(execute=True):
        if by_hand == "correct":
            triple_correct(triple=triple, value="Nice", by=ana)
        else:
            triple_retract(triple=triple, by=ana)
    assert statuses()["Ana lives in Paris."] == statuses()["The trip starts in Paris."] == "closed"


def test_forgotten_triple_leaves_the_words_of_the_conversation(task, ana):
    triple_forget(triple=TripleRecord.objects.get(value="Paris"), by=ana)
    assert StateElementRecord.objects.get(description="Ana lives in Paris.").triple is None
    assert statuses()["Ana lives in Paris."] == "open"

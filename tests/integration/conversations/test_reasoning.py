"""A search in a reply's trace: stored level by level by the worker that holds the reply, and clean of what is forgotten."""

from __future__ import annotations

import json
import threading
import uuid
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from conversations.core.tracing.search import Search, SearchStep
from conversations.core.types import Reasoning, Stage
from conversations.models import Conversation, Reply, ReplyEvent, ReplyState, ReplyTrace
from conversations.services import (
    conversation_create,
    message_post,
    reply_regenerate,
    reply_retry,
    reply_run,
    reply_stop,
)
from conversations.services.queue import reply_take
from conversations.services.trace import Trace
from memory.adapters.row_security.scope import carrying
from memory.core.errors import ModelUnreachable
from memory.core.reasoning_tree.types import ActionKind, Level, SearchResult, StopReason
from memory.core.tracing import Name
from memory.models import EntityRecord, StepRecord, TraceRecord, TripleRecord
from memory.selectors.tracing import steps_of
from memory.services import session_forget, space_create, triple_forget
from tests.fakes.searching import ROOT, SearchingResponder, node, result
from tests.integration.conversations.searches import Example, example, fact

pytestmark = pytest.mark.django_db


@pytest.fixture
def said(conversation: Conversation) -> Conversation:
    """A conversation of the same person over the same memory, in which the facts were said."""
    return conversation_create(owner=conversation.owner, space=conversation.space, title="Before")


@pytest.fixture
def search(said: Conversation) -> Example:
    return example(fact(said.session, "Maya", "worksFor", "Airbus"), fact(said.session, "Airbus", "isIn", "Toulouse"))


def ask(conversation: Conversation, text: str = "Where does Maya work?") -> Reply:
    reply = message_post(conversation=conversation, text=text)
    reply_run(reply_id=reply.pk)
    reply.refresh_from_db()
    return reply


def running(conversation: Conversation) -> tuple[Reply, Trace]:
    """Return a reply and the trace of the worker that has it."""
    reply = message_post(conversation=conversation, text="Where does Maya work?")
    trace = reply_take(reply.pk)
    assert trace is not None
    return reply, trace


def searches(reply: Reply) -> list[Search]:
    return [one.step for one in steps_of(reply.trace) if isinstance(one.step, Search)]


def nodes(reply: Reply) -> list[SearchStep]:
    steps = [one.step for one in steps_of(ReplyTrace.objects.get(reply=reply)) if isinstance(one.step, SearchStep)]
    return sorted(steps, key=lambda step: (step.search, step.node))


def shape(reply: Reply) -> list[tuple[int, int | None, str, str, float | None]]:
    return [(one.node, one.parent, one.action, one.fate, one.value) for one in nodes(reply)]


def tell(trace: Trace, part: Level | SearchResult) -> None:
    trace.step(*Reasoning(part).steps())
    trace.flush()


def words_about(reply: Reply) -> str:
    """Return all words that are stored of a reply's search, and the names that it refers to."""
    rows = StepRecord.objects.filter(trace__replytrace__reply=reply)
    entities = [one for row in rows for one in row.figures.get("about", [])]
    events = ReplyEvent.objects.filter(reply=reply).values_list("data", flat=True)
    return json.dumps(
        [
            list(rows.values_list("words", flat=True)),
            list(rows.values_list("figures", flat=True)),
            list(EntityRecord.objects.filter(pk__in=[one for one in entities if one]).values_list("label", flat=True)),
            list(events),
        ]
    )


def test_search_is_stored_with_its_nodes_their_fates_and_what_they_found(conversation, answering, search):
    answering(SearchingResponder(*search.levels, result(search.answer)))
    reply = ask(conversation)
    assert reply.state == ReplyState.DONE
    assert shape(reply) == [
        (0, None, "", "kept", 1.0),
        (1, 0, "expand_entity", "kept", 0.8),
        (2, 0, "expand_entity", "dropped", None),
        (3, 0, "think", "pruned", 0.3),
        (4, 1, "expand_entity", "kept", 0.9),
        (5, 1, "find_path", "duplicate", None),
        (6, 4, "answer", "kept", 0.95),
    ]
    [found] = searches(reply)
    assert (found.best, found.stopped_by, found.waits, found.milliseconds) == (6, "answered", 4, 120.0)
    assert found.limits["max_calls"] == 30 and found.limits["beam_width"] == 3
    values = dict(TripleRecord.objects.values_list("pk", "value"))
    assert {one.node: [values[triple] for triple in one.found] for one in nodes(reply) if one.found} == {
        1: ["Airbus"], 4: ["Toulouse"],
    }  # fmt: skip


def test_names_are_those_of_the_spaces_entities_and_else_as_they_came(conversation, answering, search):
    answering(SearchingResponder(*search.levels))
    about = {one.node: one.about for one in nodes(ask(conversation)) if one.about}
    ids = dict(EntityRecord.objects.values_list("label", "pk"))
    assert about == {
        1: (Name(entity=ids["Maya"]),),
        2: (Name("Bob"),),
        4: (Name(entity=ids["Airbus"]),),
        5: (Name(entity=ids["Maya"]), Name(entity=ids["Toulouse"])),
    }


def test_search_has_no_end_while_it_runs(conversation, answering, search):
    answering(SearchingResponder(*search.levels[:3]))
    assert searches(ask(conversation)) == [Search(0)]


def test_events_carry_numbers_and_no_words(conversation, answering, search, monkeypatch):
    monkeypatch.setattr(Trace, "flush_is_due", True)
    answering(SearchingResponder(Stage("search", "looked at Maya"), *search.levels, result(search.answer)))
    reply = ask(conversation)
    events = list(reply.events.filter(kind="step").order_by("number").values_list("data", flat=True))
    assert events == [
        {"steps": [1], "kinds": ["stage"]},
        {"steps": [2, 3], "kinds": ["search", "search_node"]},
        {"steps": [4, 5, 6], "kinds": ["search_node"]},
        {"steps": [7, 8, 6], "kinds": ["search_node"]},
        {"steps": [9], "kinds": ["search_node"]},
        {"steps": [2, 9], "kinds": ["search", "search_node"]},
        {"steps": [10], "kinds": ["answer"]},
    ]
    assert [one.number for one in steps_of(reply.trace)] == list(range(1, 11))


def test_line_of_progress_keeps_its_words_until_the_reply_ends(conversation):
    reply, trace = running(conversation)
    trace.step(Stage("search", "looked at Maya"))
    trace.flush()
    assert StepRecord.objects.get().words == {"detail": "looked at Maya"}
    trace.finish(ReplyState.DONE)
    assert [one.step for one in steps_of(reply.trace)] == [Stage("search")]
    assert "Maya" not in str(list(reply.events.values_list("data", flat=True)))


@pytest.mark.parametrize("how", ["fact", "session"])
def test_forgetting_what_a_search_found_takes_its_words_and_leaves_its_shape(
    conversation, said, answering, search, how
):
    answering(SearchingResponder(*search.levels, result(search.answer, failures=("Bob could not be read.",))))
    reply = ask(conversation)
    before = shape(reply)
    assert "Toulouse" in words_about(reply) and "somewhere" in words_about(reply)
    if how == "fact":
        triple_forget(triple=TripleRecord.objects.get(value="Toulouse"))
    else:
        session_forget(session=said.session)
    kept = words_about(reply)
    assert not any(word in kept for word in ("Toulouse", "somewhere", "Bob"))
    assert ("Maya" in kept) == (how == "fact"), "Maya is still known where only the other fact was forgotten"
    assert shape(reply) == before
    assert ReplyTrace.objects.get(reply=reply).has_forgotten


def test_search_in_another_space_keeps_its_words_when_something_is_forgotten_here(conversation, answering, search, ana):
    other = conversation_create(owner=ana, space=space_create(name="Other", owner=ana))
    elsewhere = example(
        fact(other.session, "Maya", "worksFor", "Airbus"), fact(other.session, "Airbus", "isIn", "Bonn")
    )
    answering(SearchingResponder(*elsewhere.levels))
    reply = ask(other)
    triple_forget(triple=TripleRecord.objects.get(value="Toulouse"))
    assert "somewhere" in words_about(reply) and not reply.trace.has_forgotten


@pytest.mark.parametrize("when", ["before its level", "after its level"])
def test_what_is_forgotten_while_the_search_runs_is_not_written_down_again(conversation, answering, search, when):
    reply, trace = running(conversation)
    first = 3 if when == "after its level" else 1
    for level in search.levels[:first]:
        tell(trace, level)
    triple_forget(triple=TripleRecord.objects.get(value="Toulouse"))
    for level in search.levels[first:]:
        tell(trace, level)
    tell(trace, result(search.answer, failures=("In Toulouse could not be read.",)))
    assert "Toulouse" not in words_about(reply) and "somewhere" not in words_about(reply)
    assert shape(reply)[-1] == (6, 4, "answer", "kept", 0.95)
    assert ReplyTrace.objects.get(reply=reply).has_forgotten


def test_worker_killed_between_two_steps_doubles_nothing(conversation, answering, search, monkeypatch):
    def die(index: int) -> None:
        if index == 3:
            raise SystemExit

    monkeypatch.setattr(Trace, "flush_is_due", True)
    answering(SearchingResponder(*search.levels, between=die))
    reply = message_post(conversation=conversation, text="Where?")
    with pytest.raises(SystemExit):
        reply_run(reply_id=reply.pk)
    first = ReplyTrace.objects.get().pk
    assert [number for number, *_ in shape(reply)] == [0, 1, 2, 3, 4, 5]
    Reply.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    answering(SearchingResponder(*search.levels[:2]))
    reply_run(reply_id=reply.pk)
    reply.refresh_from_db()
    assert (reply.state, reply.attempt) == (ReplyState.DONE, 2)
    assert TraceRecord.objects.get().pk != first, "the trace starts anew, and the old one is gone"
    assert [one.number for one in steps_of(reply.trace)] == [1, 2, 3, 4, 5, 6]
    assert [number for number, *_ in shape(reply)] == [0, 1, 2, 3]


@pytest.mark.django_db(transaction=True)
def test_worker_that_lost_its_lease_adds_nothing_to_the_tree(conversation, answering, search):
    def lose(index: int) -> None:
        if index == 2:
            threading.Event().wait(0.2)
            Reply.objects.update(lease_token=uuid.uuid4())
            connection.close()

    answering(SearchingResponder(*search.levels, between=lose))
    reply = message_post(conversation=conversation, text="Where?")
    reply_run(reply_id=reply.pk)
    assert [number for number, *_ in shape(reply)] == [0, 1, 2, 3]
    assert searches(reply) == [Search(0)]


def test_levels_cost_the_same_number_of_queries_however_many_nodes_they_have(conversation, said):
    facts = [fact(said.session, "Maya", "knows", f"Person {number}") for number in range(12)]

    def queries(width: int) -> int:
        _, trace = running(conversation)
        tell(trace, Level(0, (ROOT,), waits=0, milliseconds=0))
        some = tuple(
            node(number + 1, ROOT, ActionKind.EXPAND_ENTITY, f"Person {number}", added=facts[: number + 1])
            for number in range(width)
        )
        with CaptureQueriesContext(
            connection,
        ) as counted:
            tell(trace, Level(1, some, waits=2, milliseconds=1))
        return len(counted)

    assert queries(2) == queries(12) <= 12


@pytest.mark.django_db(transaction=True)
def test_stop_ends_a_search_that_waits_for_its_model(conversation, answering, search):
    released = threading.Event()
    responder = SearchingResponder(*search.levels, between=lambda index: index < 2 or released.wait(30))
    answering(responder)
    reply = message_post(conversation=conversation, text="Where?")
    threading.Timer(0.5, carrying(lambda: (reply_stop(reply=reply), connection.close()))).start()
    began = timezone.now()
    reply_run(reply_id=reply.pk)
    reply.refresh_from_db()
    assert reply.state == ReplyState.STOPPED
    assert timezone.now() - began < timedelta(seconds=3), "it does not wait for the model"
    assert [number for number, *_ in shape(reply)] == [0, 1, 2, 3], "what was found is kept"
    assert searches(reply) == [Search(0)]
    released.set()
    assert responder.closed.wait(5), "the search is ended at its next part"


def test_retry_after_a_failed_search_makes_a_tree_of_its_own(conversation, answering, search):
    def fail(index: int) -> None:
        if index == 2:
            raise ModelUnreachable("The server does not answer. Start it, then try again.")

    answering(SearchingResponder(*search.levels, between=fail))
    failed = ask(conversation)
    assert failed.state == ReplyState.FAILED and searches(failed) == [Search(0)]
    answering(SearchingResponder(*search.levels, result(search.answer)))
    again = reply_retry(reply=failed)
    reply_run(reply_id=again.pk)
    assert [one.best for one in searches(again)] == [6]
    assert ReplyTrace.objects.count() == 2
    assert [number for number, *_ in shape(failed)] == [0, 1, 2, 3]


def test_search_that_found_nothing_is_stored_with_why(conversation, answering):
    answering(SearchingResponder(result(None, stopped_by=StopReason.EXHAUSTED, failures=("It said: \0nothing.",))))
    [found] = searches(ask(conversation))
    assert (found.best, found.stopped_by, found.failures) == (None, "exhausted", ("It said: nothing.",))


def test_message_with_two_questions_has_two_searches(conversation, answering, search):
    second = (ROOT, node(1, ROOT, ActionKind.THINK, text="And then?", value=0.7))
    again = Level(0, second[:1], waits=0, milliseconds=0.0), Level(1, second[1:], waits=1, milliseconds=7.0)
    answering(SearchingResponder(*search.levels, result(search.answer), *again, result(second[1])))
    reply = ask(conversation, "Where does Maya work? And then?")
    assert [(one.search, one.best) for one in searches(reply)] == [(0, 6), (1, 1)]
    assert [(one.search, one.node) for one in nodes(reply)] == [*((0, number) for number in range(7)), (1, 0), (1, 1)]


def test_regenerated_reply_has_its_own_tree(conversation, answering, search):
    answering(SearchingResponder(*search.levels, result(search.answer)))
    first = ask(conversation)
    second = reply_regenerate(reply=first)
    reply_run(reply_id=second.pk)
    assert set(ReplyTrace.objects.values_list("reply", flat=True)) == {first.pk, second.pk}


def test_deleted_conversation_leaves_no_tree(conversation, answering, search):
    answering(SearchingResponder(*search.levels))
    ask(conversation)
    session_forget(session=conversation.session)
    assert not TraceRecord.objects.exists() and not StepRecord.objects.exists()

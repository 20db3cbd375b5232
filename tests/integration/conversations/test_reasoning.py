"""A reply's reasoning tree: stored level by level by the worker that holds the reply, and clean of what is forgotten."""

from __future__ import annotations

import json
import threading
import uuid
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from conversations.core.types import Reasoning, Stage
from conversations.models import (
    Conversation,
    ReasoningNode,
    ReasoningNodeTriple,
    ReasoningTree,
    Reply,
    ReplyEvent,
    ReplyState,
)
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
from memory.core.errors import ModelUnreachable
from memory.core.reasoning_tree.types import ActionKind, Level, StopReason
from memory.models import TripleRecord
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


def shape(reply: Reply) -> list[tuple[int, int | None, str, str, float | None]]:
    return list(
        ReasoningNode.objects.filter(tree__reply=reply).values_list("number", "parent", "action", "fate", "value")
    )


def words_about(reply: Reply) -> str:
    """Return all words that are stored of a reply's search."""
    nodes = ReasoningNode.objects.filter(tree__reply=reply)
    tree = ReasoningTree.objects.get(reply=reply)
    names = nodes.values_list("arguments__name", "arguments__entity__label")
    events = ReplyEvent.objects.filter(reply=reply).values_list("data", flat=True)
    return json.dumps(
        [list(nodes.values_list("text", "reason")), list(names), tree.failures, list(events)], default=str
    )


def test_tree_is_stored_with_its_nodes_their_fates_and_what_they_found(conversation, answering, search):
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
    tree = reply.searches.get()
    assert (tree.best, tree.stopped_by, tree.calls, tree.waits, tree.milliseconds) == (6, "answered", 5, 4, 120.0)
    assert (tree.prompt_tokens, tree.completion_tokens) == (50, 15)
    assert tree.config["max_calls"] == 30 and tree.config["beam_width"] == 3
    found = ReasoningNodeTriple.objects.filter(node__tree=tree).values_list("node__number", "triple__value")
    assert sorted(found) == [(1, "Airbus"), (4, "Toulouse")]


def test_names_are_those_of_the_spaces_entities_and_else_as_they_came(conversation, answering, search):
    answering(SearchingResponder(*search.levels))
    nodes = ReasoningNode.objects.filter(tree__reply=ask(conversation))
    named = {node.number: [(a.entity and a.entity.label, a.name) for a in node.arguments.all()] for node in nodes}
    assert named[1] == [("Maya", "")]
    assert named[2] == [(None, "Bob")]
    assert named[5] == [("Maya", ""), ("Toulouse", "")]


def test_figures_grow_level_by_level_while_the_search_runs(conversation, answering, search):
    answering(SearchingResponder(*search.levels[:3]))
    tree = ask(conversation).searches.get()
    assert (tree.stopped_by, tree.best, tree.config) == ("", None, None)
    assert (tree.waits, tree.milliseconds) == (4, 110.0)
    # Node 3 came twice and is counted once.
    assert (tree.calls, tree.prompt_tokens, tree.completion_tokens) == (5, 50, 15)


def test_events_carry_numbers_and_no_words(conversation, answering, search):
    answering(SearchingResponder(Stage("search", "looked at Maya"), *search.levels, result(search.answer)))
    reply = ask(conversation)
    events = list(reply.events.filter(kind="reasoning").order_by("number").values_list("data", flat=True))
    assert [data.get("depth") for data in events] == [0, 1, 2, 3, None]
    assert events[1]["nodes"][1] == {
        "number": 2, "parent": 0, "action": "expand_entity", "fate": "dropped", "value": None,
    }  # fmt: skip
    assert events[-1] == {
        "search": 0, "best": 6, "stopped_by": "answered", "calls": 5, "prompt_tokens": 50, "completion_tokens": 15,
        "waits": 4, "milliseconds": 120.0,
    }  # fmt: skip
    stored = json.dumps(list(reply.events.values_list("data", flat=True)))
    assert not any(word in stored for word in ("Maya", "Airbus", "Bob", "somewhere"))


def test_line_of_progress_keeps_its_words_until_the_reply_ends(conversation):
    reply, trace = running(conversation)
    trace.add("stage", {"name": "search", "detail": "looked at Maya"})
    trace.flush()
    assert reply.events.get(kind="stage").data["detail"] == "looked at Maya"
    trace.finish(ReplyState.DONE)
    assert reply.events.get(kind="stage").data == {"name": "search", "detail": ""}


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
    assert ReasoningTree.objects.get(reply=reply).has_forgotten
    assert not ReasoningNodeTriple.objects.filter(triple=None).exists()


def test_search_in_another_space_keeps_its_words_when_something_is_forgotten_here(conversation, answering, search, ana):
    other = conversation_create(owner=ana, space=space_create(name="Other", owner=ana))
    elsewhere = example(
        fact(other.session, "Maya", "worksFor", "Airbus"), fact(other.session, "Airbus", "isIn", "Bonn")
    )
    answering(SearchingResponder(*elsewhere.levels))
    reply = ask(other)
    triple_forget(triple=TripleRecord.objects.get(value="Toulouse"))
    assert "somewhere" in words_about(reply) and not reply.searches.get().has_forgotten


@pytest.mark.parametrize("when", ["before its level", "after its level"])
def test_what_is_forgotten_while_the_search_runs_is_not_written_down_again(conversation, answering, search, when):
    reply, trace = running(conversation)
    first = 3 if when == "after its level" else 1
    for level in search.levels[:first]:
        trace.reason(Reasoning(level))
    trace.flush()
    triple_forget(triple=TripleRecord.objects.get(value="Toulouse"))
    for level in search.levels[first:]:
        trace.reason(Reasoning(level))
    trace.reason(Reasoning(result(search.answer, failures=("In Toulouse could not be read.",))))
    trace.flush()
    assert "Toulouse" not in words_about(reply) and "somewhere" not in words_about(reply)
    assert shape(reply)[-1] == (6, 4, "answer", "kept", 0.95)
    assert list(ReasoningNodeTriple.objects.values_list("triple__value", flat=True)) == ["Airbus"]


def test_reply_that_another_worker_takes_over_starts_its_tree_anew(conversation, answering, search):
    def die(index: int) -> None:
        if index == 3:
            raise SystemExit

    answering(SearchingResponder(*search.levels, between=die))
    reply = message_post(conversation=conversation, text="Where?")
    with pytest.raises(SystemExit):
        reply_run(reply_id=reply.pk)
    first = reply.searches.get().pk
    Reply.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    answering(SearchingResponder(*search.levels[:2]))
    reply_run(reply_id=reply.pk)
    reply.refresh_from_db()
    assert (reply.state, reply.attempt) == (ReplyState.DONE, 2)
    assert ReasoningTree.objects.get().pk != first
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
    assert ReasoningTree.objects.get().stopped_by == ""


def test_levels_cost_the_same_number_of_queries_however_many_nodes_they_have(conversation, said):
    facts = [fact(said.session, "Maya", "knows", f"Person {number}") for number in range(12)]

    def queries(width: int) -> int:
        _, trace = running(conversation)
        trace.reason(Reasoning(Level(0, (ROOT,), waits=0, milliseconds=0)))
        trace.flush()
        nodes = tuple(
            node(number + 1, ROOT, ActionKind.EXPAND_ENTITY, f"Person {number}", added=facts[: number + 1])
            for number in range(width)
        )
        with CaptureQueriesContext(
            connection,
        ) as counted:
            trace.reason(Reasoning(Level(1, nodes, waits=2, milliseconds=1)))
            trace.flush()
        return len(counted)

    assert queries(2) == queries(12) <= 20


@pytest.mark.django_db(transaction=True)
def test_stop_ends_a_search_that_waits_for_its_model(conversation, answering, search):
    released = threading.Event()
    responder = SearchingResponder(*search.levels, between=lambda index: index < 2 or released.wait(30))
    answering(responder)
    reply = message_post(conversation=conversation, text="Where?")
    threading.Timer(0.5, lambda: (reply_stop(reply=reply), connection.close())).start()
    began = timezone.now()
    reply_run(reply_id=reply.pk)
    reply.refresh_from_db()
    assert reply.state == ReplyState.STOPPED
    assert timezone.now() - began < timedelta(seconds=3), "it does not wait for the model"
    assert [number for number, *_ in shape(reply)] == [0, 1, 2, 3], "what was found is kept"
    assert reply.searches.get().stopped_by == ""
    released.set()
    assert responder.closed.wait(5), "the search is ended at its next part"


def test_retry_after_a_failed_search_makes_a_tree_of_its_own(conversation, answering, search):
    def fail(index: int) -> None:
        if index == 2:
            raise ModelUnreachable("The server does not answer. Start it, then try again.")

    answering(SearchingResponder(*search.levels, between=fail))
    failed = ask(conversation)
    assert failed.state == ReplyState.FAILED and failed.searches.get().stopped_by == ""
    answering(SearchingResponder(*search.levels, result(search.answer)))
    again = reply_retry(reply=failed)
    reply_run(reply_id=again.pk)
    assert again.searches.get().best == 6
    assert ReasoningTree.objects.count() == 2
    assert [number for number, *_ in shape(failed)] == [0, 1, 2, 3]


def test_search_that_found_nothing_is_stored_with_why(conversation, answering):
    answering(SearchingResponder(result(None, stopped_by=StopReason.EXHAUSTED, failures=("It said: \0nothing.",))))
    tree = ask(conversation).searches.get()
    assert (tree.best, tree.stopped_by, tree.failures) == (None, "exhausted", ["It said: nothing."])


def test_message_with_two_questions_has_two_trees(conversation, answering, search):
    second = (ROOT, node(1, ROOT, ActionKind.THINK, text="And then?", value=0.7))
    again = Level(0, second[:1], waits=0, milliseconds=0.0), Level(1, second[1:], waits=1, milliseconds=7.0)
    answering(SearchingResponder(*search.levels, result(search.answer), *again, result(second[1])))
    reply = ask(conversation, "Where does Maya work? And then?")
    trees = list(reply.searches.values_list("index", "best", "nodes__number").order_by("index", "nodes__number"))
    assert trees == [*((0, 6, number) for number in range(7)), (1, 1, 0), (1, 1, 1)]
    told = reply.events.filter(kind="reasoning").order_by("number").values_list("data__search", flat=True)
    assert list(told) == [0, 0, 0, 0, 0, 1, 1, 1]


def test_regenerated_reply_has_its_own_tree(conversation, answering, search):
    answering(SearchingResponder(*search.levels, result(search.answer)))
    first = ask(conversation)
    second = reply_regenerate(reply=first)
    reply_run(reply_id=second.pk)
    assert {tree.reply_id for tree in ReasoningTree.objects.all()} == {first.pk, second.pk}


def test_deleted_conversation_leaves_no_tree(conversation, answering, search):
    answering(SearchingResponder(*search.levels))
    ask(conversation)
    session_forget(session=conversation.session)
    assert not ReasoningTree.objects.exists() and not ReasoningNode.objects.exists()

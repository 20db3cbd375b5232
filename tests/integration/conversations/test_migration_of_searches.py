"""Searches that were stored in tables of their own become steps of their replies' traces."""

from __future__ import annotations

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from conversations.core.tracing.search import Search, SearchStep
from conversations.core.tracing.stage import Stage
from conversations.models import ReplyTrace
from conversations.services import conversation_create, message_post
from memory.adapters.row_security.scope import OWNER, enter
from memory.adapters.row_security.wall import wall_make
from memory.core.tracing import Name
from memory.models import EntityRecord
from memory.selectors.tracing import NumberedStep, steps_of
from tests.integration.conversations.searches import fact

BEFORE = [("conversations", "0004_reply_trace")]


@pytest.mark.django_db(transaction=True)
def test_stages_and_searches_become_steps_in_the_order_of_their_events(conversation):
    said = conversation_create(owner=conversation.owner, space=conversation.space, title="Before")
    works = fact(said.session, "Maya", "worksFor", "Airbus")
    maya = EntityRecord.objects.get(label="Maya").pk
    reply = message_post(conversation=conversation, text="Where?")
    limits = {"max_depth": 5, "max_seconds": None}
    try:
        before = enter(OWNER)  # what migrates sees tables without policies, as they were
        MigrationExecutor(connection).migrate(BEFORE)
        old = MigrationExecutor(connection).loader.project_state(BEFORE).apps
        tree = old.get_model("conversations", "ReasoningTree").objects.create(
            reply_id=reply.pk, index=0, best=1, stopped_by="answered", config=limits, waits=2, milliseconds=7.5,
            calls=4, failures=["It said: x."],
        )  # fmt: skip
        nodes = old.get_model("conversations", "ReasoningNode")
        nodes.objects.create(tree=tree, number=0, depth=0, value=1.0, fate="kept")
        look = nodes.objects.create(
            tree=tree, number=1, parent=0, depth=1, action="find_path", value=0.8, fate="kept", reason="Only one.",
            text="x", milliseconds=1.5,
        )  # fmt: skip
        arguments = old.get_model("conversations", "ReasoningArgument")
        arguments.objects.create(node=look, rank=0, entity_id=maya)
        arguments.objects.create(node=look, rank=1, name="Bob")
        old.get_model("conversations", "ReasoningNodeTriple").objects.create(node=look, triple_id=works.id, rank=0)
        events_of = old.get_model("conversations", "ReplyEvent")
        for number, kind, data in [
            (2, "stage", {"name": "lost", "detail": ""}),
            (3, "reset", {}),
            (4, "stage", {"name": "read", "detail": "read it"}),
            (5, "reasoning", {"search": 0, "depth": 0, "nodes": [{"number": 0}]}),
            (6, "reasoning", {"search": 0, "depth": 1, "nodes": [{"number": 1}]}),
            (7, "reasoning", {"search": 0, "best": 1, "stopped_by": "answered"}),
        ]:
            events_of.objects.create(reply_id=reply.pk, number=number, kind=kind, data=data)
    finally:
        executor = MigrationExecutor(connection)
        executor.migrate(executor.loader.graph.leaf_nodes())
        wall_make()
        enter(before)
    trace = ReplyTrace.objects.get(reply=reply)
    assert (trace.round_id, trace.space_id, trace.has_forgotten) == (reply.round_id, conversation.space_id, False)
    assert steps_of(trace) == [
        NumberedStep(1, Stage("read", "read it")),
        NumberedStep(2, Search(0, 1, "answered", limits, 2, 7.5, ("It said: x.",))),
        NumberedStep(3, SearchStep(0, 0, None, 0, "", "kept", 1.0)),
        NumberedStep(
            4,
            SearchStep(
                0, 1, 0, 1, "find_path", "kept", 0.8, 1.5, (works.id,), (Name(entity=maya), Name("Bob")), "x", "Only one."
            ),
        ),
    ]  # fmt: skip
    assert trace.steps.get(number=4).triples == [works.id]
    events = reply.events.filter(number__gt=1).order_by("number").values_list("kind", "data")
    assert list(events) == [
        ("step", {"steps": [], "kinds": []}),
        ("reset", {}),
        ("step", {"steps": [1], "kinds": ["stage"]}),
        ("step", {"steps": [2, 3], "kinds": ["search", "search_node"]}),
        ("step", {"steps": [2, 4], "kinds": ["search", "search_node"]}),
        ("step", {"steps": [2, 4], "kinds": ["search", "search_node"]}),
    ]

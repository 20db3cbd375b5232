"""Moves stages and reasoning trees into the steps of their replies' traces, in the order in which their events came.

Events then refer to the steps by number. What a search counted of its model calls goes: a call is a step of its own now, and
which calls there were cannot be told from their sums.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from django.db import migrations


def move(apps: Any, schema_editor: Any) -> None:
    Reply = apps.get_model("conversations", "Reply")
    ReplyEvent = apps.get_model("conversations", "ReplyEvent")
    traced = ReplyEvent.objects.filter(kind__in=["stage", "reasoning"]).values("reply")
    for reply in Reply.objects.filter(pk__in=traced).select_related("conversation").iterator():
        move_reply(apps, reply)


def move_reply(apps: Any, reply: Any) -> None:
    ReplyEvent = apps.get_model("conversations", "ReplyEvent")
    ReplyTrace = apps.get_model("conversations", "ReplyTrace")
    StepRecord = apps.get_model("memory", "StepRecord")
    trees = {tree.index: tree for tree in apps.get_model("conversations", "ReasoningTree").objects.filter(reply=reply)}
    trace = ReplyTrace.objects.create(
        reply=reply,
        round_id=reply.round_id,
        space_id=reply.conversation.space_id,
        part="reply",
        has_forgotten=any(tree.has_forgotten for tree in trees.values()),
    )
    nodes = {index: nodes_of(apps, tree) for index, tree in trees.items()}
    steps: list[dict[str, Any]] = []
    places: dict[tuple[int, int | None], int] = {}

    def number_of(key: tuple[int, int | None], form: dict[str, Any]) -> int:
        if key not in places:
            steps.append(form)
            places[key] = len(steps)
        return places[key]

    events = list(ReplyEvent.objects.filter(reply=reply).order_by("number"))
    resets = [event.number for event in events if event.kind == "reset"]
    for event in events:
        if event.kind not in ("stage", "reasoning"):
            continue
        numbers = []
        if resets and event.number < resets[-1]:
            pass  # of an earlier attempt, whose trees are gone
        elif event.kind == "stage":
            words = {"detail": event.data["detail"]} if event.data.get("detail") else {}
            steps.append({"kind": "stage", "figures": {"name": event.data["name"]}, "words": words})
            numbers = [len(steps)]
        elif event.data["search"] in trees:
            index = event.data["search"]
            numbers = [number_of((index, None), search_form(trees[index]))]
            told = [node["number"] for node in event.data.get("nodes", [])]
            told += [event.data["best"]] if event.data.get("best") is not None else []
            numbers += [number_of((index, one), nodes[index][one]) for one in told if one in nodes[index]]
        event.kind, event.data = (
            "step",
            {"steps": numbers, "kinds": sorted({steps[number - 1]["kind"] for number in numbers})},
        )
        event.save(update_fields=["kind", "data"])
    StepRecord.objects.bulk_create(
        [StepRecord(trace_id=trace.pk, number=number, **form) for number, form in enumerate(steps, start=1)]
    )


def search_form(tree: Any) -> dict[str, Any]:
    return {
        "kind": "search",
        "figures": {
            "search": tree.index,
            "best": tree.best,
            "stopped_by": tree.stopped_by,
            "limits": tree.config,
            "waits": tree.waits,
            "milliseconds": tree.milliseconds,
        },
        "words": {"failures": tree.failures} if tree.failures else {},
    }


def nodes_of(apps: Any, tree: Any) -> dict[int, dict[str, Any]]:
    """Return the forms of a tree's nodes, by their numbers."""
    found: dict[int, list[int]] = defaultdict(list)
    about: dict[int, list[Any]] = defaultdict(list)
    triples = apps.get_model("conversations", "ReasoningNodeTriple").objects.filter(node__tree=tree)
    for node_id, triple_id in triples.exclude(triple=None).order_by("rank").values_list("node_id", "triple_id"):
        found[node_id].append(triple_id)
    for argument in (
        apps.get_model("conversations", "ReasoningArgument").objects.filter(node__tree=tree).order_by("rank")
    ):
        about[argument.node_id].append(argument)
    nodes = apps.get_model("conversations", "ReasoningNode").objects.filter(tree=tree)
    return {node.number: node_form(tree, node, found[node.pk], about[node.pk]) for node in nodes}


def node_form(tree: Any, node: Any, found: list[int], about: list[Any]) -> dict[str, Any]:
    words = {name: text for name, text in (("text", node.text), ("reason", node.reason)) if text}
    if any(argument.name for argument in about):
        words["about"] = [argument.name for argument in about]
    return {
        "kind": "search_node",
        "figures": {
            "search": tree.index,
            "node": node.number,
            "parent": node.parent,
            "depth": node.depth,
            "action": node.action,
            "fate": node.fate,
            "value": node.value,
            "milliseconds": node.milliseconds,
            "found": found,
            "about": [argument.entity_id for argument in about],
        },
        "words": words,
        "triples": found,
    }


class Migration(migrations.Migration):
    # It writes steps as they were then.
    run_before = [("memory", "0030_whose_rows_they_are")]
    dependencies = [("conversations", "0004_reply_trace")]

    operations = [migrations.RunPython(move, migrations.RunPython.noop)]

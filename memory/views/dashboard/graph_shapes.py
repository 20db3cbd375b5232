"""What the picture of a graph is drawn from: its things, groups that open, and the links between them, as JSON."""

from typing import Any
from urllib.parse import urlencode

from django.utils import timezone

from memory.core.english.inflection import words_of_name
from memory.core.types import Polarity
from memory.models import EntityRecord
from memory.selectors import EdgeState, GraphEdge, GraphGroup, GraphNode, Group, ShownGraph
from memory.templatetags.dashboard import group_key, more_of
from memory.templatetags.facts import called_to, words_of

WORDS_LIMIT = 100


def drawn_from(graph: ShownGraph, *, root: EntityRecord | None, names: tuple[str, ...]) -> dict[str, Any]:
    """Return the nodes and edges of a picture, in words to whom the names name; `root` is the entity in the middle."""
    literals = [edge.triple for edge in graph.edges if edge.triple.object is None]
    folded = {group.entity.pk for group in graph.groups}
    nodes = [node_data(node, names=names, root=root, is_folded=node.entity.pk in folded) for node in graph.nodes]
    nodes += [{"id": f"value-{fact.pk}", "label": fact.value[:WORDS_LIMIT], "is_value": True} for fact in literals]
    ends = [group_data(group) for group in graph.groups]
    edges = [*(edge_data(edge, names=names) for edge in graph.edges), *(edge for _, edge in ends)]
    return {
        "nodes": [*nodes, *(node for node, _ in ends)],
        # What is said in the same words stands together, the oldest of it first, so that what is new comes after it.
        "edges": sorted(edges, key=lambda edge: (edge["label"], "is_fold" in edge, edge.get("fact", 0))),
        "is_cut": graph.is_cut,
    }


def node_data(
    node: GraphNode, *, names: tuple[str, ...], root: EntityRecord | None, is_folded: bool
) -> dict[str, object]:
    entity = node.entity
    return {
        "id": f"entity-{entity.pk}",
        "entity": entity.pk,
        "label": called_to(names, entity),
        "more": "" if is_folded else more_of(node),
        "badge": "" if is_folded or not node.more else f"+{node.more}" if node.is_counted else f"{node.more}+",
        "is_root": root is not None and entity.pk == root.pk,
        "is_speaker": entity.is_speaker,
    }


def group_data(shown: GraphGroup) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what stands in the picture for a group of facts that are not shown, and the link that leads to it."""
    group = shown.group
    name = f"group-{shown.entity.pk}-{'out' if group.is_outward else 'in'}-{group.predicate}"
    ends = (f"entity-{shown.entity.pk}", name)
    node = {"id": name, "label": more_of(shown), "is_fold": True, "opens": opening_of(group)}
    label = " ".join(words_of_name(group.predicate))
    source, target = ends if group.is_outward else ends[::-1]
    edge = {"id": f"to-{name}", "source": source, "target": target, "label": label, "state": EdgeState.HOLDS}
    return node, edge | {"is_fold": True}


def opening_of(group: Group) -> str:
    """Return the URL parameter that shows more of a group."""
    return urlencode({"group": group_key(group)} if group.predicate else {"open": group.entity_id})


def edge_data(edge: GraphEdge, *, names: tuple[str, ...]) -> dict[str, Any]:
    fact = edge.triple
    target = f"entity-{fact.object_id}" if fact.object_id is not None else f"value-{fact.pk}"
    denied = "not " if fact.polarity == Polarity.NEGATIVE else ""
    return {
        "id": f"fact-{fact.pk}",
        "fact": fact.pk,
        "source": f"entity-{fact.subject_id}",
        "target": target,
        "label": denied + " ".join(words_of_name(fact.predicate)),
        "state": edge.state,
        "is_denied": bool(denied),
        "words": words_of(fact, names=names, at=timezone.now()),
    }

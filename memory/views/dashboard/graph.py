"""The graph of a space: what it believed as of a turn, from an entity outwards, as a picture and as a table.

The picture is drawn from `graph_data`, the table by the page; both show what `graph_asked` finds for the same address.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone

from memory import selectors
from memory.core.english.inflection import words_of_name
from memory.core.types import Polarity
from memory.models import EntityRecord, Space, TripleRecord, Turn
from memory.selectors import EdgeState, GraphEdge, GraphGroup, GraphNode, Group, ShownGraph, Sight
from memory.selectors.neighbourhoods import OPENED
from memory.services.accounts import own_names, person
from memory.services.edits.wording import PREDICATE_LIMIT
from memory.templatetags.dashboard import group_key, more_of
from memory.templatetags.facts import called_to, words_of
from memory.views.dashboard.shell import shell, space_visible, turn_asked, view_asked
from memory.views.margin import last_edit
from memory.views.own_pages import own_page
from memory.views.rows import number_asked, number_in, or_404

ROWS = 50
WORDS_LIMIT = 100
# So many letters of a turn stand around the sentence that a fact was read from.
AROUND = 300


@dataclass(frozen=True)
class AskedGraph:
    """The part of the graph that a URL asks for; `root` is the entity in the middle, None for the newest facts."""

    graph: ShownGraph
    sight: Sight
    root: EntityRecord | None


def graph_asked(request: HttpRequest, space: Space, at: Turn | None, *, worded: bool) -> AskedGraph:
    """Return the graph for the URL's `entity`, `open`, `against` and `past` at a turn; the reader's own by default."""
    sight = Sight(at=at, against=turn_asked(request, space, "against"), with_past=request.GET.get("past") == "1")
    opened = [number for text in request.GET.getlist("open")[:OPENED] if (number := number_asked(text))]
    entity_id = number_in(request, "entity")
    root = entity_in(space, entity_id) if entity_id else None
    if root is None and sight.against is None:
        root = selectors.speaker_in(space, own_names(person(request.user)))
    groups = Counter(group_in(text) for text in request.GET.getlist("group")[:OPENED])
    if root is not None or (opened and sight.against is not None):
        begun = [root.pk] if root is not None else []
        wide_from = begun if not entity_id and begun else None
        graph = selectors.neighbourhood(
            space, [*begun, *opened], sight, groups=groups, wide_from=wide_from, worded=worded
        )
        if entity_id or opened or is_about(graph, root):
            return AskedGraph(graph, sight, root)
    recent = selectors.recent_facts(space, sight, opened=opened, groups=groups, worded=worded)
    return AskedGraph(recent, sight, None)


def is_about(graph: ShownGraph, entity: EntityRecord | None) -> bool:
    return entity is not None and any(
        entity.pk in (edge.triple.subject_id, edge.triple.object_id) for edge in graph.edges
    )


def group_in(text: str) -> Group:
    """Return the group of facts that a URL names, as `group_key` writes it. Raises `Http404` where it is none."""
    entity, _, rest = text.partition(":")
    direction, _, predicate = rest.partition(":")
    entity_id = number_asked(entity)
    if entity_id is None or direction not in {"out", "in"} or not predicate:
        raise Http404
    return Group(entity_id, predicate[:PREDICATE_LIMIT], is_outward=direction == "out")


def entity_in(space: Space, entity_id: int) -> EntityRecord:
    return or_404(lambda: EntityRecord.objects.get(space=space, pk=entity_id))


def fact_in(request: HttpRequest, space: Space, triple_id: int) -> TripleRecord:
    facts = selectors.triple_records_of(person(request.user)).select_related("sentence__turn__session__conversation")
    return or_404(lambda: facts.get(pk=triple_id, space=space))


@own_page
def graph(request: HttpRequest, space_id: int) -> HttpResponse:
    space = space_visible(request, space_id)
    context = shell(request, space, "graph")
    asked = graph_asked(request, space, context["as_of"], worded=True)
    pages = Paginator(asked.graph.edges, ROWS)
    words = words_asked(request)
    states = [edge.state for edge in asked.graph.edges]
    context |= {
        "graph": asked.graph,
        "root": asked.root,
        "against": asked.sight.against,
        "in_time": asked.sight.in_time,
        "added": states.count(EdgeState.ADDED),
        "gone": states.count(EdgeState.GONE),
        "past": states.count(EdgeState.PAST),
        "with_past": asked.sight.with_past,
        "nodes": {node.entity.pk: node for node in asked.graph.nodes},
        "rows": pages.get_page(request.GET.get("page")),
        "view": view_asked(request),
        "words": words,
        "found": selectors.entities_starting(space, words) if words else None,
        "data": data_address(request, space),
        "pin": context["moment"].turn.pk if context["as_of"] else context["moment"].before,
        **panel_asked(request, space, asked),
    }
    return render(request, "memory/dashboard/graph.html", context)


def data_address(request: HttpRequest, space: Space) -> str:
    query = request.GET.copy()
    for name in ("view", "page", "q", "fact", "about"):
        query.pop(name, None)
    return reverse("space-graph-data", args=[space.pk]) + (f"?{query.urlencode()}" if query else "")


def panel_asked(request: HttpRequest, space: Space, asked: AskedGraph) -> dict[str, Any]:
    """Return the context of the panel beside the picture: the selected fact or entity, else the one in the middle."""
    if fact_id := number_in(request, "fact"):
        return panel_of_fact(request, space, fact_in(request, space, fact_id), asked.sight.at)
    about = number_in(request, "about") or (asked.root.pk if asked.root is not None else 0)
    node = next((node for node in asked.graph.nodes if node.entity.pk == about), None)
    return panel_of_node(node, asked.graph.edges) if node is not None else {}


def panel_of_fact(request: HttpRequest, space: Space, fact: TripleRecord, at: Turn | None) -> dict[str, Any]:
    text, sentence = fact.sentence.turn.text, fact.sentence
    before, after = text[: sentence.start], text[sentence.end :]
    return {
        "fact": fact,
        "held_then": at is not None and fact.superseded_at is not None and selectors.was_believed_at(fact, at),
        "before": before if len(before) <= AROUND else f"… {before[-AROUND:]}",
        "words_said": text[sentence.start : sentence.end],
        "after": after if len(after) <= AROUND else f"{after[:AROUND]} …",
        "edit": last_edit(request, space),
    }


def panel_of_node(node: GraphNode, edges: tuple[GraphEdge, ...]) -> dict[str, Any]:
    ends = [edge for edge in edges if node.entity.pk in (edge.triple.subject_id, edge.triple.object_id)]
    return {"node": node, "node_edges": ends}


@own_page
def graph_data(request: HttpRequest, space_id: int) -> JsonResponse:
    """Return the nodes and edges of the graph page with the same URL parameters, as JSON."""
    space = space_visible(request, space_id)
    asked = graph_asked(request, space, turn_asked(request, space, "as_of"), worded=False)
    return JsonResponse(drawn_from(asked.graph, root=asked.root, names=own_names(person(request.user))))


def words_asked(request: HttpRequest) -> str:
    return request.GET.get("q", "")[:WORDS_LIMIT].strip()


@own_page
def graph_find(request: HttpRequest, space_id: int) -> HttpResponse:
    """Return the entities whose names start with the words, as options of a list."""
    space = space_visible(request, space_id)
    words = words_asked(request)
    context = {"space": space, "words": words, "found": selectors.entities_starting(space, words)}
    return render(request, "memory/dashboard/_graph_found.html", context | board_of(request, space))


@own_page
def graph_fact(request: HttpRequest, space_id: int, triple_id: int) -> HttpResponse:
    """Return the panel of a fact: the fact, its sentence and its turn."""
    space = space_visible(request, space_id)
    at = turn_asked(request, space, "as_of")
    context = panel_of_fact(request, space, fact_in(request, space, triple_id), at) | {"as_of": at}
    return render(request, "memory/dashboard/_graph_panel.html", context | board_of(request, space))


@own_page
def graph_entity(request: HttpRequest, space_id: int, entity_id: int) -> HttpResponse:
    """Return the panel of an entity: its newest facts at the turn of the URL."""
    space = space_visible(request, space_id)
    at = turn_asked(request, space, "as_of")
    sight = Sight(at=at, against=turn_asked(request, space, "against"), with_past=request.GET.get("past") == "1")
    around = selectors.neighbourhood(space, [entity_in(space, entity_id).pk], sight, worded=False)
    node = next(node for node in around.nodes if node.entity.pk == entity_id)
    context = panel_of_node(node, around.edges) | {"as_of": at}
    return render(request, "memory/dashboard/_graph_panel.html", context | board_of(request, space))


def board_of(request: HttpRequest, space: Space) -> dict[str, Any]:
    """Return the context that a fragment of the page needs to link to other states of it."""
    return {"space": space, "board_path": reverse("space-graph", args=[space.pk])}


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

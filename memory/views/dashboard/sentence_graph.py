"""The sentence graph (SGMem, section 3.3) around one sentence: its nearest neighbours by meaning, and where each was said.

`sentence_graph_data` serves the picture, the page serves the table; both show the same for the same URL. Edges are those of
now: as of a turn, only those between sentences that had been said by then are shown.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse

from memory import bootstrap
from memory.core.errors import MemoryCoreError
from memory.core.types import Unit
from memory.models import TO_MAINTAIN, SentenceRecord, Space, Turn
from memory.selectors.sentence_graph import (
    FOUND,
    Nearness,
    NearSentence,
    SentenceNeighbourhood,
    latest_sentence,
    sentence_neighbourhood,
    sentences_there,
    sentences_worded,
)
from memory.services.accounts import own_names, person
from memory.views.dashboard.listing import words_in
from memory.views.dashboard.shell import shell, space_visible, turn_asked, view_asked
from memory.views.own_pages import own_page
from memory.views.rows import number_in, or_404

LABEL = 90
# As of a turn, some of what is nearest was said later.
LATER = 4


@dataclass(frozen=True)
class Found:
    """The sentences that a search found; `trouble` says why it could not search by meaning."""

    sentences: list[SentenceRecord]
    trouble: str = ""


@own_page
def sentence_graph(request: HttpRequest, space_id: int) -> HttpResponse:
    space = space_visible(request, space_id)
    context = shell(request, space, "sentence-graph")
    at, words = context["as_of"], words_in(request, "q")
    by_words = request.GET.get("by") == "words"
    found = (sought_by_words if by_words else sought_by_meaning)(space, words, at) if words else None
    graph = graph_asked(request, space, at, found)
    context |= {
        "graph": graph,
        "words": words,
        "by_words": by_words,
        "found": found,
        "is_everywhere": request.GET.get("places") == "all",
        "view": view_asked(request),
        "is_unread": graph is not None and graph.centre.turn.round.maintenance in TO_MAINTAIN,
        "rows": rows_of(graph) if graph is not None else [],
        "data": data_address(request, space, graph),
        **(panel_asked(request, graph) if graph is not None else {}),
    }
    return render(request, "memory/dashboard/sentence_graph.html", context)


def sought_by_words(space: Space, words: str, at: Turn | None) -> Found:
    return Found(sentences_worded(space, words, at))


def sought_by_meaning(space: Space, words: str, at: Turn | None) -> Found:
    """Return the sentences nearest in meaning to the words; if that cannot be searched, those with the words, and why."""
    index = bootstrap.dialogue_index(space.pk)
    try:
        [vector] = index.embed([words])
        near = index.nearest(Unit.SENTENCE, vector, limit=FOUND if at is None else LATER * FOUND)
    except MemoryCoreError as error:
        return Found(sentences_worded(space, words, at), str(error))
    return Found(sentences_there(space, [one.id for one in near], at))


def graph_asked(
    request: HttpRequest, space: Space, at: Turn | None, found: Found | None
) -> SentenceNeighbourhood | None:
    """Return the graph around the URL's sentence, else around the first one found, else around the latest."""
    asked = number_in(request, "sentence")
    if asked is None:
        first = found.sentences[0].pk if found is not None and found.sentences else None
        asked = first if found is not None else latest_sentence(space, at)
    if asked is None:
        return None
    return or_404(lambda: sentence_neighbourhood(space, asked, at))


def data_address(request: HttpRequest, space: Space, graph: SentenceNeighbourhood | None) -> str:
    if graph is None:
        return ""
    query = request.GET.copy()
    for name in ("view", "q", "by", "about"):
        query.pop(name, None)
    query["sentence"] = str(graph.centre.pk)
    return reverse("space-sentence-graph-data", args=[space.pk]) + f"?{query.urlencode()}"


def rows_of(graph: SentenceNeighbourhood) -> list[tuple[NearSentence, list[tuple[SentenceRecord, float]]]]:
    """Return the shown sentences, each with its shown neighbours and their similarity."""
    rows = {near.sentence.pk: near.sentence for near in graph.sentences}
    return [(near, near_to(near.sentence.pk, graph.edges, rows)) for near in graph.sentences]


def near_to(
    sentence_id: int, edges: tuple[Nearness, ...], rows: dict[int, SentenceRecord]
) -> list[tuple[SentenceRecord, float]]:
    ends = ((edge, {edge.source, edge.target} - {sentence_id}) for edge in edges)
    return [(rows[other], edge.similarity) for edge, others in ends if len(others) == 1 for other in others]


def panel_asked(request: HttpRequest, graph: SentenceNeighbourhood) -> dict[str, Any]:
    """Return the context of the panel beside the picture: the selected sentence, or the one in the middle."""
    about = number_in(request, "about")
    chosen = next((near for near in graph.sentences if near.sentence.pk == about), graph.sentences[0])
    rows = {near.sentence.pk: near.sentence for near in graph.sentences}
    return {
        "chosen": chosen.sentence,
        "is_centre": chosen.distance == 0,
        "near": near_to(chosen.sentence.pk, graph.edges, rows),
    }


@own_page
def sentence_panel(request: HttpRequest, space_id: int, sentence_id: int) -> HttpResponse:
    """Return what stands beside the picture for a sentence."""
    space = space_visible(request, space_id)
    at = turn_asked(request, space, "as_of")
    graph = or_404(lambda: sentence_neighbourhood(space, sentence_id, at))
    context = {
        "space": space,
        "as_of": at,
        "board_path": reverse("space-sentence-graph", args=[space.pk]),
        **panel_asked(request, graph),
        "is_centre": request.GET.get("sentence") == str(sentence_id),
    }
    return render(request, "memory/dashboard/_sentence_panel.html", context)


@own_page
def sentence_graph_data(request: HttpRequest, space_id: int) -> JsonResponse:
    """Return the nodes and edges of the same address of the page."""
    space = space_visible(request, space_id)
    graph = graph_asked(request, space, turn_asked(request, space, "as_of"), None)
    if graph is None:
        return JsonResponse({"nodes": [], "edges": [], "is_cut": False})
    is_everywhere = request.GET.get("places") == "all"
    placed = [near.sentence for near in graph.sentences] if is_everywhere else [graph.centre]
    places, members = places_of(placed, names=own_names(person(request.user)))
    nodes = [node_data(near) for near in graph.sentences] + places
    return JsonResponse({"nodes": nodes, "edges": [*map(edge_data, graph.edges), *members], "is_cut": graph.is_cut})


def node_data(near: NearSentence) -> dict[str, object]:
    text = near.sentence.shown
    return {
        "id": f"sentence-{near.sentence.pk}",
        "entity": near.sentence.pk,
        "label": text if len(text) <= LABEL else f"{text[:LABEL]}…",
        "is_root": near.distance == 0,
    }


def edge_data(edge: Nearness) -> dict[str, object]:
    return {
        "id": f"near-{edge.source}-{edge.target}",
        "source": f"sentence-{edge.source}",
        "target": f"sentence-{edge.target}",
        "label": f"{edge.similarity:.2f}",
        "state": "holds",
        "is_mutual": edge.is_mutual,
    }


def places_of(
    sentences: list[SentenceRecord], *, names: tuple[str, ...]
) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    """Return the turns, rounds and sessions of the sentences, and the edges to them (SGMem's membership edges)."""
    nodes: dict[str, dict[str, object]] = {}
    edges: dict[str, dict[str, object]] = {}
    for sentence in sentences:
        turn = sentence.turn
        speaker = "you" if turn.speaker in names else turn.speaker
        chain = (
            (f"sentence-{sentence.pk}", ""),
            (f"turn-{turn.pk}", f"a turn of {speaker}"),
            (f"round-{turn.round_id}", f"round {turn.round.index + 1}"),
            (f"session-{turn.session_id}", turn.session.title[:LABEL] or f"{turn.session.started_at:%-d %b %Y}"),
        )
        for name, label in chain[1:]:
            nodes[name] = {"id": name, "label": label, "is_value": True}
        for (part, _), (whole, _) in pairwise(chain):
            member = {"id": f"{part}-in-{whole}", "source": part, "target": whole, "label": ""}
            edges[f"{part}-{whole}"] = member | {"state": "holds", "is_place": True}
    return list(nodes.values()), list(edges.values())

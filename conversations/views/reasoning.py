"""How a reply was found: its reasoning tree under the reply and on a page of its own, and a space's list of all of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from conversations import selectors
from conversations.models import ReasoningArgument, ReasoningNode, ReasoningTree
from conversations.views.replies import owned
from memory.models import Session, TripleRecord
from memory.selectors import sessions_of
from memory.services.accounts import person, speaker_name
from memory.views.dashboard.shell import shell, space_visible

FACTS_A_STEP = 8
ALL_FACTS = 1_000
PAGE = 25


@dataclass(frozen=True)
class Step:
    """A node as it is shown: `facts` are the first that it found, `more` counts the others.

    `is_way` says that it is on the way to the node that answered, `is_end` that it is that node.
    """

    node: ReasoningNode
    names: Sequence[str]
    facts: Sequence[TripleRecord]
    more: int
    is_way: bool
    is_end: bool
    children: Sequence[Step]


@dataclass(frozen=True)
class Search:
    """A tree as it is shown: its steps in the order of their numbers, of which the root has all others below it."""

    tree: ReasoningTree
    steps: Sequence[Step]

    @property
    def roots(self) -> list[Step]:
        return [step for step in self.steps if step.node.parent is None]

    @property
    def levels(self) -> int:
        return max((step.node.depth for step in self.steps), default=0)


@never_cache
@require_safe
def reply_reasoning(request: HttpRequest, reply_id: int) -> HttpResponse:
    """Show the searches of a reply; `?step=` shows one step of them with all its facts."""
    reply = owned(request, reply_id)
    step = number_asked(request, "step")
    trees = selectors.trees_of(person(request.user), reply_id, facts_a_node=FACTS_A_STEP if step is None else ALL_FACTS)
    context: dict[str, Any] = {
        "reply": reply,
        "searches": [Search(tree, steps_of(tree, reader=speaker_name(person(request.user)))) for tree in trees],
        "place": "talk",
        "is_alone": "alone" in request.GET,
    }
    if request.htmx:
        return render(request, "conversations/_searches.html", context)
    if step is not None:
        return render_step(request, context, step)
    asked = reply.round.turns.filter(role="user").defer("search").first()
    return render(request, "conversations/reasoning.html", context | {"message": asked, "is_alone": True})


def render_step(request: HttpRequest, context: dict[str, Any], node_id: int) -> HttpResponse:
    step = next((step for search in context["searches"] for step in search.steps if step.node.pk == node_id), None)
    if step is None:
        raise Http404
    return render(request, "conversations/step.html", context | {"step": step})


@never_cache
@require_safe
def space_reasoning(request: HttpRequest, space_id: int) -> HttpResponse:
    """List the user's replies over a space that came from a search, newest first: as of a turn, of one session."""
    space = space_visible(request, space_id)
    context = shell(request, space, "reasoning")
    session = session_asked(request, space_id)
    trees = selectors.trees_in(
        person(request.user), space, before=number_asked(request, "before"), as_of=context["as_of"], session=session
    )
    found = list(trees[: PAGE + 1])
    older = older_address(request, found[PAGE - 1]) if len(found) > PAGE else ""
    context |= {"trees": found[:PAGE], "older": older, "session": session}
    return render(request, "conversations/space_reasoning.html", context)


def session_asked(request: HttpRequest, space_id: int) -> Session | None:
    """Return the session of the space that `?session=` names, or None. Another's, or none, is not found."""
    asked = number_asked(request, "session")
    if asked is None:
        return None
    session = sessions_of(person(request.user)).filter(space=space_id, pk=asked).first()
    if session is None:
        raise Http404
    return session


def number_asked(request: HttpRequest, name: str) -> int | None:
    """Return the number that a parameter of the address gives, None where it is absent. What is none is not found."""
    asked = request.GET.get(name, "")
    if not asked:
        return None
    if not (asked.isascii() and asked.isdecimal()) or len(asked) > 18:
        raise Http404
    return int(asked)


def older_address(request: HttpRequest, last: ReasoningTree) -> str:
    """Return the address of the next page, with all else as it is."""
    query: QueryDict = request.GET.copy()
    query["before"] = str(last.pk)
    return f"{request.path}?{query.urlencode()}"


def steps_of(tree: ReasoningTree, *, reader: str) -> list[Step]:
    """Return the nodes in the order of their numbers, each with what follows it; the reader is called "you"."""
    nodes = list(tree.nodes.all())
    children: Mapping[int, list[Step]] = defaultdict(list)
    way = way_to(tree.best, nodes)
    steps = []
    # A node comes after its parent, so what follows it is made before it is.
    for node in reversed(nodes):
        step = Step(
            node=node,
            names=[name_of(argument, reader=reader) for argument in node.arguments.all()],
            facts=(facts := [found.triple for found in node.triples_added.all()]),
            more=node.found - len(facts),
            is_way=node.number in way,
            is_end=node.number == tree.best,
            children=children[node.number][::-1],
        )
        if node.parent is not None:
            children[node.parent].append(step)
        steps.append(step)
    return steps[::-1]


def name_of(argument: ReasoningArgument, *, reader: str) -> str:
    """Return what a step looked for: "you" for the reader, the name that it goes by now, or the one that it had."""
    entity = argument.entity
    if entity is None:
        return argument.name
    return "you" if entity.is_speaker and entity.label == reader else entity.label


def way_to(best: int | None, nodes: Sequence[ReasoningNode]) -> set[int]:
    """Return the numbers of the nodes from the root to the one that answered."""
    parents = {node.number: node.parent for node in nodes}
    way: set[int] = set()
    number = best
    while number is not None and number not in way:
        way.add(number)
        number = parents.get(number)
    return way

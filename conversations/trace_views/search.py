"""Shows a search through the reasoning tree: its nodes, each below its parent, and how it ended."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.template.defaultfilters import pluralize
from django.utils import timezone

from conversations.core.tracing.search import Search, SearchStep
from memory.core.knowledge_graph.verbalisation import assertion_of_triple, sentence
from memory.core.reasoning_tree.types import ActionKind, Fate, StopReason
from memory.core.tracing import Name
from memory.models import EntityRecord, TripleRecord
from memory.selectors import with_parts
from memory.selectors.tracing import NumberedStep
from memory.stores import triple_of
from memory.trace_views.base import Reading, StepView

FATES = {
    Fate.KEPT: "kept in view",
    Fate.PRUNED: "set aside",
    Fate.DUPLICATE: "same as another step",
    Fate.DROPPED: "could not be used",
}
BEST = "The best that I had found by then was taken."


@dataclass(frozen=True)
class NodeShown:
    """A node as it is shown: `facts` are the first that it found, `more` is the number of others.

    `is_way` where it is on the path to the answering node, `is_end` where it is that node.
    """

    number: int
    node: SearchStep
    names: Sequence[str]
    facts: Sequence[TripleRecord]
    more: int
    is_way: bool
    is_end: bool
    children: Sequence[NodeShown]

    @property
    def did(self) -> str:
        """What the node's action did, such as "Looked at Maya"; a thought and an answer follow in their own words."""
        match self.node.action:
            case "":
                return "Started from your question" if self.node.parent is None else "A proposal that could not be read"
            case ActionKind.EXPAND_ENTITY:
                if not self.names:
                    return "Looked at something that is forgotten now"
                return f"Looked at {'what I know of you' if self.names[0] == 'you' else self.names[0]}"
            case ActionKind.FIND_PATH:
                ends = (
                    " and ".join(self.names) if len(self.names) > 1 else "two things, not both of which are still known"
                )
                return f"Looked for a way between {ends}"
            case ActionKind.THINK:
                return "Thought it over"
            case _:
                return "Drafted an answer"

    @property
    def became(self) -> str:
        """What became of the node."""
        if self.is_end:
            return "the answer" if self.node.action == ActionKind.ANSWER else "the reply was written from here"
        if self.node.node == 0:
            return ""
        return "led to the answer" if self.is_way else FATES[Fate(self.node.fate)]


@dataclass(frozen=True)
class SearchShown:
    """A search on one page: its nodes by number; `roots` are those without a parent on the page."""

    search: Search | None
    nodes: Sequence[NodeShown]
    roots: Sequence[NodeShown]
    reader: str
    is_ended: bool

    @property
    def levels(self) -> int:
        return max((one.node.depth for one in self.nodes), default=0)

    @property
    def ending(self) -> str:
        """A sentence that says why the search ended, or that it has not."""
        if self.search is None:
            return ""
        if not self.search.stopped_by:
            return "This search was cut short." if self.is_ended else "I am still looking."
        limits = self.search.limits or {}
        match StopReason(self.search.stopped_by):
            case StopReason.ANSWERED:
                return "I stopped when every way that was still in view had come to an answer."
            case StopReason.ENOUGH:
                return "I stopped when the best step of all was an answer, and good enough."
            case StopReason.DEPTH:
                deep = limits["max_depth"]
                return f"I stopped after {deep} level{pluralize(deep)}, as deep as a search may go. {BEST}"
            case StopReason.EXPANSIONS:
                far = limits["max_expansions"]
                return f"I stopped after going on from {far} step{pluralize(far)}, as many as a search may. {BEST}"
            case StopReason.CALLS:
                return f"I stopped because the {limits['max_calls']} calls that a reply may make were used up. {BEST}"
            case StopReason.TOKENS:
                return f"I stopped because the {limits['max_tokens']} tokens that a reply may take were used up. {BEST}"
            case StopReason.SECONDS:
                return (
                    f"I stopped because the {limits['max_seconds']:g} seconds that a reply may take were over. {BEST}"
                )
            case _:
                return "I stopped because there was nothing more to try."


class SearchView(StepView[Search]):
    kind = Search
    with_kinds = (SearchStep,)

    def shown_many(self, groups: Sequence[Sequence[NumberedStep]], reading: Reading) -> list[Any]:
        nodes = [one.step for group in groups for one in group if isinstance(one.step, SearchStep)]
        entities = EntityRecord.objects.in_bulk({name.entity for node in nodes for name in node.about if name.entity})
        facts = with_parts(TripleRecord.objects.filter(space=reading.space_id)).in_bulk(
            {one for node in nodes for one in node.found[: reading.facts]}
        )
        return [search_shown(group, reading, entities, facts) for group in groups]

    def lines(self, shown: SearchShown) -> list[str]:
        lines = [f"Searched from fact to fact. {shown.ending}".rstrip()]
        for root in shown.roots:
            lines += node_lines(root, reader=shown.reader, indent="  ")
        lines += [f"  What went wrong: {failure}" for failure in (shown.search.failures if shown.search else ())]
        return lines


def search_shown(
    group: Sequence[NumberedStep],
    reading: Reading,
    entities: Mapping[int, EntityRecord],
    facts: Mapping[int, TripleRecord],
) -> SearchShown:
    """Return one search with its nodes, each with its children."""
    search = next((one.step for one in group if isinstance(one.step, Search)), None)
    nodes = sorted(
        ((one.step, one.number) for one in group if isinstance(one.step, SearchStep)), key=lambda pair: pair[0].node
    )
    way = way_to(search.best if search is not None else None, [node for node, _ in nodes])
    here = {node.node for node, _ in nodes}
    children: dict[int, list[NodeShown]] = defaultdict(list)
    shown: list[NodeShown] = []
    # A node comes after its parent, so what follows it is made before it is.
    for node, number in reversed(nodes):
        first = [facts[one] for one in node.found[: reading.facts] if one in facts]
        one = NodeShown(
            number=number,
            node=node,
            names=[called for name in node.about if (called := name_of(name, entities, reading))],
            facts=first,
            more=len(node.found[reading.facts :]),
            is_way=node.node in way,
            is_end=search is not None and node.node == search.best,
            children=children[node.node][::-1],
        )
        if node.parent is not None:
            children[node.parent].append(one)
        shown.append(one)
    roots = [one for one in reversed(shown) if one.node.parent is None or one.node.parent not in here]
    return SearchShown(search, shown[::-1], roots, reading.reader, reading.is_ended)


def name_of(name: Name, entities: Mapping[int, EntityRecord], reading: Reading) -> str:
    """Return the name of an action's entity: "you" for the reader, else its present name, or the one that it had."""
    if name.entity is None:
        return name.text
    entity = entities.get(name.entity)
    if entity is None or entity.space_id != reading.space_id:
        return ""
    return "you" if entity.is_speaker and entity.label == reading.reader else entity.label


def way_to(best: int | None, nodes: Sequence[SearchStep]) -> set[int]:
    """Return the numbers of the nodes from the root to the one that answered."""
    parents = {node.node: node.parent for node in nodes}
    way: set[int] = set()
    number = best
    while number is not None and number not in way:
        way.add(number)
        number = parents.get(number)
    return way


def node_lines(one: NodeShown, *, reader: str, indent: str) -> list[str]:
    """Return a node and its descendants as lines, each level further indented."""
    figures = [f"{len(one.node.found)} fact{'' if len(one.node.found) == 1 else 's'}"] if one.node.found else []
    if one.node.value is not None and one.node.parent is not None:
        figures.append(f"score {one.node.value:.2f}")
    figures += [one.became] if one.became else []
    text = f': "{one.node.text}"' if one.node.text else ""
    became = f" ({', '.join(figures)})" if figures else ""
    lines = [f"{indent}{one.did}{text}{became}"]
    lines += [f"{indent}    {one.node.reason}"] if one.node.reason else []
    now = timezone.now()
    lines += [
        f"{indent}    - {sentence(assertion_of_triple(triple_of(fact), at=now), asker=reader)}" for fact in one.facts
    ]
    lines += [f"{indent}    - and {one.more} more"] if one.more else []
    for child in one.children:
        lines += node_lines(child, reader=reader, indent=f"{indent}  ")
    return lines

"""The reasoning trees of a running reply, stored level by level, and what is left of one once its words are forgotten.

Whoever writes a tree holds the lease of its reply and the lock of its space: what is forgotten meanwhile is either seen here
and left out, or finds the words here and takes them out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field

from conversations.models import (
    ReasoningArgument,
    ReasoningNode,
    ReasoningNodeTriple,
    ReasoningTree,
    Reply,
)
from memory.core.knowledge_graph.naming import key_of
from memory.core.reasoning_tree.types import Cost, Level, SearchNode, SearchResult
from memory.models import AliasRecord, TripleRecord
from memory.services.spaces import space_lock

NAME_LIMIT = 300
NODE_FIELDS = ("fate", "value", "text", "reason", "prompt_tokens", "completion_tokens", "milliseconds")


@dataclass
class GrowingTrees:
    """The trees of one attempt at a reply, each of which grows until its search has ended.

    A part is stored in a constant number of queries, in the caller's transaction.
    """

    reply: Reply
    tree: ReasoningTree | None = None
    count: int = 0
    costs: dict[int, Cost] = field(default_factory=dict)

    def store(self, part: Level | SearchResult) -> dict[str, object]:
        """Store a level or the end of the search, and return it as an event carries it: numbers, and no words."""
        space_lock(self.reply.conversation.space_id)
        tree = self.locked_tree()
        match part:
            case Level():
                self.nodes_store(tree, part.nodes)
                self.costs |= {node.number: node.cost for node in part.nodes}
                tree.waits, tree.milliseconds = tree.waits + part.waits, tree.milliseconds + part.milliseconds
                spend(tree, sum(self.costs.values(), Cost()))
                data = level_data(part)
            case SearchResult():
                if part.best is not None:
                    self.nodes_store(tree, [part.best])
                tree.best = part.best.number if part.best is not None else None
                tree.stopped_by, tree.config = part.stopped_by, asdict(part.config)
                tree.waits, tree.milliseconds = part.waits, part.milliseconds
                tree.failures = [] if tree.has_forgotten else [storable(failure) for failure in part.failures]
                spend(tree, part.cost)
                data = result_data(part)
        tree.save()
        return {"search": tree.index, **data}

    def locked_tree(self) -> ReasoningTree:
        """Return the row as it is now: what it had found may have been forgotten since the last level.

        What comes after the end of a search begins the next one.
        """
        if self.tree is None or self.tree.stopped_by:
            self.tree = ReasoningTree.objects.create(reply=self.reply, index=self.count)
            self.count, self.costs = self.count + 1, {}
        else:
            self.tree.refresh_from_db(fields=["has_forgotten"])
        return self.tree

    def nodes_store(self, tree: ReasoningTree, nodes: Sequence[SearchNode]) -> None:
        """Store new nodes and those that come again with another fate, without what was forgotten since it was read."""
        read = {triple.id for node in nodes for triple in (*node.state.subgraph, *node.added)}
        there = set(TripleRecord.objects.filter(pk__in=read).values_list("pk", flat=True))
        tree.has_forgotten |= there != read
        if tree.has_forgotten:
            words_remove([tree.pk])
        rows = ReasoningNode.objects.bulk_create(
            [node_row(tree, node) for node in nodes],
            update_conflicts=True,
            unique_fields=["tree", "number"],
            update_fields=NODE_FIELDS,
        )
        ReasoningNodeTriple.objects.bulk_create(
            [
                ReasoningNodeTriple(node=row, triple_id=triple_id, rank=rank)
                for row, node in zip(rows, nodes, strict=True)
                for rank, triple_id in enumerate(dict.fromkeys(triple.id for triple in node.added))
                if triple_id in there
            ],
            ignore_conflicts=True,
        )
        self.arguments_store(tree, list(zip(rows, nodes, strict=True)))

    def arguments_store(self, tree: ReasoningTree, nodes: Sequence[tuple[ReasoningNode, SearchNode]]) -> None:
        named = [
            (row, rank, name, node)
            for row, node in nodes
            if node.action
            for rank, name in enumerate(node.action.arguments)
        ]
        entities = entities_called(self.reply.conversation.space_id, (name for _, _, name, _ in named))
        arguments = []
        for row, rank, name, node in named:
            entity_id = likeliest(entities.get(key_of(name), []), node)
            if entity_id is not None:
                arguments.append(ReasoningArgument(node=row, rank=rank, entity_id=entity_id))
            elif not tree.has_forgotten:
                arguments.append(ReasoningArgument(node=row, rank=rank, name=storable(name)[:NAME_LIMIT]))
        ReasoningArgument.objects.bulk_create(arguments, ignore_conflicts=True)


def trees_forget(*, space_id: int) -> None:
    """Take the words out of every tree that found a triple which is being forgotten, in the caller's transaction."""
    lost = ReasoningNodeTriple.objects.filter(triple=None, node__tree__reply__conversation__space=space_id)
    trees = set(lost.values_list("node__tree_id", flat=True))
    if trees:
        ReasoningTree.objects.filter(pk__in=trees).update(has_forgotten=True, failures=[])
        words_remove(trees)
        lost.delete()


def words_remove(tree_ids: Iterable[int]) -> None:
    ReasoningNode.objects.filter(tree__in=tree_ids).update(text="", reason="")
    ReasoningArgument.objects.filter(node__tree__in=tree_ids, entity=None).delete()


def trees_restart(*, reply: Reply) -> None:
    """Remove the trees of an earlier attempt at a reply."""
    ReasoningTree.objects.filter(reply=reply).delete()


def node_row(tree: ReasoningTree, node: SearchNode) -> ReasoningNode:
    has_words = not tree.has_forgotten
    return ReasoningNode(
        tree=tree,
        number=node.number,
        parent=node.parent,
        depth=node.state.depth,
        action=node.action.kind if node.action is not None else "",
        text=storable(node.action.text) if node.action is not None and has_words else "",
        value=node.value,
        fate=node.fate,
        reason=storable(node.reason) if has_words else "",
        prompt_tokens=node.cost.prompt_tokens,
        completion_tokens=node.cost.completion_tokens,
        milliseconds=node.milliseconds,
    )


def entities_called(space_id: int, names: Iterable[str]) -> dict[str, list[int]]:
    """Return the ids of the space's entities by the keys of the names that they have."""
    found: dict[str, list[int]] = {}
    keys = {key_of(name) for name in names} - {""}
    aliases = AliasRecord.objects.filter(space_id=space_id, key__in=keys) if keys else AliasRecord.objects.none()
    for key, entity_id in aliases.order_by("entity_id").values_list("key", "entity_id"):
        found.setdefault(key, []).append(entity_id)
    return found


def likeliest(candidates: Sequence[int], node: SearchNode) -> int | None:
    """Return the entity of that name which the node's own triples speak of, else the first."""
    spoken_of = {end for triple in (*node.added, *node.state.subgraph) for end in (triple.subject.id, triple.object_id)}
    return next((entity_id for entity_id in candidates if entity_id in spoken_of), next(iter(candidates), None))


def spend(tree: ReasoningTree, cost: Cost) -> None:
    tree.calls, tree.prompt_tokens, tree.completion_tokens = cost.calls, cost.prompt_tokens, cost.completion_tokens


def level_data(level: Level) -> dict[str, object]:
    return {
        "depth": level.depth,
        "waits": level.waits,
        "milliseconds": level.milliseconds,
        "nodes": [
            {
                "number": node.number,
                "parent": node.parent,
                "action": node.action.kind if node.action is not None else "",
                "fate": node.fate,
                "value": node.value,
            }
            for node in level.nodes
        ],
    }


def result_data(result: SearchResult) -> dict[str, object]:
    return {
        "best": result.best.number if result.best is not None else None,
        "stopped_by": result.stopped_by,
        "calls": result.cost.calls,
        "prompt_tokens": result.cost.prompt_tokens,
        "completion_tokens": result.cost.completion_tokens,
        "waits": result.waits,
        "milliseconds": result.milliseconds,
    }


def storable(text: str) -> str:
    """Return the text without what a model may write and no text of the database can hold."""
    return text.replace("\0", "").encode("utf-8", "replace").decode()

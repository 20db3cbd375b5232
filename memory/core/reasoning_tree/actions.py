"""The actions of the reasoning tree (D-SMART, "Reasoning Tree for Memory Traversal"): what each does to a state.

All actions of a level are taken together: their names are looked up in one batch, neighbourhoods are read in one, paths in
one. No model is asked here.

Departures from the paper:
- The paper expands entities of the state's subgraph. The root's subgraph is empty, so the query brings entities to begin
  with, and any other name that the graph knows is taken as well.
- An action that its own trajectory has taken already, one that brings no triple, and one that leads to the same state as
  another are not followed: a score and a place on the beam would be spent on nothing. What brought nothing is remembered by
  the states beside it.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from memory.core.plain_text import has_words
from memory.core.ports import GraphWalker
from memory.core.reasoning_tree.ports import EntityResolver
from memory.core.reasoning_tree.types import (
    Action,
    ActionKind,
    Fate,
    InVain,
    SearchConfig,
    SearchNode,
    SearchQuery,
    State,
)
from memory.core.types import Entity, GraphPath, Triple

NAMES_TAKEN = {ActionKind.EXPAND_ENTITY: 1, ActionKind.FIND_PATH: 2}
# What prompts say of an entity behind its name: "Idris (your brother)".
SAID_OF_IT = re.compile(r"\s*\([^()]*\)$")
# Answers that differ in these alone are one.
MARKS = re.compile(r"[.,;:!?()*…\"'“”‘’]+")


@dataclass(frozen=True)
class Found:
    """What the graph returned for an action, and the sentence to show where that adds nothing new."""

    triples: tuple[Triple, ...]
    is_capped: bool
    nothing: str


def dropped(node: SearchNode, reason: str) -> SearchNode:
    return replace(node, fate=Fate.DROPPED, reason=reason)


def is_open(node: SearchNode) -> bool:
    """Return whether a new node may still be expanded: neither dropped nor merged, and not on the beam yet."""
    return node.fate is Fate.PRUNED


def entities_of(state: State, entries: Iterable[Entity] = ()) -> list[Entity]:
    """Return the entities that a state can be expanded at: those to begin with, then those of its subgraph."""
    found = {entity.id: entity for entity in entries}
    for triple in state.subgraph:
        found.setdefault(triple.subject.id, triple.subject)
        if triple.object_id is not None:
            found.setdefault(triple.object_id, Entity(triple.object_id, triple.object, triple.object_kind))
    return list(found.values())


def taken(
    nodes: Sequence[SearchNode],
    query: SearchQuery,
    *,
    walker: GraphWalker | None,
    resolver: EntityResolver | None,
    config: SearchConfig,
    clock: Callable[[], float],
) -> list[SearchNode]:
    """Return the new nodes of a level with their actions executed (Algorithm 2, lines 9 and 10).

    Before, a node's state is its parent's with the action added to the trajectory.
    """
    well_formed = [_checked(node, has_graph=walker is not None) for node in nodes]
    aimed, targets = _aimed(well_formed, query, resolver)
    distinct = _without_repeats(aimed)
    if walker is not None:
        distinct = _walked(distinct, targets, walker, config, clock)
    return _with_what_was_in_vain(_merged(distinct))


def _checked(node: SearchNode, *, has_graph: bool) -> SearchNode:
    action = node.action
    if action is None or not is_open(node):
        return node
    needed = NAMES_TAKEN.get(action.kind, 0)
    if needed and not has_graph:
        return dropped(node, "There are no remembered facts to look into.")
    if needed and len(action.arguments) != needed:
        needs = "To look around takes one name" if needed == 1 else "To find a path takes two names"
        return dropped(node, f"{needs}, not {len(action.arguments)}.")
    if not needed and not has_words(action.text):
        what = "The answer" if action.kind is ActionKind.ANSWER else "The thought"
        return dropped(node, f"{what} has no words.")
    return node


def _aimed(
    nodes: Sequence[SearchNode], query: SearchQuery, resolver: EntityResolver | None
) -> tuple[list[SearchNode], dict[int, tuple[Entity, ...]]]:
    """Return the nodes with the graph's own names in their actions, and the entities that each action names."""
    known = {
        node.number: {_key(entity.label): entity for entity in reversed(entities_of(node.state, query.entries))}
        for node in nodes
        if is_open(node) and node.action is not None and node.action.kind in NAMES_TAKEN
    }
    unknown = list(
        dict.fromkeys(
            spelling
            for node in nodes
            if node.number in known and node.action is not None
            for name in node.action.arguments
            if not any(_key(spelling) in known[node.number] for spelling in _spellings(name))
            for spelling in _spellings(name)
        )
    )
    resolved: dict[str, Entity | None] = {}
    if unknown and resolver is not None:
        resolved = dict(zip(unknown, resolver.resolve_many(unknown), strict=True))
    aimed, targets = [], {}
    for node in nodes:
        if node.action is None or node.number not in known:
            aimed.append(node)
            continue
        entities = [
            next(
                filter(None, (known[node.number].get(_key(one)) or resolved.get(one) for one in _spellings(name))), None
            )
            for name in node.action.arguments
        ]
        missing = [name for name, entity in zip(node.action.arguments, entities, strict=True) if entity is None]
        found = tuple(entity for entity in entities if entity is not None)
        if missing:
            aimed.append(dropped(node, f"Nothing called {_listed(missing)} is remembered."))
        elif len({entity.id for entity in found}) < len(found):
            aimed.append(dropped(node, f"A path needs two different ends, not {found[0].label} twice."))
        else:
            targets[node.number] = found
            named = replace(node.action, arguments=tuple(entity.label for entity in found))
            aimed.append(_with_action(node, named))
    return aimed, targets


def _without_repeats(nodes: Sequence[SearchNode]) -> list[SearchNode]:
    """Merge equal proposals to one parent, and drop actions that the trajectory contains already."""
    first: dict[tuple[object, ...], int] = {}
    distinct = []
    for node in nodes:
        if node.action is None or not is_open(node):
            distinct.append(node)
            continue
        own = _action_key(node.action)
        if own in _tried(node.state):
            distinct.append(dropped(node, "This step was already taken on this way."))
            continue
        twin = first.setdefault((node.parent, own), node.number)
        distinct.append(node if twin == node.number else _merged_into_another(node, "This step was already taken."))
    return distinct


def _walked(
    nodes: Sequence[SearchNode],
    targets: dict[int, tuple[Entity, ...]],
    walker: GraphWalker,
    config: SearchConfig,
    clock: Callable[[], float],
) -> list[SearchNode]:
    """Execute the graph actions of a level, each kind in one batch, equal ones once."""
    began = clock()
    expanding = {node.number: targets[node.number][0] for node in nodes if _is(node, ActionKind.EXPAND_ENTITY)}
    joining = {node.number: _pair(targets[node.number]) for node in nodes if _is(node, ActionKind.FIND_PATH)}
    entities = list(dict.fromkeys(entity.id for entity in expanding.values()))
    pairs = list(dict.fromkeys((a.id, b.id) for a, b in joining.values()))
    around = walker.expand_many([[one] for one in entities], hops=config.hops, limit=config.triples) if entities else []
    between = walker.find_paths_many(pairs, max_edges=config.path_edges) if pairs else []
    around_of = dict(zip(entities, around, strict=True))
    between_of = dict(zip(pairs, between, strict=True))
    found: dict[int, Found] = {}
    for number, entity in expanding.items():
        expansion = around_of[entity.id]
        found[number] = Found(expansion.triples, expansion.is_capped, f"Nothing more is known about {entity.label}.")
    for number, (a, b) in joining.items():
        search = between_of[a.id, b.id]
        missing = f"No path of up to {config.path_edges} steps leads from {a.label} to {b.label}"
        if search.paths:
            missing = f"What leads from {a.label} to {b.label} is known already"
        elif search.is_capped:
            missing += ", as far as the search came"
        found[number] = Found(_edges(search.paths), search.is_capped, f"{missing}.")
    share = (clock() - began) * 1000 / len(found) if found else 0.0
    return [_grown(node, found[node.number], config.triples, share) if node.number in found else node for node in nodes]


def _grown(node: SearchNode, found: Found, limit: int, milliseconds: float) -> SearchNode:
    known = {triple.id for triple in node.state.subgraph}
    fresh = {triple.id: triple for triple in found.triples if triple.id not in known}
    if not fresh:
        return replace(dropped(node, found.nothing), milliseconds=milliseconds)
    added = tuple(fresh.values())[:limit]
    is_capped = found.is_capped or len(added) < len(fresh)
    return replace(
        node,
        state=replace(node.state, subgraph=(*node.state.subgraph, *added)),
        added=added,
        reason=f"Only the nearest were taken ({len(added)}); there are more." if is_capped else "",
        milliseconds=milliseconds,
    )


def _merged(nodes: Sequence[SearchNode]) -> list[SearchNode]:
    """Merge the nodes of a level with equal states, whatever trajectory led to them."""
    first: dict[object, int] = {}
    merged = []
    for node in nodes:
        twin = first.setdefault(_state_key(node.state), node.number) if is_open(node) else node.number
        merged.append(node if twin == node.number else _merged_into_another(node, "Another way led to the same facts."))
    return merged


def _with_what_was_in_vain(nodes: Sequence[SearchNode]) -> list[SearchNode]:
    """Tell the new states which looks into the graph brought nothing, of those that were proposed beside them."""
    vain: dict[int | None, list[InVain]] = {}
    for node in nodes:
        if node.fate is Fate.DROPPED and node.action is not None and node.action.kind in NAMES_TAKEN:
            if _action_key(node.action) not in _tried(node.state):
                vain.setdefault(node.parent, []).append(InVain(node.action, node.reason))
    return [
        replace(node, state=replace(node.state, in_vain=(*node.state.in_vain, *vain.get(node.parent, ()))))
        if is_open(node)
        else node
        for node in nodes
    ]


def _state_key(state: State) -> object:
    """Return what makes two states equal: their triples with their answer, or with their thoughts."""
    triples = frozenset(triple.id for triple in state.subgraph)
    if state.is_terminal:
        return triples, _key(MARKS.sub(" ", state.answer)) or state.answer
    thoughts = frozenset(_key(action.text) for action in state.trajectory if action.kind is ActionKind.THINK)
    return triples, thoughts


def _action_key(action: Action) -> tuple[object, ...]:
    names = [_key(name) for name in action.arguments]
    return action.kind, tuple(sorted(names)), _key(action.text) if action.kind not in NAMES_TAKEN else ""


def _tried(state: State) -> set[tuple[object, ...]]:
    """Return the actions before a state's last one, with those that brought nothing."""
    return {_action_key(one) for one in (*state.trajectory[:-1], *(vain.action for vain in state.in_vain))}


def _spellings(name: str) -> list[str]:
    """Return a name, and what is left of it without what prompts say of it."""
    return list(dict.fromkeys([name, SAID_OF_IT.sub("", name) or name]))


def _key(text: str) -> str:
    return " ".join(text.casefold().split())


def _with_action(node: SearchNode, action: Action) -> SearchNode:
    trajectory = (*node.state.trajectory[:-1], action)
    return replace(node, action=action, state=replace(node.state, trajectory=trajectory))


def _merged_into_another(node: SearchNode, reason: str) -> SearchNode:
    return replace(node, fate=Fate.DUPLICATE, reason=reason)


def _is(node: SearchNode, kind: ActionKind) -> bool:
    return is_open(node) and node.action is not None and node.action.kind is kind


def _pair(entities: tuple[Entity, ...]) -> tuple[Entity, Entity]:
    """Return both ends in a fixed order, so that a path is searched once for both directions."""
    a, b = sorted(entities, key=lambda entity: entity.id)
    return a, b


def _edges(paths: Sequence[GraphPath]) -> tuple[Triple, ...]:
    return tuple(triple for path in paths for triple in path.triples)


def _listed(names: Sequence[str]) -> str:
    return " or ".join(f'"{name}"' for name in names)

"""The trace steps of a search through the reasoning tree (D-SMART, Algorithm 2): the search, and each of its nodes."""

from dataclasses import asdict, dataclass
from typing import ClassVar

from memory.core.reasoning_tree.types import Level, SearchNode, SearchResult
from memory.core.tracing import Lines, Name, Names, TraceStep, TripleIds, Words


@dataclass(frozen=True)
class Search(TraceStep):
    """One search, the `search`-th of its reply.

    While it runs, or if it was cut short, `stopped_by` is empty and there are no figures. `best` is the number of the
    answering node. `limits` are the search's limits, None for none. `waits` counts consecutive batches of model calls.
    """

    kind: ClassVar[str] = "search"

    search: int
    best: int | None = None
    stopped_by: str = ""
    limits: dict[str, int | float | None] | None = None
    waits: int = 0
    milliseconds: float = 0.0
    failures: Lines = ()

    @property
    def key(self) -> str:
        return str(self.search)


@dataclass(frozen=True)
class SearchStep(TraceStep):
    """One node of a search, with the number of its parent. The root has number 0, no parent and no action.

    `about` are the entities of its action, `found` the triples that it brought, in order, `text` the thought of a THINK or
    the reply that an ANSWER proposed. A node is repeated when its fate changes.
    """

    kind: ClassVar[str] = "search_node"

    search: int
    node: int
    parent: int | None
    depth: int
    action: str
    fate: str
    value: float | None
    milliseconds: float = 0.0
    found: TripleIds = ()
    about: Names = ()
    text: Words = ""
    reason: Words = ""

    @property
    def key(self) -> str:
        return f"{self.search}.{self.node}"


def search_steps(part: Level | SearchResult, *, search: int) -> tuple[TraceStep, ...]:
    """Return a level, or the end of a search, as steps."""
    if isinstance(part, Level):
        nodes = tuple(node_step(node, search=search) for node in part.nodes)
        return (Search(search), *nodes) if part.depth == 0 else nodes
    ended = Search(
        search=search,
        best=part.best.number if part.best is not None else None,
        stopped_by=part.stopped_by,
        limits=asdict(part.config),
        waits=part.waits,
        milliseconds=part.milliseconds,
        failures=part.failures,
    )
    return (ended, node_step(part.best, search=search)) if part.best is not None else (ended,)


def node_step(node: SearchNode, *, search: int) -> SearchStep:
    action = node.action
    facts = (*node.state.subgraph, *node.added)
    ends = {triple.object: triple.object_id for triple in facts if triple.object_id is not None}
    ends |= {triple.subject.label: triple.subject.id for triple in facts}
    return SearchStep(
        search=search,
        node=node.number,
        parent=node.parent,
        depth=node.state.depth,
        action=action.kind if action is not None else "",
        fate=node.fate,
        value=node.value,
        milliseconds=node.milliseconds,
        found=tuple(dict.fromkeys(triple.id for triple in node.added)),
        about=tuple(Name(name, ends.get(name)) for name in (action.arguments if action is not None else ())),
        text=action.text if action is not None else "",
        reason=node.reason,
    )

"""A search that a test has written down, as the parts of a reply."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence

from conversations.core.types import Delta, Query, Reasoning, ReplyPart
from memory.core.reasoning_tree.types import (
    Action,
    ActionKind,
    Cost,
    Fate,
    Level,
    SearchConfig,
    SearchNode,
    SearchResult,
    State,
    StopReason,
)
from memory.core.tracing import CallOutcome, ModelCall, TraceStep
from memory.core.types import Triple

ROOT = SearchNode(0, None, None, State(), Fate.KEPT)


def node(
    number: int,
    parent: SearchNode,
    kind: ActionKind,
    *arguments: str,
    text: str = "",
    added: Sequence[Triple] = (),
    value: float = 0.5,
    fate: Fate = Fate.KEPT,
    reason: str = "",
) -> SearchNode:
    action = Action(kind, arguments, text)
    state = State(
        subgraph=(*parent.state.subgraph, *added),
        trajectory=(*parent.state.trajectory, action),
        value=value,
        depth=parent.state.depth + 1,
    )
    return SearchNode(
        number, parent.number, action, state, fate, tuple(added), reason, cost=Cost(1, 10, number), milliseconds=1.5
    )


def result(best: SearchNode | None, *, stopped_by: StopReason = StopReason.ANSWERED, **more: object) -> SearchResult:
    return SearchResult(
        best, stopped_by, cost=Cost(5, 50, 15), waits=4, milliseconds=120.0, config=SearchConfig(max_calls=30), **more
    )  # type: ignore[arg-type]


def call(role: str = "policy", prompt_tokens: int | None = 10, completion_tokens: int | None = 3) -> ModelCall:
    """Return a call of a model that took 20 ms."""
    return ModelCall(role, "scripted:x", CallOutcome.ANSWERED, 20.0, prompt_tokens, completion_tokens)


class SearchingResponder:
    """Yields the parts of a search and then a text; `between` is called before each part."""

    name = "searching"

    def __init__(
        self,
        *parts: Level | SearchResult | TraceStep,
        text: str = "Yes.",
        between: Callable[[int], None] = lambda index: None,
    ) -> None:
        self.parts = parts
        self.text = text
        self.between = between
        self.closed = threading.Event()

    def reply(self, query: Query) -> Iterator[ReplyPart]:
        try:
            search = 0
            for index, part in enumerate(self.parts):
                self.between(index)
                yield part if isinstance(part, TraceStep) else Reasoning(part, search)
                search += isinstance(part, SearchResult)
            yield Delta(self.text)
        finally:
            self.closed.set()

"""Runs a search for a reply: yields a progress line for each step, and the tree level by level."""

from __future__ import annotations

from collections.abc import Generator

from conversations.core.types import Reasoning, ReplyPart, Stage
from memory.core.ports import GraphWalker
from memory.core.reasoning_tree.ports import ActionPolicy, EntityResolver, StateValue
from memory.core.reasoning_tree.search import beam_search
from memory.core.reasoning_tree.types import Progress, SearchConfig, SearchQuery, SearchResult


def searched(
    query: SearchQuery,
    *,
    policy: ActionPolicy,
    value: StateValue,
    walker: GraphWalker | None,
    resolver: EntityResolver,
    config: SearchConfig,
    place: int = 0,
) -> Generator[ReplyPart, None, SearchResult | None]:
    """Yield the steps of the `place`-th search of a reply (D-SMART, Algorithm 2), and return its result."""
    result: SearchResult | None = None
    for event in beam_search(query, policy=policy, value=value, walker=walker, resolver=resolver, config=config):
        if isinstance(event, Progress):
            yield Stage("reason", event.detail)
            continue
        if isinstance(event, SearchResult):
            result = event
        yield Reasoning(event, search=place)
    return result

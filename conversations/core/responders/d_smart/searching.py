"""Runs a search for a reply: yields a progress line for each step, the tree level by level, and what it came to."""

from collections.abc import Generator, Iterator

from conversations.core.responders.deltas import deltas
from conversations.core.responders.writing import Material, grounds_of, written
from conversations.core.types import Query, Reasoning, ReplyPart, Stage
from memory.core.errors import LanguageModelError
from memory.core.ports import GraphWalker, LanguageModel
from memory.core.reasoning_tree.ports import ActionPolicy, EntityResolver, StateValue
from memory.core.reasoning_tree.search import beam_search
from memory.core.reasoning_tree.types import Progress, SearchConfig, SearchQuery, SearchResult

_ON_THE_WAY = "was found on the way to the reply"


def searched(
    query: SearchQuery,
    *,
    policy: ActionPolicy,
    value: StateValue,
    walker: GraphWalker | None = None,
    resolver: EntityResolver | None = None,
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


def concluded(
    query: Query, sought: SearchQuery, result: SearchResult | None, *, write_answer: LanguageModel
) -> Iterator[ReplyPart]:
    """Yield the reply of a search; the model writes it if the best state has no answer yet.

    A best state without facts, the root above all, is written from what other steps found and from what is near.
    """
    if result is None or result.best is None:
        raise _nothing_left(result)
    state = result.best.state
    facts = state.subgraph
    if not facts and not state.is_terminal:
        facts = tuple({triple.id: triple for triple in (*result.found, *sought.near)}.values())
    # The latest found come first.
    yield from grounds_of(facts[::-1] if state.subgraph else facts, sought.said, why=_ON_THE_WAY)
    if state.is_terminal:
        yield from deltas(state.answer)
    else:
        yield from written(query, Material(facts, sought.said, state.trajectory), write_answer=write_answer)


def _nothing_left(result: SearchResult | None) -> LanguageModelError:
    why = f" The model said: {result.failures[0]}" if result is not None and result.failures else ""
    return LanguageModelError(
        f"The search for a reply came to nothing, because no step of it could be used.{why} Try again."
    )

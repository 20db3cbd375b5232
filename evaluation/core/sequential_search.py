"""Algorithm 2 of D-SMART as it is written, one call of a model after the other: what a search by levels is measured against.

It shares the roles and their prompts with `beam_search`, nothing else. It has neither budgets nor faults: a reply that cannot
be used is passed over. M_exp bounds the states that are expanded, as there.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace
from itertools import pairwise

from memory.core.ports import GraphWalker, LanguageModel
from memory.core.reasoning_tree.ports import ActionPolicy, EntityResolver, StateValue
from memory.core.reasoning_tree.types import Action, ActionKind, Rejected, SearchConfig, SearchQuery, State
from memory.core.types import Completion, Prompt, SamplingConfig, TokenUsage, Triple


class OneAfterTheOther:
    """A `LanguageModel` that asks another one for each prompt only when the last is answered, and counts."""

    def __init__(self, language_model: LanguageModel) -> None:
        self.name = language_model.name
        self.calls = 0
        self._language_model = language_model

    def complete_many(self, prompts: Sequence[Prompt], *, config: SamplingConfig) -> list[Completion | Exception]:
        self.calls += len(prompts)
        return [self._language_model.complete_many([prompt], config=config)[0] for prompt in prompts]

    def stream(self, prompt: Prompt, *, config: SamplingConfig) -> Generator[str, None, TokenUsage | None]:
        return self._language_model.stream(prompt, config=config)


def sequential_search(
    query: SearchQuery,
    *,
    policy: ActionPolicy,
    value: StateValue,
    walker: GraphWalker,
    resolver: EntityResolver,
    config: SearchConfig,
) -> State:
    """Return S*, the state whose trajectory has the response (D-SMART, Algorithm 2)."""
    beam, expansions = [State()], 0
    for _ in range(config.max_depth):
        pool: list[State] = []
        for state in beam:
            if state.is_terminal or expansions == config.max_expansions:
                pool.append(state)
                continue
            expansions += 1
            (proposals,) = policy.propose_many(query, [state], samples=config.samples)
            for proposed in proposals:
                if isinstance(proposed.action, Rejected):
                    continue
                following = executed(proposed.action, state, walker=walker, resolver=resolver, config=config)
                (scored,) = value.score_many(query, [following])
                if not isinstance(scored.value, Rejected):
                    pool.append(replace(following, value=scored.value))
        beam = sorted(pool, key=lambda state: -state.value)[: config.beam_width]
        if all(state.is_terminal for state in beam):
            break
    return max(beam, key=lambda state: state.value)


def executed(
    action: Action, state: State, *, walker: GraphWalker, resolver: EntityResolver, config: SearchConfig
) -> State:
    """Return the state that an action leads to; names that the graph has not lead nowhere."""
    entities = [entity.id for entity in resolver.resolve_many(action.arguments) if entity is not None]
    found: Sequence[Triple] = ()
    if action.kind is ActionKind.EXPAND_ENTITY and len(entities) == 1:
        (expansion,) = walker.expand_many([entities], hops=config.hops, limit=config.triples)
        found = expansion.triples
    elif action.kind is ActionKind.FIND_PATH and len(entities) == 2:
        (search,) = walker.find_paths_many([(entities[0], entities[1])], max_edges=config.path_edges)
        found = [triple for path in search.paths for triple in path.triples]
    fresh = [triple for triple in dict.fromkeys(found) if triple not in state.subgraph]
    return State(
        subgraph=(*state.subgraph, *fresh[: config.triples]),
        trajectory=(*state.trajectory, action),
        depth=state.depth + 1,
    )


def shared_share(texts: Sequence[str]) -> float:
    """Return the share of all characters with which a text begins like one before it, in [0, 1]; their order is no matter.

    A server's cache holds whole blocks of tokens and not for ever, so that its share is lower.

    >>> shared_share(["abcd", "abef", "abeg"])  # nothing of 4, then 2 and 3 of 4
    0.4166666666666667
    """
    shared = sum(common_length(one, other) for one, other in pairwise(sorted(texts)))
    return shared / max(1, sum(map(len, texts)))


def common_length(one: str, other: str) -> int:
    """Return with how many characters both texts begin alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))

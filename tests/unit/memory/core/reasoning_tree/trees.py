"""Small graphs, and roles of the reasoning tree that follow a plan, with everything that they were asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count, pairwise

import networkx as nx

from memory.core.reasoning_tree.presentation import action_line
from memory.core.reasoning_tree.search import beam_search
from memory.core.reasoning_tree.types import (
    Action,
    ActionKind,
    Cost,
    Level,
    Progress,
    Proposed,
    Rejected,
    Scored,
    SearchConfig,
    SearchEvent,
    SearchNode,
    SearchQuery,
    SearchResult,
    State,
)
from memory.core.types import (
    Completion,
    Entity,
    Expansion,
    GraphPath,
    PathSearch,
    Polarity,
    Prompt,
    SamplingConfig,
    SourceSentence,
    Span,
    Tense,
    Triple,
)

SAID = datetime(2024, 1, 10, 12, 0, tzinfo=UTC)


def look(name: str) -> Action:
    return Action(ActionKind.EXPAND_ENTITY, (name,))


def path(*names: str) -> Action:
    return Action(ActionKind.FIND_PATH, names)


def think(text: str) -> Action:
    return Action(ActionKind.THINK, text=text)


def answer(text: str) -> Action:
    return Action(ActionKind.ANSWER, text=text)


@dataclass
class LittleGraph:
    """A `GraphWalker` and an `EntityResolver` over (subject, predicate, object) strings. `aliases` name entities anew."""

    edges: Sequence[tuple[str, str, str]]
    aliases: Mapping[str, str] = field(default_factory=dict)
    expanded: list[list[list[int]]] = field(default_factory=list)
    joined: list[list[tuple[int, int]]] = field(default_factory=list)
    resolved: list[list[str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        numbers = count(1)
        names = dict.fromkeys(name for subject, _, value in self.edges for name in (subject, value))
        self.entities = {name: Entity(next(numbers), name) for name in names}
        self.triples = [
            _triple(number, self.entities[subject], predicate, self.entities[value])
            for number, (subject, predicate, value) in enumerate(self.edges, start=1)
        ]

    def triples_of(self, *numbers: int) -> tuple[Triple, ...]:
        return tuple(self.triples[number - 1] for number in numbers)

    def resolve_many(self, names: Sequence[str]) -> list[Entity | None]:
        self.resolved.append(list(names))
        known = {name.casefold(): entity for name, entity in self.entities.items()}
        return [known.get(self.aliases.get(name, name).strip().casefold()) for name in names]

    def expand_many(self, groups: Sequence[Sequence[int]], *, hops: int = 1, limit: int = 40) -> list[Expansion]:
        self.expanded.append([list(group) for group in groups])
        return [self._expansion(set(group), hops, limit) for group in groups]

    def find_paths_many(
        self, pairs: Sequence[tuple[int, int]], *, max_edges: int = 4, limit: int = 5
    ) -> list[PathSearch]:
        self.joined.append(list(pairs))
        graph = nx.Graph()
        for triple in self.triples:
            graph.add_edge(triple.subject.id, triple.object_id, triple=triple)
        return [
            PathSearch(
                tuple(
                    GraphPath(tuple(graph.edges[pair]["triple"] for pair in pairwise(nodes)))
                    for nodes in nx.all_simple_paths(graph, start, end, cutoff=max_edges)
                )[:limit]
            )
            for start, end in pairs
        ]

    def triples_from(self, sentence_ids: Sequence[int], *, limit: int = 40) -> list[Triple]:
        raise AssertionError("the search does not look into sentences")

    def _expansion(self, reached: set[int], hops: int, limit: int) -> Expansion:
        found: dict[int, Triple] = {}
        for _ in range(hops):
            near = [one for one in self.triples if {one.subject.id, one.object_id} & reached]
            found |= {one.id: one for one in near}
            reached = reached | {one.subject.id for one in near} | {one.object_id or 0 for one in near}
        return Expansion(tuple(found.values())[:limit], len(found) > limit)


def _triple(number: int, subject: Entity, predicate: str, value: Entity) -> Triple:
    source = SourceSentence(number, f"{subject.label} {predicate} {value.label}.", "Ana", SAID, number)
    return Triple(
        number, subject, predicate, value.label, value.id, Polarity.POSITIVE, Tense.PRESENT, None, None, SAID, None, 1.0,
        source, Span(0, 1),
    )  # fmt: skip


def spelled(triple: Triple, query: SearchQuery) -> str:
    return f"{triple.subject.label} {triple.predicate} {triple.object}"


def steps(state: State) -> tuple[str, ...]:
    return tuple(action_line(action) for action in state.trajectory)


ONE_CALL = Cost(1, 10, 2)


@dataclass
class PlannedPolicy:
    """Proposes what the plan has for a state's steps. `asked` keeps the steps of every level's states."""

    plan: Callable[[tuple[str, ...]], Sequence[Action | Rejected]]
    asked: list[list[tuple[str, ...]]] = field(default_factory=list)
    samples: list[int] = field(default_factory=list)

    def propose_many(self, query: SearchQuery, states: Sequence[State], *, samples: int) -> list[list[Proposed]]:
        self.asked.append([steps(state) for state in states])
        self.samples.append(samples)
        return [[Proposed(action, ONE_CALL) for action in self.plan(steps(state))][:samples] for state in states]


@dataclass
class PlannedValue:
    """Scores a state by its last step, else with 0.5. `asked` keeps the last steps of every level's states."""

    values: Mapping[str, float | Rejected] = field(default_factory=dict)
    asked: list[list[str]] = field(default_factory=list)

    def score_many(self, query: SearchQuery, states: Sequence[State]) -> list[Scored]:
        last = [steps(state)[-1] for state in states]
        self.asked.append(last)
        return [Scored(self.values.get(step, 0.5), ONE_CALL) for step in last]


@dataclass
class Told:
    """The events of a finished search."""

    events: Sequence[SearchEvent]

    @property
    def levels(self) -> list[Level]:
        return [event for event in self.events if isinstance(event, Level)]

    @property
    def details(self) -> list[str]:
        return [event.detail for event in self.events if isinstance(event, Progress)]

    @property
    def result(self) -> SearchResult:
        (result,) = (event for event in self.events if isinstance(event, SearchResult))
        assert self.events[-1] is result
        return result

    @property
    def nodes(self) -> dict[int, SearchNode]:
        """The nodes by number, each as it was reported last."""
        return {node.number: node for level in self.levels for node in level.nodes}

    def node(self, step: str) -> SearchNode:
        (found,) = (node for node in self.nodes.values() if node.action and action_line(node.action) == step)
        return found


def query_of(*entries: Entity, text: str = "Where does Maya work?") -> SearchQuery:
    return SearchQuery(text, "Ana", SAID, entries=entries)


def searched(
    plan: Mapping[tuple[str, ...], Sequence[Action | Rejected]]
    | Callable[[tuple[str, ...]], Sequence[Action | Rejected]],
    values: Mapping[str, float | Rejected] | None = None,
    *,
    graph: LittleGraph | None = None,
    config: SearchConfig | None = None,
    entries: Sequence[Entity] = (),
) -> Told:
    """Run a search by a plan to its end. Where a mapping has nothing for a state, nothing is proposed."""
    policy = PlannedPolicy(plan if callable(plan) else lambda done: plan.get(done, ()))
    events = beam_search(
        query_of(*entries),
        policy=policy,
        value=PlannedValue(values or {}),
        walker=graph,
        resolver=graph,
        config=config or SearchConfig(),
    )
    return Told(list(events))


class AnsweringModel:
    """A `LanguageModel` whose reply depends on the prompt alone; an exception is that prompt's failure.

    `batches` keeps the prompts of every batch, `configs` how they were to be sampled.
    """

    name = "answering"

    def __init__(self, reply: Callable[[Prompt], str | Exception]) -> None:
        self.reply = reply
        self.batches: list[list[Prompt]] = []
        self.configs: list[SamplingConfig] = []

    def complete_many(self, prompts: Sequence[Prompt], *, config: SamplingConfig) -> list[Completion | Exception]:
        self.batches.append(list(prompts))
        self.configs.append(config)
        replies = [self.reply(prompt) for prompt in prompts]
        return [reply if isinstance(reply, Exception) else Completion(reply, 100, 7) for reply in replies]

    def stream(self, prompt: Prompt, *, config: SamplingConfig) -> Iterator[str]:
        raise AssertionError("the search streams nothing")

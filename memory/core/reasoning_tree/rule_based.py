"""Policy and value of the reasoning tree by rule: the built-in engine's p^pi and p^v (D-SMART, Equation 3).

What a question asks for is read once, before the search; how it stands in a state's subgraph decides what to do next.
Where the answer is in the subgraph it is given; else the ends that may be near it are connected with what the question
begins at (FIND PATH), and the ends where the known part of it breaks off are looked around (EXPAND ENTITY).

Departures from the paper:
- Nothing is sampled: the same question over the same memory gives the same tree. THINK is never proposed, since rules
  have nothing to say to themselves.
- A state is worth the share of the question that its subgraph covers. Meaning decides between states that cover the same
  share only, so that no near miss outranks a link that is told.
- An answer that says what is not known is worth less than any open state that covers as much: it is given when nothing is
  left to look at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import Protocol

from memory.core.reasoning_tree.types import Action, ActionKind, Proposed, Scored, SearchQuery, State
from memory.core.types import Triple


@dataclass(frozen=True)
class Outlook:
    """How a question stands in a subgraph.

    `coverage` is the share of it that the subgraph says, in [0, 1]. `reply` is the answer where `is_answered`, else what
    is known of it and what is not. `pairs` are names of entities to connect, `names` those to look around, best first.
    """

    coverage: float
    reply: str = ""
    is_answered: bool = False
    pairs: tuple[tuple[str, str], ...] = ()
    names: tuple[str, ...] = ()


class QuestionReading(Protocol):
    """A question that was read, as the search sees it."""

    def outlook(self, triples: Sequence[Triple]) -> Outlook:
        """Return how the question stands in a subgraph."""

    def nearness(self, triples: Sequence[Triple]) -> float:
        """Return how near in meaning the nearest of the triples is to the question, in [0, 1]."""


@dataclass(frozen=True)
class RuleWeights:
    """What a state is worth: an answer, a state that has one at hand, an open one at full and at no coverage.

    Chosen so that the order is: answers, states with the answer at hand, open states by coverage, refusals.
    """

    answer: float = 1.0
    answerable: float = 0.95
    covering: float = 0.75
    nearness: float = 0.1
    refusal: float = 0.05


class RuleBasedPolicy:
    """Implements `ActionPolicy` for one question."""

    def __init__(self, reading: QuestionReading) -> None:
        self._reading = reading

    def propose_many(self, query: SearchQuery, states: Sequence[State], *, samples: int) -> list[list[Proposed]]:
        return [[Proposed(action) for action in self._actions(state)[:samples]] for state in states]

    def _actions(self, state: State) -> list[Action]:
        outlook = self._reading.outlook(state.subgraph)
        if outlook.is_answered:
            return [Action(ActionKind.ANSWER, text=outlook.reply)]
        paths = [Action(ActionKind.FIND_PATH, pair) for pair in outlook.pairs]
        looks = [Action(ActionKind.EXPAND_ENTITY, (name,)) for name in outlook.names]
        done = {(action.kind, frozenset(action.arguments)) for action in state.trajectory}
        mixed = chain.from_iterable(zip_longest(paths, looks))
        left = [
            action
            for action in dict.fromkeys(mixed)
            if action is not None and (action.kind, frozenset(action.arguments)) not in done
        ]
        return left or [Action(ActionKind.ANSWER, text=outlook.reply)]


class RuleBasedValue:
    """Implements `StateValue` for one question."""

    def __init__(self, reading: QuestionReading, *, weights: RuleWeights = RuleWeights()) -> None:
        self._reading = reading
        self._weights = weights

    def score_many(self, query: SearchQuery, states: Sequence[State]) -> list[Scored]:
        outlooks = [self._reading.outlook(state.subgraph) for state in states]
        tied = self._tied(states, outlooks)
        return [
            Scored(self._value(state, outlook, is_tied=place in tied))
            for place, (state, outlook) in enumerate(zip(states, outlooks, strict=True))
        ]

    def _tied(self, states: Sequence[State], outlooks: Sequence[Outlook]) -> set[int]:
        """Return the places of open states that cover as much as another one does."""
        is_open = [not state.is_terminal and not one.is_answered for state, one in zip(states, outlooks, strict=True)]
        covered = [one.coverage for one, open_ in zip(outlooks, is_open, strict=True) if open_]
        return {
            place
            for place, (one, open_) in enumerate(zip(outlooks, is_open, strict=True))
            if open_ and covered.count(one.coverage) > 1
        }

    def _value(self, state: State, outlook: Outlook, *, is_tied: bool) -> float:
        weights = self._weights
        if state.is_terminal:
            return weights.answer if outlook.is_answered else weights.refusal * (1 + outlook.coverage)
        if outlook.is_answered:
            return weights.answerable
        nearness = self._reading.nearness(state.subgraph) if is_tied else 0.0
        return 2 * weights.refusal + weights.covering * outlook.coverage + weights.nearness * nearness

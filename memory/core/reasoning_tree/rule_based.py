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

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import Protocol

from memory.core.reasoning_tree.types import Action, ActionKind, Proposed, Scored, SearchQuery, State
from memory.core.types import Triple


@dataclass(frozen=True)
class Outlook:
    """How far a subgraph answers a question.

    `coverage` is the share of the question's links that the subgraph states, in [0, 1]. `reply` is the answer where
    `is_answered`, else what is known and what is not. `pairs` are names of entities to connect, `names` those to expand, best
    first.
    """

    coverage: float
    reply: str = ""
    is_answered: bool = False
    pairs: tuple[tuple[str, str], ...] = ()
    names: tuple[str, ...] = ()


class QuestionReading(Protocol):
    """A question that was read by rule, as policy and value see it."""

    def outlook(self, triples: Sequence[Triple]) -> Outlook:
        """Return how far a subgraph answers the question."""

    def nearness(self, triples: Sequence[Triple]) -> float:
        """Return the largest cosine, cut to [0, 1], between the question and any of the triples."""


@dataclass(frozen=True)
class RuleWeights:
    """The value of a state: with an answer, with an answer in its subgraph, and open at full and at no coverage.

    Chosen for this order: answers, states with the answer in the subgraph, open states by coverage, refusals.
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
        """Return the indices of open states whose coverage equals another's."""
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

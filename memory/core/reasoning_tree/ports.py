"""The roles of the reasoning tree. Each takes a whole level at once, so that a level costs one wait a role."""

from collections.abc import Sequence
from typing import Protocol

from memory.core.reasoning_tree.types import Proposed, Scored, SearchQuery, State
from memory.core.types import Entity


class ActionPolicy(Protocol):
    """Proposes what to do next (D-SMART, the p^pi of Equation 3)."""

    def propose_many(self, query: SearchQuery, states: Sequence[State], *, samples: int) -> list[list[Proposed]]:
        """Return at most `samples` proposals a state. Temperature 0.8 where a model samples them."""


class StateValue(Protocol):
    """Scores states by how likely they lead to a right answer (D-SMART's p^v)."""

    def score_many(self, query: SearchQuery, states: Sequence[State]) -> list[Scored]:
        """Return one score a state, in [0, 1]: of an answer for terminal states, of a way to it for others."""


class EntityResolver(Protocol):
    """Finds entities of one space's graph by name. Bound to the space when made."""

    def resolve_many(self, names: Sequence[str]) -> list[Entity | None]:
        """Return the entity that each name means (label or alias), None where the graph has none.

        It is asked for names that are neither of a query's entries nor of a state's subgraph.
        """

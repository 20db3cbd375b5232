"""Counts what a search has spent, and says what it may still spend.

The budget is checked before a batch; a batch under way is never cut off. So one batch may overrun tokens and seconds, but
never calls and expansions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from memory.core.reasoning_tree.types import Cost, SearchConfig, SearchNode, StopReason

NOTHING = Cost()
# Whatever the search finds, one call may be needed to write the reply.
CALLS_FOR_THE_REPLY = 1
# A proposal is of use only with a score.
CALLS_A_STEP = 2


@dataclass(frozen=True)
class Grant:
    """Which states a level may expand, best first, and with how many proposals each; `refused` says why none."""

    states: tuple[SearchNode, ...] = ()
    samples: int = 0
    refused: StopReason | None = None


@dataclass(frozen=True)
class Budget:
    """The spending of one search. `began` is what the clock, in seconds, said at its start."""

    config: SearchConfig
    clock: Callable[[], float]
    began: float
    cost: Cost = NOTHING
    waits: int = 0
    expansions: int = 0

    def after(self, batch: Sequence[Cost], *, expansions: int = 0) -> Budget:
        """Return the budget after a batch of model calls; a batch without a call adds no wait."""
        spent = sum(batch, NOTHING)
        return replace(
            self,
            cost=self.cost + spent,
            waits=self.waits + (spent.calls > 0),
            expansions=self.expansions + expansions,
        )

    def exceeded(self) -> StopReason | None:
        """Return the limit that is used up, or None."""
        config = self.config
        if config.max_seconds is not None and self.clock() - self.began >= config.max_seconds:
            return StopReason.SECONDS
        tokens = self.cost.prompt_tokens + self.cost.completion_tokens
        if config.max_tokens is not None and tokens >= config.max_tokens:
            return StopReason.TOKENS
        if self.calls_left() == 0:
            return StopReason.CALLS
        return None

    def calls_left(self) -> int | None:
        """Return how many calls the search may still make, None for any number."""
        if self.config.max_calls is None:
            return None
        return max(0, self.config.max_calls - CALLS_FOR_THE_REPLY - self.cost.calls)

    def is_scant(self) -> bool:
        """Return whether too few calls are left to draw all samples of one state."""
        calls = self.calls_left()
        return calls is not None and calls // CALLS_A_STEP < self.config.samples

    def grant(self, states: Sequence[SearchNode], *, samples: int) -> Grant:
        """Return which states of a level may be expanded, and with how many of the samples, within the budget."""
        room = self.config.max_expansions - self.expansions
        calls = self.calls_left()
        steps = None if calls is None else calls // CALLS_A_STEP
        refused = self.exceeded() or (StopReason.CALLS if steps == 0 else None)
        if refused is None and room <= 0:
            refused = StopReason.EXPANSIONS
        if refused is not None:
            return Grant(refused=refused)
        if steps is not None:
            samples = min(samples, steps)
            room = min(room, steps // samples)
        return Grant(tuple(states[:room]), samples)

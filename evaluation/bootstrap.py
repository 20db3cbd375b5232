"""The only place of evaluation where settings become objects."""

from __future__ import annotations

from django.conf import settings

from evaluation.core.errors import UnknownName
from evaluation.core.turn_consistency.turns import STRATEGIES
from evaluation.core.turn_consistency.types import Strategy


def strategy(name: str = "") -> Strategy:
    """Return a reading of "against the dialogue history" by name, the configured one for an empty name."""
    chosen = name or settings.DSMART_SCORE_STRATEGY
    if chosen not in STRATEGIES:
        raise UnknownName(f"There is no strategy {chosen!r}. Strategies: {', '.join(STRATEGIES)}.")
    return STRATEGIES[chosen]

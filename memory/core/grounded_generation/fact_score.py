"""The Dialogue Fact Score and the proportion of facts without enough information (section 3.4; docs/adr/0034)."""

from collections.abc import Sequence

from memory.core.grounded_generation.verification import FactStatus


def dialogue_fact_score(statuses: Sequence[FactStatus]) -> float | None:
    """Return the share of the true facts among those that are true or false, in [0, 1]; None where none is either."""
    decided = [status for status in statuses if status is not FactStatus.NOT_ENOUGH]
    return sum(status is FactStatus.TRUE for status in decided) / len(decided) if decided else None


def not_enough_proportion(statuses: Sequence[FactStatus]) -> float:
    """Return the share of the facts for which there is not enough information (NEIP), in [0, 1]; 1 without any fact."""
    return sum(status is FactStatus.NOT_ENOUGH for status in statuses) / len(statuses) if statuses else 1.0

"""Consistency Score and Dialogue Entailment Rate (D-SMART, "NLI-based Consistency Metrics", Equations 4 and 5).

Departures from the paper:
- T of Equation 5 counts the turns that have a label. The paper scores every turn; a greeting, or a turn that no model
  could read, has no label, and counting it as "not entailed" would measure manners (docs/adr/0015). How many turns were
  scored is returned beside every rate.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memory.core.types import EntailmentLabel, EntailmentVerdict


@dataclass(frozen=True)
class EntailmentRate:
    """DER over `scored` turns; None where none was scored."""

    rate: float | None
    scored: int


def consistency_score(verdict: EntailmentVerdict) -> float:
    """Return CS_i in [0, 1] (Equation 4): 1 where the turn is entailed, 0 where it contradicts what was said before."""
    return ((verdict.entailment - verdict.contradiction) + 1) / 2


def mean_consistency(verdicts: Sequence[EntailmentVerdict]) -> float | None:
    """Return the mean CS of the scored turns of a dialogue or of many; None where there is none."""
    return sum(map(consistency_score, verdicts)) / len(verdicts) if verdicts else None


def entailment_rate(labels: Iterable[EntailmentLabel | None]) -> EntailmentRate:
    """Return DER (Equation 5) of turns by their labels; a turn that was not scored has None."""
    scored = [label for label in labels if label is not None]
    return rate_of(sum(label is EntailmentLabel.ENTAILMENT for label in scored), len(scored))


def running_entailment_rates(
    labels: Iterable[EntailmentLabel | None], *, entailed: int = 0, scored: int = 0
) -> list[EntailmentRate]:
    """Return DER after each turn. `entailed` and `scored` count the turns before the first of these."""
    rates = []
    for label in labels:
        scored += label is not None
        entailed += label is EntailmentLabel.ENTAILMENT
        rates.append(rate_of(entailed, scored))
    return rates


def rate_of(entailed: int, scored: int) -> EntailmentRate:
    return EntailmentRate(entailed / scored if scored else None, scored)

"""Entailment models that say what a test tells them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memory.core.types import EntailmentLabel, EntailmentVerdict

UNDECIDED = EntailmentVerdict(0.2, 0.7, 0.1)


class JudgingEntailment:
    """Asks `judge` about each pair and keeps what it was asked; `before` is called before each batch."""

    def __init__(
        self,
        judge: Callable[[str, str], EntailmentVerdict] = lambda premise, hypothesis: UNDECIDED,
        *,
        name: str = "judging",
        before: Callable[[], None] = lambda: None,
    ) -> None:
        self.judge = judge
        self.name = name
        self.before = before
        self.calls: list[list[tuple[str, str]]] = []

    @property
    def asked(self) -> list[tuple[str, str]]:
        return [pair for call in self.calls for pair in call]

    def predict_many(self, pairs: Sequence[tuple[str, str]]) -> list[EntailmentVerdict]:
        self.calls.append(list(pairs))
        self.before()
        return [self.judge(premise, hypothesis) for premise, hypothesis in pairs]


class TurnByTurn:
    """Gives all pairs of the n-th batch the n-th verdict: a turn is one batch."""

    name = "turn by turn"

    def __init__(self, *verdicts: EntailmentVerdict) -> None:
        self._verdicts = list(verdicts)

    def predict_many(self, pairs: Sequence[tuple[str, str]]) -> list[EntailmentVerdict]:
        verdict = self._verdicts.pop(0)
        return [verdict for _ in pairs]


def verdict_with(consistency: float, label: EntailmentLabel) -> EntailmentVerdict:
    """Return probabilities with that label that give that CS (Equation 4 solved for them)."""
    margin = 2 * consistency - 1
    least = {
        EntailmentLabel.ENTAILMENT: (1 - 2 * margin) / 3,
        EntailmentLabel.NEUTRAL: -margin,
        EntailmentLabel.CONTRADICTION: (1 - margin) / 3,
    }[label]
    contradiction = max(0.0, least + 0.01)
    entailment = margin + contradiction
    verdict = EntailmentVerdict(entailment, 1 - entailment - contradiction, contradiction)
    assert verdict.label is label and min(verdict.entailment, verdict.neutral) >= 0, (consistency, label)
    return verdict

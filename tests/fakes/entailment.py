"""Entailment models that say what a test tells them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memory.core.types import EntailmentLabel, EntailmentVerdict

UNDECIDED = EntailmentVerdict(0.2, 0.7, 0.1)


class Symmetry:
    """The pairs that were called contradictions: turned round, they are called the same."""

    def __init__(self) -> None:
        self._clashes: dict[tuple[str, str], EntailmentVerdict] = {}

    def known(self, pair: tuple[str, str]) -> EntailmentVerdict | None:
        return self._clashes.get((pair[1], pair[0]))

    def keep(self, pair: tuple[str, str], verdict: EntailmentVerdict) -> EntailmentVerdict:
        if verdict.contradiction > 0.5:
            self._clashes[pair] = verdict
        return verdict


class JudgingEntailment:
    """Asks `judge` about each pair and keeps what it was asked; `before` is called before each batch.

    Unless it `is_one_sided`, a contradiction is one in both directions, whatever `judge` would say.
    """

    def __init__(
        self,
        judge: Callable[[str, str], EntailmentVerdict] = lambda premise, hypothesis: UNDECIDED,
        *,
        name: str = "judging",
        before: Callable[[], None] = lambda: None,
        is_one_sided: bool = False,
    ) -> None:
        self.judge = judge
        self.name = name
        self.before = before
        self.is_one_sided = is_one_sided
        self.calls: list[list[tuple[str, str]]] = []
        self._symmetry = Symmetry()

    @property
    def asked(self) -> list[tuple[str, str]]:
        return [pair for call in self.calls for pair in call]

    def predict_many(self, pairs: Sequence[tuple[str, str]]) -> list[EntailmentVerdict]:
        self.calls.append(list(pairs))
        self.before()
        symmetry = Symmetry() if self.is_one_sided else self._symmetry
        return [symmetry.known(pair) or symmetry.keep(pair, self.judge(*pair)) for pair in pairs]


class TurnByTurn:
    """Gives all pairs of the n-th turn the n-th verdict: a turn is one batch, and another of contradictions turned round."""

    name = "turn by turn"

    def __init__(self, *verdicts: EntailmentVerdict) -> None:
        self._verdicts = list(verdicts)
        self._symmetry = Symmetry()

    def predict_many(self, pairs: Sequence[tuple[str, str]]) -> list[EntailmentVerdict]:
        turned = [self._symmetry.known(pair) for pair in pairs]
        if None not in turned:
            return [verdict for verdict in turned if verdict is not None]
        verdict = self._verdicts.pop(0)
        return [self._symmetry.keep(pair, verdict) for pair in pairs]


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

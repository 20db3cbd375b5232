"""A confusion matrix with accuracy, Cohen's kappa, the F1 of each label, and their mean (macro-F1).

A pair that could not be judged counts as wrong and lowers the recall of its label, but is a prediction of no label.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from memory.core.types import EntailmentLabel

LABELS = tuple(EntailmentLabel)


@dataclass(frozen=True)
class Confusion:
    """How often each expected label was predicted as which label; None where nothing was predicted."""

    counts: Counter[tuple[str, str | None]]

    @classmethod
    def of(cls, outcomes: Iterable[tuple[str, str | None]]) -> Confusion:
        return cls(Counter(outcomes))

    @property
    def labels(self) -> list[str]:
        """Return the labels that were expected or predicted at all."""
        return sorted({label for pair in self.counts for label in pair if label is not None})

    @property
    def total(self) -> int:
        return self.counts.total()

    @property
    def accuracy(self) -> float:
        """Return the share of right predictions. Raises `ValueError` where there are none."""
        if not self.total:
            raise ValueError("an accuracy needs predictions, got none")
        return sum(self.counts[label, label] for label in self.labels) / self.total

    @property
    def kappa(self) -> float:
        """Return Cohen's kappa in [-1, 1]: how far the agreement is above chance; 1 where both only know one label."""
        by_chance = sum(self._times(label, 0) * self._times(label, 1) for label in self.labels) / self.total**2
        return 1.0 if by_chance == 1 else (self.accuracy - by_chance) / (1 - by_chance)

    def _times(self, label: str, side: int) -> int:
        return sum(count for pair, count in self.counts.items() if pair[side] == label)

    @property
    def macro_f1(self) -> float:
        """Return the mean F1 of the labels that were expected or predicted at all."""
        found = [f1 for label in self.labels if (f1 := self.f1(label)) is not None]
        if not found:
            raise ValueError("a macro-F1 needs predictions, got none")
        return sum(found) / len(found)

    def f1(self, label: str) -> float | None:
        """Return 2 TP / (2 TP + FP + FN), or None for a label that occurs nowhere."""
        times = self._times(label, 0) + self._times(label, 1)
        return 2 * self.counts[label, label] / times if times else None

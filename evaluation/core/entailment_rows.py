"""Report rows of how well a model judges entailment: over all pairs and by source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evaluation.core.calibration import calibration_error
from evaluation.core.confusion import LABELS, Confusion
from evaluation.core.interval_rows import grouped, ratio_row
from evaluation.core.report import Row
from memory.core.types import EntailmentLabel, EntailmentVerdict


@dataclass(frozen=True)
class JudgedPair:
    """A labelled pair and the model's verdict; None where it could not be judged, and `error` says why."""

    premise: str
    source: str
    expected: EntailmentLabel
    verdict: EntailmentVerdict | None
    error: str = ""

    @property
    def predicted(self) -> EntailmentLabel | None:
        return None if self.verdict is None else self.verdict.label

    @property
    def is_right(self) -> bool:
        return self.predicted == self.expected

    @property
    def confidence(self) -> float:
        return (
            0.0
            if self.verdict is None
            else max(self.verdict.entailment, self.verdict.neutral, self.verdict.contradiction)
        )


def entailment_rows(name: str, judged: Sequence[JudgedPair]) -> list[Row]:
    """Return the rows of all pairs together, then those of each source."""
    groups = by_source(judged)
    rows = list(group_rows(name, judged, group=""))
    for source, pairs in groups.items():
        rows += group_rows(name, pairs, group=source)
    return rows


def by_source(judged: Sequence[JudgedPair]) -> dict[str, list[JudgedPair]]:
    return grouped((pair for pair in judged if pair.source), lambda pair: pair.source)


def confusion_of(judged: Sequence[JudgedPair]) -> Confusion:
    return Confusion.of((pair.expected, pair.predicted) for pair in judged)


def accuracy_of(name: str, judged: Sequence[JudgedPair], *, group: str = "") -> Row:
    """Return the accuracy, clustered by premise: hypotheses written to one premise are not independent."""
    by_premise = grouped(judged, lambda pair: pair.premise)
    clusters = {premise: [pair.is_right for pair in inside] for premise, inside in by_premise.items()}
    return ratio_row(name, "accuracy", clusters, group=group)


def calibration_of(judged: Sequence[JudgedPair]) -> float | None:
    """Return the expected calibration error of the pairs that have a verdict, None where none has."""
    given = [pair for pair in judged if pair.verdict is not None]
    return calibration_error([pair.confidence for pair in given], [pair.is_right for pair in given]) if given else None


def group_rows(name: str, judged: Sequence[JudgedPair], *, group: str) -> Iterator[Row]:
    """Yield accuracy, macro-F1, calibration error and the nine counts. Pairs that failed stay in the denominator."""
    failed = [pair for pair in judged if pair.verdict is None]
    why = failed[0].error if failed else ""
    if len(failed) == len(judged):
        yield Row(name, "accuracy", None, unit="ratio", n=len(judged), group=group, why=why or "there are no pairs")
        return
    confusion = confusion_of(judged)
    count = len(judged)
    yield accuracy_of(name, judged, group=group)
    yield Row(name, "macro_f1", confusion.macro_f1, unit="ratio", n=count, group=group)
    error = calibration_of(judged)
    yield Row(name, "expected_calibration_error", error, unit="ratio", n=count - len(failed), group=group)
    for expected in LABELS:
        of_label = sum(pair.expected == expected for pair in judged)
        for predicted in LABELS:
            times = confusion.counts[expected, predicted]
            yield Row(name, f"{expected}_as_{predicted}", times, unit="pairs", n=of_label, group=group)
    if failed:
        yield Row(name, "failed", len(failed), unit="pairs", n=count, group=group, why=why)

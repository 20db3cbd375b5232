"""Report rows of CS and DER over the assistant's turns of dialogues, and of how well contradictions were found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from evaluation.core.interval_rows import grouped, ratio_row
from evaluation.core.report import Row
from evaluation.core.turn_consistency.types import NotScored, ScoredTurn, SpokenTurn, entailment_rate, mean_consistency
from memory.core.types import EntailmentLabel

POSITIONS = 10


@dataclass(frozen=True)
class ReplyOutcome:
    """The score of one reply, or why it has none. `position` counts the assistant's turns of its dialogue from 1."""

    case: str
    category: str
    session: str
    position: int
    reply: SpokenTurn
    outcome: ScoredTurn | NotScored

    @property
    def label(self) -> EntailmentLabel | None:
        return self.outcome.label if isinstance(self.outcome, ScoredTurn) else None


@dataclass(frozen=True)
class JudgedCase:
    """A dialogue whose last reply people labelled; `score` is the probability of a contradiction, 0 without a score."""

    case: str
    expected: bool
    found: bool
    score: float


def consistency_rows(name: str, replies: Sequence[ReplyOutcome]) -> list[Row]:
    """Return CS, DER and label shares of all replies, CS and DER by position and category, and why scores are missing."""
    rows = [*figure_rows(name, replies, ""), *share_rows(name, replies)]
    for position in range(1, POSITIONS + 1):
        rows += figure_rows(name, [one for one in replies if one.position == position], f"turn {position}")
    rows += figure_rows(name, [one for one in replies if one.position > POSITIONS], f"turn {POSITIONS + 1} and later")
    for category in sorted({one.category for one in replies if one.category}):
        rows += figure_rows(name, [one for one in replies if one.category == category], category)
    return [*rows, *unscored_rows(name, replies)]


def figure_rows(name: str, replies: Sequence[ReplyOutcome], group: str) -> Iterator[Row]:
    """Yield CS and DER of the scored replies; nothing for a group without replies."""
    if not replies:
        return
    verdicts = [one.outcome.verdict for one in replies if isinstance(one.outcome, ScoredTurn)]
    rate = entailment_rate(one.label for one in replies)
    if rate.rate is None:
        why = "no turn was scored"
        yield Row(name, "cs", None, n=0, group=group, why=why)
        yield Row(name, "der", None, unit="ratio", n=0, group=group, why=why)
        return
    yield Row(name, "cs", mean_consistency(verdicts), n=rate.scored, group=group)
    yield ratio_row(name, "der", clusters(replies, EntailmentLabel.ENTAILMENT), group=group)


def share_rows(name: str, replies: Sequence[ReplyOutcome]) -> Iterator[Row]:
    if any(one.label is not None for one in replies):
        for label in EntailmentLabel:
            yield ratio_row(name, "label_share", clusters(replies, label), group=label)


def unscored_rows(name: str, replies: Sequence[ReplyOutcome]) -> Iterator[Row]:
    lacking = [one.outcome for one in replies if isinstance(one.outcome, NotScored)]
    yield Row(name, "turns", len(replies), unit="turns")
    yield Row(name, "turns_not_scored", len(lacking), unit="turns", n=len(replies))
    for reason in sorted({one.reason for one in lacking}):
        of_it = [one for one in lacking if one.reason is reason]
        yield Row(name, "turns_not_scored", len(of_it), unit="turns", n=len(replies), group=reason, why=of_it[0].why)


def clusters(replies: Sequence[ReplyOutcome], label: EntailmentLabel) -> Mapping[str, list[bool]]:
    by_case = grouped((one for one in replies if one.label is not None), lambda one: one.case)
    return {case: [one.label is label for one in inside] for case, inside in by_case.items()}


def contradiction_rows(name: str, judged: Sequence[JudgedCase]) -> list[Row]:
    """Return precision, recall and F1 of the found contradictions, and the area under the curve of their scores.

    A reply that was not scored is one in which nothing was found; for the area it ranks with the most consistent.
    """
    hits = sum(one.found and one.expected for one in judged)
    alarms = sum(one.found for one in judged)
    there = sum(one.expected for one in judged)
    scores = [(one.score, one.expected) for one in judged]
    return [
        part_row(name, "contradiction_precision", hits, alarms, "no contradiction was found"),
        part_row(name, "contradiction_recall", hits, there, "there is no contradiction"),
        part_row(name, "contradiction_f1", 2 * hits, alarms + there, "there is no contradiction", count=len(judged)),
        curve_row(name, scores),
    ]


def part_row(name: str, metric: str, part: int, whole: int, why: str, *, count: int | None = None) -> Row:
    n = whole if count is None else count
    return Row(name, metric, part / whole if whole else None, unit="ratio", n=n, why="" if whole else why)


def curve_row(name: str, scores: Sequence[tuple[float, bool]]) -> Row:
    """Return how often a contradiction scores above a reply without one, ties by half (the area under the ROC curve)."""
    inside = [score for score, expected in scores if expected]
    outside = [score for score, expected in scores if not expected]
    if not inside or not outside:
        return Row(name, "contradiction_auc", None, n=len(scores), why="all replies have the same label")
    won = sum((high > low) + (high == low) / 2 for high in inside for low in outside)
    area = won / (len(inside) * len(outside))
    return Row(name, "contradiction_auc", area, n=len(scores))

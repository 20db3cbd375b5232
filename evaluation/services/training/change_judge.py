"""`train change-judge`: from pairs of an old and a new sentence to a judge of what the new one does to the old."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from functools import partial

import numpy as np

from evaluation.core.calibration import calibration_error, fitted_temperature, sure_threshold
from evaluation.core.confusion import Confusion
from evaluation.core.interval_rows import grouped, ratio_row
from evaluation.core.message_match import Match, figure_rows
from evaluation.core.report import Row
from evaluation.services.training.request import BUILT_IN, TrainingRequest, TrainingResult
from evaluation.services.training.running import LEAST_SHARE, parted, reader_exported, time_rows
from memory.adapters.learning.change_judge import ChangeRecipe, LabelledChange, read_changes
from memory.adapters.learning.recipe import OWN
from memory.adapters.readers.change_judge import CHANGES, OnnxChangeJudge
from memory.core.types import Change, ChangeVerdict, Role, Utterance

HELP = "the judge of what a new sentence does to an old one, from pairs of sentences"
GIVING_WAY = frozenset({Change.REPLACES, Change.ENDS, Change.CORRECTS})
PAIRS_AT_ONCE = 20
TIMED = 50
# How often the judge must have been right, of what was held out, where it is acted upon.
ACTED_PRECISION = 0.9


@dataclass(frozen=True)
class Judged:
    pair: LabelledChange
    verdict: ChangeVerdict

    @property
    def is_right(self) -> bool:
        return self.verdict.change == self.pair.change

    @property
    def confidence(self) -> float:
        return float(getattr(self.verdict, self.verdict.change.value))


def train(request: TrainingRequest) -> TrainingResult:
    """Train, export, calibrate and measure; the judge is then complete in `request.out`."""
    shown, held_out = parted(read_changes(request.data), request, of="pairs")
    recipe = ChangeRecipe(shown, base=request.base)
    exported = reader_exported(recipe, request, OnnxChangeJudge, temperature=1.0, acts_from=1.0)
    before = judged(exported.reading(), held_out)
    fitted = {"temperature": fitted_temperature(logits_of(before), [CHANGES.index(pair.change) for pair in held_out])}
    after = judged(exported.reading(**fitted), held_out)
    fitted["acts_from"] = acting_threshold(after)
    return exported.finish(
        change_rows(after),
        judging_times(exported.reading(**fitted), held_out),
        sources={OWN: len(shown)},
        held_out=len(held_out),
        fitted=fitted,
        errors=(error_of(before), error_of(after)),
        precision=ACTED_PRECISION,
    )


def judged(judge: OnnxChangeJudge, pairs: Sequence[LabelledChange]) -> list[Judged]:
    verdicts = judge.judge_many([sentences(pair) for pair in pairs])
    return [Judged(pair, verdict) for pair, verdict in zip(pairs, verdicts, strict=True)]


def sentences(pair: LabelledChange) -> tuple[Utterance, Utterance]:
    return said(pair.old, pair.old_said), said(pair.new, pair.new_said)


def said(text: str, day: date) -> Utterance:
    return Utterance("", Role.USER, text, datetime.combine(day, time(12), tzinfo=UTC))


def logits_of(judgements: Sequence[Judged]) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Return the logarithms of the probabilities, which are logits but for a constant a row."""
    shares = [[getattr(one.verdict, change.value) for change in CHANGES] for one in judgements]
    return np.log(np.clip(np.array(shares, dtype=np.float64), LEAST_SHARE, 1))


def acting_threshold(judgements: Sequence[Judged]) -> float:
    """Return the probability of giving way from which on the judge is right so often that it may be acted upon."""
    given = [round(one.verdict.gives_way, 4) for one in judgements]
    return sure_threshold(given, [one.pair.change in GIVING_WAY for one in judgements], precision=ACTED_PRECISION)


def error_of(judgements: Sequence[Judged]) -> float:
    return calibration_error([one.confidence for one in judgements], [one.is_right for one in judgements])


def change_rows(judgements: Sequence[Judged]) -> list[Row]:
    """Return accuracy and macro-F1 over six labels, and how well it tells that the old sentence no longer stands.

    Pairs of one old sentence are drawn together for the intervals.
    """
    by_old = grouped(judgements, lambda one: one.pair.old)
    confusion = Confusion.of((one.pair.change, one.verdict.change) for one in judgements)
    given_way = {place: given_way_match(inside) for place, inside in enumerate(by_old.values())}
    return [
        ratio_row(BUILT_IN, "accuracy", {old: [one.is_right for one in inside] for old, inside in by_old.items()}),
        Row(BUILT_IN, "macro_f1", confusion.macro_f1, unit="ratio", n=len(judgements)),
        *figure_rows(BUILT_IN, "gives_way_", given_way, group=""),
        *(
            Row(BUILT_IN, "f1", confusion.f1(change), unit="ratio", n=of_label, group=change.value)
            for change in CHANGES
            if (of_label := sum(one.pair.change == change for one in judgements))
        ),
    ]


def given_way_match(judgements: Sequence[Judged]) -> Match:
    labelled = [one.pair.change in GIVING_WAY for one in judgements]
    given = [one.verdict.gives_way > 0.5 for one in judgements]
    return Match(sum(labelled), sum(given), sum(a and b for a, b in zip(labelled, given, strict=True)))


def judging_times(judge: OnnxChangeJudge, pairs: Sequence[LabelledChange]) -> list[Row]:
    """Return what it takes to hold a new sentence against twenty old ones."""
    batches: list[Callable[[], object]] = []
    for place, pair in enumerate(pairs[:TIMED]):
        new = said(pair.new, pair.new_said)
        old = [pairs[(place + other) % len(pairs)] for other in range(PAIRS_AT_ONCE)]
        batches.append(partial(judge.judge_many, [(said(one.old, one.old_said), new) for one in old]))
    return time_rows(batches, group=f"a new sentence beside {PAIRS_AT_ONCE} old ones")

"""`train reference-reader`: from utterances with their full forms to a reader of pronouns and omissions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial

from evaluation.core.reformulation import is_exact
from evaluation.services.reformulation import BUILT_IN, Reformulated, all_in_full, reformulation_rows
from evaluation.services.training.request import TrainingRequest, TrainingResult
from evaluation.services.training.running import ReaderKind, parted, reader_exported, reader_finish, time_rows
from memory.adapters.learning.export import write_config
from memory.adapters.learning.reference_reader import (
    BATCH,
    BEFORE_ROOM,
    LONGEST,
    OWN,
    WINDOW,
    LabelledUtterance,
    ReferenceRecipe,
    read_references,
)
from memory.adapters.readers.reference_reader import KIND, OnnxReferenceReader

HELP = "the reader of what utterances leave to what was said before, from utterances with their full forms"
THRESHOLDS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
# Of the utterances that leave nothing open, at least so many must stay as they are.
UNHARMED = 0.98
TIMED = 50
READER = ReaderKind(
    title="the built-in reference reader",
    what="Of an utterance and what was said before it, it gives the words that stand for something said before, and the "
    "places where words were left out, each with the words that are meant.",
    counted="utterances",
    limits="It takes words of one place of what was said before: two people who were named apart are not put together, "
    "and what was never said is not found. The longest run that it takes is 12 words. It was taught by questions to a "
    "search engine, by talk in restaurants and by few everyday conversations.",
    batch=BATCH,
    window=WINDOW,
)


def train(request: TrainingRequest) -> TrainingResult:
    """Train, export, fit the threshold and measure; the reader is then complete in `request.out`."""
    shown, held_out = parted(read_references(request.data, public=request.public), request, of="utterances")
    config = {
        "kind": KIND,
        "window": WINDOW,
        "first_room": BEFORE_ROOM,
        "longest": LONGEST,
        "threshold": THRESHOLDS[-1],
    }
    staged = reader_exported(ReferenceRecipe(shown, base=request.base), request, config)
    threshold = fitted_threshold(OnnxReferenceReader(staged), held_out)
    write_config(staged, {**config, "threshold": threshold})
    reader = OnnxReferenceReader(staged)
    cases = made_of(held_out, reader, threshold)
    groups = dict.fromkeys(case.group for case in cases)
    rows = [
        row
        for group in ("", *groups)
        for row in reformulation_rows([case for case in cases if group in ("", case.group)], group=group)
        if row.name == BUILT_IN
    ]
    times = time_rows([partial(reader.resolve_many, [case.said]) for case in cases[:TIMED]], group="an utterance")
    return reader_finish(
        staged,
        request,
        READER,
        sources=Counter(one.source for one in shown),
        held_out=len(held_out),
        calibration=f"A reference is resolved from a probability of {threshold:.1f} on: the least of a few at which "
        f"{UNHARMED:.0%} of the project's own held-out utterances that leave nothing open stay as they are.",
        figures=rows,
        times=times,
    )


def fitted_threshold(reader: OnnxReferenceReader, held_out: Sequence[LabelledUtterance]) -> float:
    whole = [one for one in held_out if is_exact(one.utterance.text, one.rewrites)]
    whole = [one for one in whole if one.source == OWN] or whole
    for threshold in THRESHOLDS:
        kept = sum(is_exact(case.made, case.rewrites) for case in made_of(whole, reader, threshold))
        if kept >= UNHARMED * len(whole):
            return threshold
    return THRESHOLDS[-1]


def made_of(held_out: Sequence[LabelledUtterance], reader: OnnxReferenceReader, threshold: float) -> list[Reformulated]:
    made = all_in_full([one.utterance for one in held_out], reader, threshold=threshold)
    return [
        Reformulated(one.utterance, one.rewrites, text, one.source) for one, text in zip(held_out, made, strict=True)
    ]

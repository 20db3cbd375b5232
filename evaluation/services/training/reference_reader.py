"""`train reference-reader`: from utterances with their full forms to a reader of pronouns and omissions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial

from evaluation.core.proposition_match import is_exact
from evaluation.services.reformulation import BUILT_IN, Reformulated, all_in_full, reformulation_rows
from evaluation.services.training.request import TrainingRequest, TrainingResult
from evaluation.services.training.running import parted, reader_exported, time_rows
from memory.adapters.learning.recipe import OWN
from memory.adapters.learning.reference_reader import LONGEST, LabelledUtterance, ReferenceRecipe, read_references
from memory.adapters.readers.reference_reader import OnnxReferenceReader

HELP = "the reader of what utterances leave to what was said before, from utterances with their full forms"
THRESHOLDS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
# Of the utterances that leave nothing open, at least so many must stay as they are.
UNHARMED = 0.98
TIMED = 50


def train(request: TrainingRequest) -> TrainingResult:
    """Train, export, fit the threshold and measure; the reader is then complete in `request.out`."""
    shown, held_out = parted(read_references(request.data, public=request.public), request, of="utterances")
    recipe = ReferenceRecipe(shown, base=request.base)
    exported = reader_exported(recipe, request, OnnxReferenceReader, longest=LONGEST, threshold=THRESHOLDS[-1])
    fitted = {"threshold": fitted_threshold(exported.reading(), held_out)}
    reader = exported.reading(**fitted)
    cases = made_of(held_out, reader, reader.threshold)
    rows = [
        row
        for group in ("", *dict.fromkeys(case.group for case in cases))
        for row in reformulation_rows([case for case in cases if group in ("", case.group)], group=group)
        if row.name == BUILT_IN
    ]
    return exported.finish(
        rows,
        time_rows([partial(reader.resolve_many, [case.said]) for case in cases[:TIMED]], group="an utterance"),
        sources=Counter(one.source for one in shown),
        held_out=len(held_out),
        fitted=fitted,
        unharmed=UNHARMED,
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

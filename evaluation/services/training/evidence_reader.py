"""`train evidence-reader`: from histories of tasks to a reader of what each turn brings to the state of the task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from functools import partial
from typing import TypeVar

import numpy as np

from evaluation.core.calibration import fitted_temperature
from evaluation.core.confusion import Confusion
from evaluation.core.message_match import Match, figure_rows
from evaluation.core.report import Row
from evaluation.services.training.request import BUILT_IN, TrainingRequest, TrainingResult
from evaluation.services.training.running import LEAST_SHARE, parted, reader_exported, time_rows
from memory.adapters.learning.evidence_reader import (
    BEARING_HEAD,
    FATE_HEAD,
    EvidenceRecipe,
    LabelledHistory,
    echoed,
    fates_of,
    fates_of_changes,
    pairs_of,
    read_histories,
)
from memory.adapters.learning.recipe import OWN
from memory.adapters.readers.evidence_reader import OnnxEvidenceReader
from memory.core.semantic_state.ports import FatePair, Marked, MarkedWords

HELP = "the reader of what a user's turn brings to the state of a task, from histories with their evidence"
LabelT = TypeVar("LabelT", bound=StrEnum)
# A piece is found where at least half of the words of both are the same.
SHARED = 0.5
TIMED = 50
PAIRS_AT_ONCE = 20


def train(request: TrainingRequest) -> TrainingResult:
    """Train, export, calibrate and measure; the reader is then complete in `request.out`."""
    shown, held_out = parted(read_histories(request.data), request, of="histories")
    changes = list(fates_of_changes(request.data.parent / "changes"))
    recipe = EvidenceRecipe([*shown, *map(echoed, shown)], changes, base=request.base)
    unfitted = {BEARING_HEAD: 1.0, FATE_HEAD: 1.0}
    exported = reader_exported(recipe, request, OnnxEvidenceReader, temperatures=unfitted)
    labelled_links = [one for history in held_out for one in pairs_of(history)]
    labelled_fates = [one for history in held_out for one in fates_of(history)]
    links, bearings = [one.pair for one in labelled_links], [one.bearing for one in labelled_links]
    pairs, fates = [one.pair for one in labelled_fates], [one.fate for one in labelled_fates]
    reader = exported.reading()
    fitted = {
        "temperatures": {
            BEARING_HEAD: temperature_of(reader.link_many(links), bearings),
            FATE_HEAD: temperature_of(reader.fates_many(pairs), fates),
        }
    }
    reader = exported.reading(**fitted)
    rows = [
        *marking_rows(reader, held_out),
        *judging_rows("bearing", reader.link_many(links), bearings),
        *judging_rows("fate", reader.fates_many(pairs), fates),
    ]
    return exported.finish(
        rows,
        times(reader, held_out, pairs),
        sources={OWN: len(shown)},
        held_out=len(held_out),
        fitted=fitted,
        links=len(links),
        fates=len(fates),
        changes=len(changes),
    )


def temperature_of(found: Sequence[Mapping[LabelT, float]], labels: Sequence[LabelT]) -> float:
    """Return the temperature under which the labels are likeliest."""
    order = list(found[0])
    shares = np.array([[one[label] for label in order] for one in found], dtype=np.float64)
    logits = np.log(np.clip(shares, LEAST_SHARE, 1))
    return fitted_temperature(logits, [order.index(label) for label in labels])


def marking_rows(reader: OnnxEvidenceReader, histories: Sequence[LabelledHistory]) -> list[Row]:
    """Return precision, recall and F1 of marked pieces, of all kinds and of each; histories are drawn whole."""
    found = {
        history.id: reader.mark_many([turn.message for turn in history.turns]) for history in histories if history.turns
    }
    rows: list[Row] = []
    for kind in (None, *Marked):
        matches = {
            place: sum_of(
                match_of([one.words for one in turn.evidence if one.words.text], marks, kind)
                for turn, marks in zip(history.turns, found[history.id], strict=True)
            )
            for place, history in enumerate(histories)
        }
        if any(match.labelled for match in matches.values()):
            rows += figure_rows(BUILT_IN, "marked_", matches, group="" if kind is None else kind.value)
    return rows


def sum_of(matches: Iterable[Match]) -> Match:
    found = list(matches)
    return Match(sum(one.labelled for one in found), sum(one.read for one in found), sum(one.right for one in found))


def match_of(labelled: Sequence[MarkedWords], given: Sequence[MarkedWords], kind: Marked | None) -> Match:
    wanted = [one for one in labelled if kind in (None, one.kind)]
    read = [one for one in given if kind in (None, one.kind)]
    return Match(len(wanted), len(read), sum(any(is_same(one, other) for other in read) for one in wanted))


def is_same(wanted: MarkedWords, read: MarkedWords) -> bool:
    shared = min(wanted.span.end, read.span.end) - max(wanted.span.start, read.span.start)
    longer = max(len(wanted.text), len(read.text))
    return wanted.kind is read.kind and shared >= SHARED * longer


def judging_rows(what: str, found: Sequence[Mapping[LabelT, float]], labels: Sequence[LabelT]) -> list[Row]:
    """Return macro-F1 over the labels of pairs, and the F1 of each."""
    likeliest = [max(shares, key=lambda label: shares[label]) for shares in found]
    confusion = Confusion.of(zip(labels, likeliest, strict=True))
    return [
        Row(BUILT_IN, f"{what}_macro_f1", confusion.macro_f1, unit="ratio", n=len(labels)),
        *(
            Row(BUILT_IN, f"{what}_f1", confusion.f1(label), unit="ratio", n=count, group=label.value)
            for label, count in Counter(labels).items()
        ),
    ]


def times(reader: OnnxEvidenceReader, histories: Sequence[LabelledHistory], fates: Sequence[FatePair]) -> list[Row]:
    """Return what it takes to mark a turn, and to hold twenty earlier pieces beside it."""
    turns = [turn.message for history in histories for turn in history.turns][:TIMED]
    batches = [fates[start : start + PAIRS_AT_ONCE] for start in range(0, TIMED * PAIRS_AT_ONCE, PAIRS_AT_ONCE)]
    return [
        *time_rows([partial(reader.mark_many, [turn]) for turn in turns], group="a turn"),
        *time_rows(
            [partial(reader.fates_many, batch) for batch in batches if batch],
            group=f"{PAIRS_AT_ONCE} earlier pieces beside a turn",
        ),
    ]

"""`train evidence-reader`: from histories of tasks to a reader of what each turn brings to the state of the task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from functools import partial
from typing import Any, TypeVar

import numpy as np

from evaluation.core.calibration import fitted_temperature
from evaluation.core.confusion import Confusion
from evaluation.core.message_match import Match
from evaluation.core.message_rows import figure_rows
from evaluation.core.report import Row
from evaluation.services.training.request import BUILT_IN, TrainingRequest, TrainingResult
from evaluation.services.training.running import ReaderKind, parted, reader_exported, reader_finish, time_rows
from memory.adapters.learning.evidence_reader import (
    BATCH,
    BEARING_HEAD,
    BEFORE_ROOM,
    FATE_HEAD,
    WINDOW,
    EvidenceRecipe,
    LabelledHistory,
    echoed,
    fates_of,
    fates_of_changes,
    pairs_of,
    read_histories,
)
from memory.adapters.learning.export import write_config
from memory.adapters.readers.evidence_reader import KIND, OnnxEvidenceReader
from memory.core.semantic_state.ports import FatePair, Marked, MarkedWords

HELP = "the reader of what a user's turn brings to the state of a task, from histories with their evidence"
LabelT = TypeVar("LabelT", bound=StrEnum)
OWN = "own"
LEAST_SHARE = 1e-6
# A piece is found where at least half of the words of both are the same.
SHARED = 0.5
TIMED = 50
PAIRS_AT_ONCE = 20
READER = ReaderKind(
    title="the built-in evidence reader",
    what="Of a user's turn and what was said before it, it marks the words that assert, require, forbid, prefer, guess, "
    "suppose or retract something, leave it open or change the task; of a piece beside an earlier one it gives how "
    "probably the new one replaces, ends, answers or stands against the earlier one, or rests on it; and of an earlier "
    "piece beside a turn, whether it still stands.",
    counted="histories",
    limits="It was taught by few histories, all of tasks in everyday English. It reads 160 word pieces at once. Two "
    "pieces are compared as they stand: what hangs on what only knowledge of the world tells, it often misses. What is "
    "needed and not said at all it does not see.",
    batch=BATCH,
    window=WINDOW,
)


def train(request: TrainingRequest) -> TrainingResult:
    """Train, export, calibrate and measure; the reader is then complete in `request.out`."""
    shown, held_out = parted(read_histories(request.data), request, of="histories")
    changes = list(fates_of_changes(request.data.parent / "changes"))
    config: dict[str, Any] = {
        "kind": KIND,
        "window": WINDOW,
        "first_room": BEFORE_ROOM,
        "temperatures": {BEARING_HEAD: 1.0, FATE_HEAD: 1.0},
    }
    staged = reader_exported(EvidenceRecipe([*shown, *map(echoed, shown)], changes, base=request.base), request, config)
    links = [(one.pair, one.bearing) for history in held_out for one in pairs_of(history)]
    fates = [(one.pair, one.fate) for history in held_out for one in fates_of(history)]
    reader = OnnxEvidenceReader(staged)
    config["temperatures"] = {
        BEARING_HEAD: temperature_of(reader.link_many([pair for pair, _ in links]), [label for _, label in links]),
        FATE_HEAD: temperature_of(reader.fates_many([pair for pair, _ in fates]), [label for _, label in fates]),
    }
    write_config(staged, config)
    reader = OnnxEvidenceReader(staged)
    rows = [
        *marking_rows(reader, held_out),
        *judging_rows("bearing", reader.link_many([pair for pair, _ in links]), [label for _, label in links]),
        *judging_rows("fate", reader.fates_many([pair for pair, _ in fates]), [label for _, label in fates]),
    ]
    warm = config["temperatures"]
    return reader_finish(
        staged,
        request,
        READER,
        sources={OWN: len(shown)},
        held_out=len(held_out),
        calibration=f"Logits of pairs are divided by {warm[BEARING_HEAD]:.3f}, those of fates by {warm[FATE_HEAD]:.3f}, "
        f"fitted on {len(links):,} and {len(fates):,} held-out pairs.",
        figures=rows,
        times=times(reader, held_out, [pair for pair, _ in fates]),
        also_trained="Every history is shown a second time with the replies of the built-in engine."
        + f" Pairs of the change judge's examples ({len(changes):,}) are mixed in; labels of pairs are smoothed.",
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

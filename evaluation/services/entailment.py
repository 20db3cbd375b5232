"""Judges labelled pairs with an entailment model and times it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluation.adapters.progress import progress_bar
from evaluation.core.entailment_rows import JudgedPair, entailment_rows
from evaluation.core.report import Row
from memory import bootstrap
from memory.adapters.entailment.pairs import LabelledPair, read_pairs
from memory.core.errors import TextTooLong
from memory.core.ports import EntailmentModel
from memory.core.types import EntailmentVerdict

CHUNK = 256


@dataclass(frozen=True)
class EntailmentResult:
    """The judged pairs, what was wrong with other lines of the file, and the seconds of judging without loading."""

    name: str
    judged: tuple[JudgedPair, ...]
    bad_lines: tuple[str, ...]
    seconds: float

    def rows(self) -> list[Row]:
        rows = entailment_rows(self.name, self.judged)
        rows.append(Row(self.name, "pairs_per_second", len(self.judged) / self.seconds, unit="1/s", n=len(self.judged)))
        if self.bad_lines:
            more = f" (and {len(self.bad_lines) - 1} more)" if len(self.bad_lines) > 1 else ""
            rows.append(Row(self.name, "bad_lines", len(self.bad_lines), unit="lines", why=self.bad_lines[0] + more))
        return rows


def entailment_evaluate(*, path: Path, model: str, limit: int | None = None, quiet: bool = False) -> EntailmentResult:
    """Return the verdicts of a model, `built-in` or a path or hub id, on the pairs of a file, at most `limit` of them."""
    file = read_pairs(path)
    judging = bootstrap.make_entailment_model(model)
    judging.predict_many([("It is ready.", "It is ready.")])
    pairs = file.pairs[:limit]
    started = time.perf_counter()
    judged = pairs_judge(pairs, model=judging, title=path.stem, quiet=quiet)
    return EntailmentResult(model, tuple(judged), file.bad_lines, time.perf_counter() - started)


def pairs_judge(
    pairs: Sequence[LabelledPair], *, model: EntailmentModel, title: str, quiet: bool = False
) -> list[JudgedPair]:
    """Return one judged pair each, in order. A pair that is too long for the model fails alone."""
    judged: list[JudgedPair] = []
    with progress_bar(len(pairs), title=title, unit="pairs", hidden=quiet) as bar:
        for start in range(0, len(pairs), CHUNK):
            chunk = pairs[start : start + CHUNK]
            for pair, outcome in zip(chunk, outcomes(chunk, model), strict=True):
                verdict = outcome if isinstance(outcome, EntailmentVerdict) else None
                error = "" if verdict else str(outcome)
                judged.append(JudgedPair(pair.premise, pair.source, pair.label, verdict, error))
            bar.update(len(chunk))
    return judged


def outcomes(pairs: Sequence[LabelledPair], model: EntailmentModel) -> list[EntailmentVerdict | TextTooLong]:
    texts = [(pair.premise, pair.hypothesis) for pair in pairs]
    try:
        return list(model.predict_many(texts))
    except TextTooLong as error:
        if len(pairs) == 1:
            return [error]
    return [outcome for pair in pairs for outcome in outcomes([pair], model)]

"""Measuring how utterances are said in full, beside leaving them as they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.core.interval_rows import mean_row, ratio_row
from evaluation.core.proposition_match import EXACT, TOKEN_F1, UNHARMED, is_exact, nearest_f1
from evaluation.core.report import Row
from memory.core.english.references import in_full
from memory.core.ports import ReferenceReader
from memory.core.types import UtteranceInDialogue

BUILT_IN, COPY = "built-in", "copy"
AT_ONCE = 32


@dataclass(frozen=True)
class Reformulated:
    """An utterance, the forms that say it in full, and the form that was made of it. `group` is the set it is of."""

    said: UtteranceInDialogue
    rewrites: tuple[str, ...]
    made: str
    group: str = ""


def all_in_full(
    said: Sequence[UtteranceInDialogue], reader: ReferenceReader, *, threshold: float | None = None
) -> list[str]:
    """Return the utterances said in full, by the reader's own threshold where none is given."""
    least = reader.threshold if threshold is None else threshold
    made: list[str] = []
    for start in range(0, len(said), AT_ONCE):
        some = said[start : start + AT_ONCE]
        found = reader.resolve_many(some)
        made += [in_full(one, references, threshold=least).text for one, references in zip(some, found, strict=True)]
    return made


def reformulation_rows(cases: Sequence[Reformulated], *, group: str = "") -> list[Row]:
    """Return the rows of what was made and of the utterances as they were.

    `unharmed` is the share of the utterances that leave nothing open, of which that is still so.
    """
    rows = []
    for name, texts in ((BUILT_IN, [case.made for case in cases]), (COPY, [case.said.text for case in cases])):
        numbered = list(enumerate(zip(texts, cases, strict=True)))
        exact = {str(place): [is_exact(text, case.rewrites)] for place, (text, case) in numbered}
        f1 = {str(place): [nearest_f1(text, case.rewrites)] for place, (text, case) in numbered}
        whole = {
            place: exact[place]
            for place, case in zip(exact, cases, strict=True)
            if is_exact(case.said.text, case.rewrites)
        }
        rows += [
            ratio_row(name, EXACT, exact, group=group),
            mean_row(name, TOKEN_F1, f1, group=group),
            ratio_row(name, UNHARMED, whole, group=group, none="every utterance leaves something open"),
        ]
    return rows

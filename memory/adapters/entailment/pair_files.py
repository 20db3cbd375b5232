"""Reads files of labelled pairs: one JSON object a line with premise, hypothesis, label and source."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from memory.core.errors import PairFileRefused
from memory.core.types import EntailmentLabel

SHOWN_LENGTH = 60


@dataclass(frozen=True)
class LabelledPair:
    """A premise, a hypothesis and the label that people gave the pair; `source` is the data set that it is from."""

    premise: str
    hypothesis: str
    label: EntailmentLabel
    source: str


@dataclass(frozen=True)
class PairFile:
    """The pairs of a file. `bad_lines` says for each line that is no pair its number and what is wrong."""

    pairs: tuple[LabelledPair, ...]
    bad_lines: tuple[str, ...]


class NoPair(ValueError):
    """Raised for a line that is not a labelled pair; the message says why."""


def read_pairs(path: Path) -> PairFile:
    """Return the pairs of a file, in order. Empty lines are skipped.

    Raises `PairFileRefused` for a file that cannot be read, and for one without a single pair.
    """
    pairs: list[LabelledPair] = []
    bad_lines: list[str] = []
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise PairFileRefused(f"{path} cannot be read: {error.strerror or error}.") from error
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            pairs.append(read_pair(line.decode("utf-8-sig")))
        except (NoPair, UnicodeDecodeError) as error:
            reason = error if isinstance(error, NoPair) else "not a text in UTF-8"
            bad_lines.append(f"line {number}: {reason}")
    if not pairs:
        why = f" {bad_lines[0].capitalize()}." if bad_lines else ""
        raise PairFileRefused(
            f"{path} holds no labelled pair.{why} A line is a JSON object with premise, hypothesis, label and source."
        )
    return PairFile(tuple(pairs), tuple(bad_lines))


def read_pair(line: str) -> LabelledPair:
    try:
        record = json.loads(line)
    except (json.JSONDecodeError, RecursionError) as error:
        raise NoPair("not JSON") from error
    if not isinstance(record, dict):
        raise NoPair("not a JSON object")
    premise, hypothesis, label = (needed_text(record, name) for name in ("premise", "hypothesis", "label"))
    if label not in list(EntailmentLabel):
        raise NoPair(f"label is {label[:SHOWN_LENGTH]!r}, not one of {', '.join(EntailmentLabel)}")
    source = record.get("source", "")
    if not isinstance(source, str):
        raise NoPair(f"source is {str(source)[:SHOWN_LENGTH]!r}, not a text")
    return LabelledPair(premise, hypothesis, EntailmentLabel(label), source)


def needed_text(record: dict[str, object], name: str) -> str:
    value = record.get(name)
    if not isinstance(value, str) or not value.strip():
        raise NoPair(f"{name} is {str(value)[:SHOWN_LENGTH]!r}, not a text with something in it")
    return value

"""Labelled pairs of premise and hypothesis, from our files and public sets; how they fit a window; verdicts on them.

Our files have one JSON object a line with premise, hypothesis, label and source. Public sets of claims with evidence are Fool
Me Twice (Apache-2.0, its Wikipedia sentences CC BY-SA), the dialogues of BEGIN (CC BY 4.0; those of TopicalChat under
CDLA-Sharing 1.0), and the stances of Factcheck-GPT (Apache-2.0).
"""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory.adapters.learning.label_files import published
from memory.core.errors import ModelUnfit, PairFileRefused, TextTooLong
from memory.core.types import EntailmentLabel, EntailmentVerdict

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


FOOL_ME_TWICE, BEGIN, FACTCHECK = "fool-me-twice", "begin", "factcheck-gpt"
# A reply of fewer words states nothing that could be held against a passage.
LEAST_WORDS = 5
_VERDICTS = {"SUPPORTS": EntailmentLabel.ENTAILMENT, "REFUTES": EntailmentLabel.CONTRADICTION}
_ATTRIBUTABLE = {
    "Fully attributable": EntailmentLabel.ENTAILMENT,
    "Not fully attributable": EntailmentLabel.NEUTRAL,
    "Generic": EntailmentLabel.NEUTRAL,
}
_STANCES = {
    "completely-support": EntailmentLabel.ENTAILMENT,
    "refute": EntailmentLabel.CONTRADICTION,
    "irrelevant": EntailmentLabel.NEUTRAL,
}


def read_claims(folder: Path) -> list[LabelledPair]:
    """Return the pairs of the sets in a folder. Raises `TrainingRefused` for one that is missing or of another form."""
    sets = {"fool_me_twice": read_fool_me_twice, "begin": read_begin, "factcheck_gpt": read_factcheck}
    return published(folder, sets)


def read_fool_me_twice(folder: Path) -> Iterator[LabelledPair]:
    """Yield the claims with the sentences that their authors named as evidence."""
    for name in ("dev.jsonl.gz", "test.jsonl.gz"):
        for row in _rows(folder / name):
            premise = " ".join(one["text"].strip() for one in row["gold_evidence"])
            yield LabelledPair(premise, row["text"].strip(), _VERDICTS[row["label"]], FOOL_ME_TWICE)


def read_begin(folder: Path) -> Iterator[LabelledPair]:
    """Yield the replies with the knowledge that they were to be written from."""
    for path in sorted(folder.glob("*/*.tsv")):
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                if len(row["response"].split()) >= LEAST_WORDS and row["knowledge"].strip():
                    label = _ATTRIBUTABLE[row["begin_label"]]
                    yield LabelledPair(row["knowledge"].strip(), row["response"].strip(), label, BEGIN)


def read_factcheck(folder: Path) -> Iterator[LabelledPair]:
    """Yield the claims with each passage that was found for them; those that a passage supports in part are left out."""
    for row in _rows(folder / "subtasks" / "subtask3_claim_evidence_stance.jsonl.gz"):
        if row["stance"] in _STANCES and row["evidence"].strip():
            yield LabelledPair(row["evidence"].strip(), row["claim"].strip(), _STANCES[row["stance"]], FACTCHECK)


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


LABELS = tuple(EntailmentLabel)


def label_order(id2label: Mapping[int, str], *, model: str) -> tuple[int, ...]:
    """Return the indices of the outputs for entailment, neutral and contradiction, by the names in the model's config.

    Raises `ModelUnfit` unless the config names exactly these three.
    """
    by_name = {str(name).strip().casefold(): int(place) for place, name in id2label.items()}
    if len(id2label) != len(LABELS) or set(by_name) != set(LABELS):
        named = ", ".join(str(name) for name in id2label.values()) or "none"
        raise ModelUnfit(
            f"The model {model} has the labels {named}. An entailment model names entailment, neutral and contradiction "
            "in the id2label of its config.json. Check DSMART_ENTAILMENT."
        )
    return tuple(by_name[label] for label in LABELS)


def verdicts(logits: NDArray[np.float64], *, temperature: float = 1.0) -> list[EntailmentVerdict]:
    """Return the verdicts of logits, shape (pairs, 3), in the order of `EntailmentLabel`."""
    return [EntailmentVerdict(*map(float, row)) for row in probabilities(logits, temperature=temperature)]


def probabilities(logits: NDArray[np.float64], *, temperature: float = 1.0) -> NDArray[np.float64]:
    scaled = np.asarray(logits, dtype=np.float64).reshape(-1, len(LABELS)) / temperature
    raised = np.exp(scaled - scaled.max(axis=1, keepdims=True))
    shares: NDArray[np.float64] = raised / raised.sum(axis=1, keepdims=True)
    return shares


def in_order(logits: NDArray[np.floating], order: Sequence[int]) -> NDArray[np.float64]:
    """Return the columns of a model's outputs in the order of `EntailmentLabel`."""
    return np.asarray(logits, dtype=np.float64)[:, list(order)]


def premise_room(hypothesis_tokens: int, *, window: int, special_tokens: int) -> int:
    """Return the number of word pieces left for the premise. Raises `TextTooLong` where there is no room for one."""
    room = window - special_tokens - hypothesis_tokens
    if room < 1:
        raise TextTooLong(
            f"The hypothesis has {hypothesis_tokens:,} word pieces, and the model reads {window:,} with its premise."
        )
    return room

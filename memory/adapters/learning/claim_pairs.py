"""Public sets of claims with evidence, as pairs of premise and hypothesis: what is supported, refuted, or left open.

Fool Me Twice (Apache-2.0, its Wikipedia sentences CC BY-SA), the dialogues of BEGIN (CC BY 4.0; those of TopicalChat under
CDLA-Sharing 1.0), and the stances of Factcheck-GPT (Apache-2.0).
"""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memory.adapters.entailment.pair_files import LabelledPair
from memory.adapters.learning.label_files import published
from memory.core.types import EntailmentLabel

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

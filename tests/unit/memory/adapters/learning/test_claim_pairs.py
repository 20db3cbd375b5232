"""Public sets of claims with evidence, read as pairs."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from memory.adapters.entailment.pairs import LabelledPair, read_claims
from memory.core.errors import TrainingRefused
from memory.core.types import EntailmentLabel

FOOLS = [
    {"text": "It rained. ", "label": "SUPPORTS", "gold_evidence": [{"text": "It poured."}, {"text": " All day."}]},
    {"text": "It snowed.", "label": "REFUTES", "gold_evidence": [{"text": "It never snowed."}]},
]
STANCES = [
    {"claim": "Paris is big.", "evidence": "Paris has two million people.", "stance": "completely-support"},
    {"claim": "Paris is small.", "evidence": "Paris has two million people.", "stance": "refute"},
    {"claim": "Paris is old.", "evidence": "Paris has two million people.", "stance": "irrelevant"},
    {"claim": "Paris is old and big.", "evidence": "Paris has two million people.", "stance": "partially-support"},
]
BEGIN = (
    "model_name\tdata_source\tknowledge\tmessage\tresponse\tbegin_label\n"
    't5\twow\tcrayola made "chalk" first.\thi\tcrayola began by making chalk\tFully attributable\n'
    "t5\twow\tcrayola made chalk first.\thi\tcrayola is my favourite company ever\tNot fully attributable\n"
    "t5\twow\tcrayola made chalk first.\thi\tyes , i do\tGeneric\n"
)


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def sets(tmp_path: Path) -> Path:
    write(tmp_path / "fool_me_twice" / "dev.jsonl.gz", FOOLS[:1])
    write(tmp_path / "fool_me_twice" / "test.jsonl.gz", FOOLS[1:])
    write(tmp_path / "factcheck_gpt" / "subtasks" / "subtask3_claim_evidence_stance.jsonl.gz", STANCES)
    (tmp_path / "begin" / "wow").mkdir(parents=True)
    (tmp_path / "begin" / "wow" / "begin_dev_wow.tsv").write_text(BEGIN)
    return tmp_path


def test_sets_are_read_as_pairs(sets: Path) -> None:
    entailed, neutral, contradicted = EntailmentLabel
    assert (entailed, neutral, contradicted) == ("entailment", "neutral", "contradiction")
    assert read_claims(sets) == [
        LabelledPair("It poured. All day.", "It rained.", entailed, "fool-me-twice"),
        LabelledPair("It never snowed.", "It snowed.", contradicted, "fool-me-twice"),
        LabelledPair('crayola made "chalk" first.', "crayola began by making chalk", entailed, "begin"),
        LabelledPair("crayola made chalk first.", "crayola is my favourite company ever", neutral, "begin"),
        LabelledPair("Paris has two million people.", "Paris is big.", entailed, "factcheck-gpt"),
        LabelledPair("Paris has two million people.", "Paris is small.", contradicted, "factcheck-gpt"),
        LabelledPair("Paris has two million people.", "Paris is old.", neutral, "factcheck-gpt"),
    ]


@pytest.mark.parametrize("broken", ["missing", "label", "field", "text"])
def test_set_that_is_not_as_published_is_named(sets: Path, broken: str) -> None:
    place = sets / "fool_me_twice" / "test.jsonl.gz"
    if broken == "missing":
        place.unlink()
    elif broken == "text":
        place.write_text("not gzip")
    else:
        write(place, [{**FOOLS[1], "label": "PERHAPS"} if broken == "label" else {"text": "It rained."}])
    with pytest.raises(TrainingRefused, match=r"fool_me_twice is not the set as it was published"):
        read_claims(sets)

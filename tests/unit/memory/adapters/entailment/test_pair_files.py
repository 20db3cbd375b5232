"""Files of labelled pairs: what is read, and what is said of lines that are none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memory.adapters.entailment.pairs import LabelledPair, read_pairs
from memory.core.errors import PairFileRefused
from memory.core.types import EntailmentLabel

GOOD = {"premise": "A dog runs.", "hypothesis": "A dog sleeps.", "label": "contradiction", "source": "own"}


def test_good_lines_are_kept_and_bad_ones_named_with_their_number(tmp_path: Path) -> None:
    bad: list[object] = [
        "{",
        json.dumps([1]),
        json.dumps({**GOOD, "premise": None}),
        json.dumps({**GOOD, "hypothesis": "  "}),
        json.dumps({**GOOD, "label": "entails"}),
        json.dumps({**GOOD, "source": 3}),
        "[" * 100_000,
    ]
    file = tmp_path / "pairs.jsonl"
    lines = [json.dumps(GOOD), "", *map(str, bad), json.dumps({name: GOOD[name] for name in list(GOOD)[:3]})]
    file.write_bytes("\n".join(lines).encode() + b'\n{"premise": "\xff"}\n')
    found = read_pairs(file)
    assert found.pairs == (
        LabelledPair("A dog runs.", "A dog sleeps.", EntailmentLabel.CONTRADICTION, "own"),
        LabelledPair("A dog runs.", "A dog sleeps.", EntailmentLabel.CONTRADICTION, ""),
    )
    assert [line.split(":")[0] for line in found.bad_lines] == [
        f"line {number}" for number in (3, 4, 5, 6, 7, 8, 9, 11)
    ]
    assert "'entails'" in found.bad_lines[4]


@pytest.mark.parametrize("content", ["", "{}\n", '{"premise": "a"}\n'])
def test_file_without_a_pair_is_refused(tmp_path: Path, content: str) -> None:
    file = tmp_path / "pairs.jsonl"
    file.write_text(content)
    with pytest.raises(PairFileRefused, match="no labelled pair"):
        read_pairs(file)


def test_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PairFileRefused, match="No such file"):
        read_pairs(tmp_path / "none.jsonl")

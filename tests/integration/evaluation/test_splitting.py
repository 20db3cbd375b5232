"""`evaluate splitting` on two files of the same sentences."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command


def test_splits_are_held_against_peoples(tmp_path: Path) -> None:
    said, simple, out = tmp_path / "complex", tmp_path / "simple", tmp_path / "rows.json"
    said.write_text("My sister sings in a choir and my brother plays the piano.\nShe sings.\n")
    simple.write_text("My sister sings in a choir. My brother plays the piano.\nShe sings.\n")
    call_command("evaluate", "splitting", data=said, simple=simple, json=out, verbosity=0, stdout=StringIO())
    rows = {(row["name"], row["metric"]): row["value"] for row in json.loads(out.read_text())["rows"]}
    assert (rows["built-in", "split_f1"], rows["built-in", "count_right"]) == (1, 1)
    assert rows["copy", "count_right"] == 1 / 2 and rows["copy", "split_f1"] < 1


def test_files_of_other_sentences_are_refused(tmp_path: Path) -> None:
    said, simple = tmp_path / "complex", tmp_path / "simple"
    said.write_text("a\nb\n")
    simple.write_text("a\n")
    with pytest.raises(CommandError, match=r"has 2 lines and .* 1: they must be the same sentences"):
        call_command("evaluate", "splitting", data=said, simple=simple, verbosity=0)


def test_one_sentence_a_line_needs_its_simple_sentences(tmp_path: Path) -> None:
    (tmp_path / "complex").write_text("She sings.\n")
    with pytest.raises(CommandError, match=r"has one sentence a line\. Give the simple sentences"):
        call_command("evaluate", "splitting", data=tmp_path / "complex", verbosity=0)


GOLD = (
    "My sister , a nurse , sings in a choir and my brother plays the piano .\tsings\tMy sister\tin a choir",
    "My sister , a nurse , sings in a choir and my brother plays the piano .\tplays\tmy brother\tthe piano",
    "\ufeffShe left .\tleft\tShe\tT: then",
)


def test_splits_are_held_against_propositions(tmp_path: Path) -> None:
    gold, out, items = tmp_path / "dev.tsv", tmp_path / "rows.json", tmp_path / "items.jsonl"
    gold.write_text("\n".join(GOLD) + "\n")
    call_command("evaluate", "splitting", data=gold, json=out, items=items, verbosity=0, stdout=StringIO())
    rows = {(row["name"], row["metric"]): row["value"] for row in json.loads(out.read_text())["rows"]}
    first, second = (json.loads(line) for line in items.read_text().splitlines())
    assert second["said"] == "She left ." and second["people"] == ["She left then"]
    assert first["people"] == ["My sister sings in a choir", "my brother plays the piano"]
    assert rows["built-in", "proposition_precision"] > rows["copy", "proposition_precision"]
    assert rows["copy", "proposition_recall"] == pytest.approx((1 + 1 + 2 / 3) / 3)
    assert rows["copy", "proposition_precision"] == pytest.approx((6 / 14 + 1) / 2)


def test_line_that_is_no_proposition_is_named(tmp_path: Path) -> None:
    (tmp_path / "dev.tsv").write_text(f"{GOLD[0]}\nShe left .\tleft\n")
    with pytest.raises(CommandError, match=r"dev\.tsv, line 2: expected a sentence, a relation and arguments"):
        call_command("evaluate", "splitting", data=tmp_path / "dev.tsv", verbosity=0)

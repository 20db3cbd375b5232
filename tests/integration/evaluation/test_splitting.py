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

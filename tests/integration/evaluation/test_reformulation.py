"""`evaluate reformulation` on utterances with their full forms."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

from django.core.management import call_command

from evaluation.benchmarks.reformulations import read_reformulations


def test_items_are_read_again_as_the_utterances_that_they_are_of(tmp_path: Path) -> None:
    data, items, again = (tmp_path / f"{name}.jsonl" for name in ("data", "items", "again"))
    case = {
        "history": ["I have a cat named Momo.", "How old is Momo?"],
        "utterance": "She is four.",
        "rewrites": ["Momo is four."],
    }
    data.write_text(json.dumps(case) + "\n" + json.dumps({**case, "history": [], "utterance": "Momo is four."}) + "\n")
    for given, out in ((data, items), (items, again)):
        call_command("evaluate", "reformulation", data=given, items=out, verbosity=0, stdout=StringIO())
    assert list(read_reformulations(items)) == list(read_reformulations(data))
    assert again.read_text() == items.read_text()

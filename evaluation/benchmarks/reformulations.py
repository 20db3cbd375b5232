"""Utterances of dialogues with the forms that say them in full, one JSON object a line.

{"history": ["I have a cat named Momo.", "How old?"], "utterance": "She is four.", "rewrites": ["Momo is four."]}
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from evaluation.benchmarks.reading import read_json_lines
from memory.core.types import UtteranceInDialogue


@dataclass(frozen=True)
class ReformulationCase:
    said: UtteranceInDialogue
    rewrites: tuple[str, ...]


def read_reformulations(path: Path) -> Iterator[ReformulationCase]:
    """Yield the cases of a file. Raises `MalformedBenchmark` that names the record and the field."""
    for record in read_json_lines(path):
        history = tuple(turn.text() for turn in record.need("history").items())
        rewrites = record.need("rewrites")
        forms = tuple(one.text() for one in rewrites.items())
        if not forms:
            rewrites.fail("a list of at least one form")
        yield ReformulationCase(UtteranceInDialogue(record.need("utterance").text(), history), forms)

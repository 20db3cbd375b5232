"""CaRB (Bhardwaj et al., 2019; MIT): the propositions that people read out of sentences.

A line is one proposition in columns: the sentence, the relation, the subject, further arguments. An argument of context,
place or time may begin with its mark ("C:", "L:", "T:"), which is no word of it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from evaluation.core.errors import MalformedBenchmark
from evaluation.core.proposition_match import Proposition

LEAST_COLUMNS = 3
_MARK = re.compile(r"^[CLT]: ?")


def is_carb(lines: Sequence[str]) -> bool:
    """Return whether the first line has the columns of a proposition."""
    return bool(lines) and lines[0].count("\t") + 1 >= LEAST_COLUMNS


def read_propositions(lines: Sequence[str], *, name: str) -> dict[str, list[Proposition]]:
    """Return the propositions of each sentence, in the order of the file. Raises `MalformedBenchmark` that names the line."""
    found: dict[str, list[Proposition]] = {}
    for number, line in enumerate(lines, start=1):
        columns = [column.strip("\ufeff ") for column in line.split("\t")]
        if len(columns) < LEAST_COLUMNS or not all(columns[:LEAST_COLUMNS]):
            raise MalformedBenchmark(
                f"{name}, line {number}: expected a sentence, a relation and arguments, got {line[:60]!r}"
            )
        sentence, relation, *arguments = columns
        told = Proposition(relation, tuple(_MARK.sub("", one) for one in arguments if one))
        found.setdefault(sentence, []).append(told)
    return found

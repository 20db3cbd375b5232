"""`evaluate splitting`: sentences split into atomic facts, beside what people made of them.

CaRB (Bhardwaj et al., 2019; MIT): the propositions that people read out of sentences.

A line is one proposition in columns: the sentence, the relation, the subject, further arguments. An argument of context,
place or time may begin with its mark ("C:", "L:", "T:"), which is no word of it.
"""

from __future__ import annotations

import re
from argparse import ArgumentParser
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from evaluation.benchmarks.reading import read_text
from evaluation.core.errors import EvaluationError, MalformedBenchmark
from evaluation.core.interval_rows import mean_row, ratio_row
from evaluation.core.proposition_match import Proposition, proposition_scores, split_f1
from evaluation.core.report import Report, Row
from evaluation.quality.options import items_write, most_of, reported, usual_options
from memory import bootstrap
from memory.bootstrap.roles import SPLIT_FACTS
from memory.bootstrap.tools import segmenter

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


HELP = "sentences split into atomic facts, beside the simple sentences or the propositions that people made of them"
BUILT_IN, COPY = "built-in", "copy"


@dataclass(frozen=True)
class PeoplesSplits:
    """Sentences, what people made of each in words, and what gives the rows of what a splitter makes of them."""

    said: list[str]
    people: list[list[str]]
    rows_of: Callable[[str, Sequence[Sequence[str]]], list[Row]]


def add_arguments(parser: ArgumentParser) -> None:
    usual_options(
        parser,
        data="one sentence a line (DeSSE, complex), or one proposition a line (CaRB, gold)",
        limit="sentences",
        items="what was made of each",
    )
    parser.add_argument(
        "--simple", type=Path, metavar="FILE", help="with DeSSE: its simple sentences, in the same line (DeSSE, simple)"
    )
    parser.add_argument("--engine", default=bootstrap.BUILTIN, metavar="E", help="(default: the built-in engine)")


def run(options: Mapping[str, Any]) -> Report:
    """Return the measured rows: those of the engine, and `copy`, which splits nothing."""
    path, simple, limit = options["data"], options["simple"], most_of(options)
    lines = read_text(path).splitlines()
    splits = of_carb(lines, limit, name=path.name) if is_carb(lines) else of_desse(lines, limit, path, simple)
    engine = bootstrap.engine(options["engine"])
    made = [[fact.text for fact in found] for found in engine.player(SPLIT_FACTS).split_many(splits.said)]
    items_write(
        (
            {"said": text, "facts": facts, "people": other}
            for text, facts, other in zip(splits.said, made, splits.people, strict=True)
        ),
        options["items"],
    )
    name = BUILT_IN if engine.name == bootstrap.BUILTIN else engine.name
    rows = [*splits.rows_of(name, made), *splits.rows_of(COPY, [[text] for text in splits.said])]
    return reported(
        "splitting",
        rows,
        data=[one for one in (path, simple) if one is not None],
        config={"limit": limit, "engine": engine.name},
    )


def of_carb(lines: Sequence[str], limit: int | None, *, name: str) -> PeoplesSplits:
    found = list(read_propositions(lines, name=name).items())[:limit]
    gold = [told for _, told in found]
    return PeoplesSplits(
        said=[sentence for sentence, _ in found],
        people=[[one.text for one in told] for told in gold],
        rows_of=partial(proposition_rows, wanted=gold),
    )


def of_desse(lines: Sequence[str], limit: int | None, path: Path, simple: Path | None) -> PeoplesSplits:
    if simple is None:
        raise EvaluationError(
            f"{path} has one sentence a line. Give the simple sentences that people made of them, too, by --simple."
        )
    said, told = ([line.strip() for line in some] for some in (lines, read_text(simple).splitlines()))
    if len(said) != len(told):
        raise EvaluationError(
            f"{path} has {len(said):,} lines and {simple} {len(told):,}: they must be the same sentences."
        )
    wanted = [[one.text for one in found] for found in segmenter().segment_many(told[:limit])]
    return PeoplesSplits(said[:limit], wanted, partial(sentence_rows, wanted=wanted))


def sentence_rows(name: str, made: Sequence[Sequence[str]], *, wanted: Sequence[Sequence[str]]) -> list[Row]:
    numbered = {str(place): pair for place, pair in enumerate(zip(made, wanted, strict=True))}
    return [
        mean_row(name, "split_f1", {place: [split_f1(*pair)] for place, pair in numbered.items()}),
        ratio_row(name, "count_right", {place: [len(pair[0]) == len(pair[1])] for place, pair in numbered.items()}),
    ]


def proposition_rows(name: str, made: Sequence[Sequence[str]], *, wanted: Sequence[Sequence[Proposition]]) -> list[Row]:
    scores = proposition_scores(made, wanted)
    figures = {"precision": scores.precision, "recall": scores.recall, "f1": scores.f1}
    return [
        Row(
            name, f"proposition_{metric}", value, unit="ratio", n=len(made), why="" if value is not None else "no facts"
        )
        for metric, value in figures.items()
    ]

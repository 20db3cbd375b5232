"""`evaluate splitting`: sentences split into atomic facts, beside the simple sentences that people made of them."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from django.conf import settings

from evaluation.adapters.identity import identity
from evaluation.benchmarks.reading import read_text
from evaluation.core.errors import EvaluationError
from evaluation.core.interval_rows import mean_row, ratio_row
from evaluation.core.report import Report, Row
from evaluation.core.split_match import split_f1
from evaluation.quality.options import items_write, most_of
from memory import bootstrap
from memory.bootstrap.roles import SPLIT_FACTS
from memory.bootstrap.tools import segmenter

HELP = "sentences split into atomic facts, beside the simple sentences that people made of them"
BUILT_IN, COPY = "built-in", "copy"


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, required=True, metavar="FILE", help="one sentence a line (DeSSE, complex)")
    parser.add_argument(
        "--simple",
        type=Path,
        required=True,
        metavar="FILE",
        help="its simple sentences, in the same line (DeSSE, simple)",
    )
    parser.add_argument("--engine", default=bootstrap.BUILTIN, metavar="E", help="(default: the built-in engine)")
    parser.add_argument("--limit", type=int, metavar="N", help="at most the first N sentences")
    parser.add_argument("--items", type=Path, metavar="OUT", help="write what was made of each, one JSON a line")


def run(options: Mapping[str, Any]) -> Report:
    """Return the measured rows: those of the engine, and `copy`, which splits nothing."""
    path, simple, limit = options["data"], options["simple"], most_of(options)
    said, told = ([line.strip() for line in read_text(each).splitlines()] for each in (path, simple))
    if len(said) != len(told):
        raise EvaluationError(
            f"{path} has {len(said):,} lines and {simple} {len(told):,}: they must be the same sentences."
        )
    said, told = said[:limit], told[:limit]
    engine = bootstrap.engine(options["engine"])
    wanted = [[one.text for one in found] for found in segmenter().segment_many(told)]
    made = [[fact.text for fact in found] for found in engine.player(SPLIT_FACTS).split_many(said)]
    items_write(
        (
            {"said": text, "facts": facts, "people": other}
            for text, facts, other in zip(said, made, wanted, strict=True)
        ),
        options["items"],
    )
    name = BUILT_IN if engine.name == bootstrap.BUILTIN else engine.name
    rows = [*rows_of(name, made, wanted), *rows_of(COPY, [[text] for text in said], wanted)]
    config = {"limit": limit, "engine": engine.name}
    return Report(
        "evaluate splitting", identity(code_folder=settings.BASE_DIR, data=[path, simple], config=config), rows
    )


def rows_of(name: str, made: Sequence[Sequence[str]], wanted: Sequence[Sequence[str]]) -> list[Row]:
    numbered = {str(place): pair for place, pair in enumerate(zip(made, wanted, strict=True))}
    return [
        mean_row(name, "split_f1", {place: [split_f1(*pair)] for place, pair in numbered.items()}),
        ratio_row(name, "count_right", {place: [len(pair[0]) == len(pair[1])] for place, pair in numbered.items()}),
    ]

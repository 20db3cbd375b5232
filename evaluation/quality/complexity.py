"""`evaluate complexity`: how complex dialogues are by seven measures, and the refined subset of them (D-SMART, Table 4)."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from evaluation.benchmarks.reading import read_json_lines
from evaluation.core.complexity.measures import RefinementConfig
from evaluation.core.errors import EvaluationError
from evaluation.core.report import Report
from evaluation.quality.options import items_write, most_of, reported, usual_options
from evaluation.selectors.run_scores import case_scores
from evaluation.services.complexity import complexity_measure

HELP = "turns, words, vocabulary, entities, conditions and constraints of dialogues, of all and of the refined quarter"


def add_arguments(parser: ArgumentParser) -> None:
    usual_options(parser, data="a dialogue file", format=True, limit="dialogues")
    parser.add_argument(
        "--run",
        type=int,
        metavar="ID",
        help="the judged run of the model alone whose moderate dialogues are kept first",
    )
    parser.add_argument(
        "--share", type=float, default=RefinementConfig().share, help="of all dialogues (default: 0.25)"
    )
    parser.add_argument(
        "--items", type=Path, metavar="OUT", help="write the records of the refined dialogues, one a line"
    )


def run(options: Mapping[str, Any]) -> Report:
    """Return the measured rows: name the set (original, refined)."""
    path, limit = options["data"], most_of(options)
    if not 0 < options["share"] <= 1:
        raise EvaluationError("--share must be over 0 and at most 1.")
    run_id = options["run"]
    result = complexity_measure(
        path=path,
        scores=None if run_id is None else case_scores(run_id),
        config=RefinementConfig(share=options["share"]),
        format=options["format"],
        limit=limit,
        quiet=options["verbosity"] == 0,
    )
    if options["items"] is not None:
        items_write(records_of(path, result.refined), options["items"])
    config = {"limit": limit, "share": options["share"], "run": run_id, "format": options["format"]}
    return reported("complexity", result.rows(), data=[path], config=config)


def records_of(path: Path, ids: Iterable[str]) -> Iterable[Mapping[str, object]]:
    """Return the records of a file with these ids, in its order."""
    chosen = set(ids)
    records = (record.value for record in read_json_lines(path))
    found = [one for one in records if isinstance(one, dict) and str(one.get("id")) in chosen]
    if len(found) != len(chosen):
        raise EvaluationError(f"--items takes a file with a record a line, each with an id; {path.name} has none.")
    return found

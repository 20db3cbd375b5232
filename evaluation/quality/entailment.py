"""`evaluate entailment`: how often an entailment model agrees with people, how sure it is, and how fast."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from evaluation.core.report import Report
from evaluation.quality.options import most_of, reported, usual_options
from evaluation.services.entailment import entailment_evaluate
from memory.bootstrap import ENTAILMENT_BUILTIN

HELP = "accuracy, calibration and speed of an entailment model on labelled pairs"


def add_arguments(parser: ArgumentParser) -> None:
    usual_options(parser, data="JSONL of premise, hypothesis, label and source", limit="pairs")
    parser.add_argument(
        "--model",
        default=ENTAILMENT_BUILTIN,
        metavar="M",
        help="built-in, or the folder or hub id of a transformers cross-encoder (default: built-in)",
    )


def run(options: Mapping[str, Any]) -> Report:
    """Return the measured rows: name the model, group the source."""
    model, limit = options["model"], most_of(options)
    result = entailment_evaluate(path=options["data"], model=model, limit=limit, quiet=options["verbosity"] == 0)
    return reported("entailment", result.rows(), data=[options["data"]], config={"model": model, "limit": limit})

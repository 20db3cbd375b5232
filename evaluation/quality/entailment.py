"""`evaluate entailment`: how often an entailment model agrees with people, how sure it is, and how fast."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings

from evaluation.adapters.identity import identity
from evaluation.core.report import Report
from evaluation.quality.options import most_of
from evaluation.services.entailment import entailment_evaluate
from memory.bootstrap import ENTAILMENT_BUILTIN

HELP = "accuracy, calibration and speed of an entailment model on labelled pairs"


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--data", type=Path, required=True, metavar="FILE", help="JSONL of premise, hypothesis, label and source"
    )
    parser.add_argument(
        "--model",
        default=ENTAILMENT_BUILTIN,
        metavar="M",
        help="built-in, or the folder or hub id of a transformers cross-encoder (default: built-in)",
    )
    parser.add_argument("--limit", type=int, metavar="N", help="at most the first N pairs")


def run(options: Mapping[str, Any]) -> Report:
    """Return the measured rows: name the model, group the source."""
    model, limit = options["model"], most_of(options)
    result = entailment_evaluate(path=options["data"], model=model, limit=limit, quiet=options["verbosity"] == 0)
    made_with = identity(code_folder=settings.BASE_DIR, data=[options["data"]], config={"model": model, "limit": limit})
    return Report("evaluate entailment", made_with, result.rows())

"""`evaluate questions`: how often responders answer the questions of a benchmark right."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.conf import settings

from evaluation.adapters.identity import identity
from evaluation.benchmarks.catalogue import AUTO, FORMATS
from evaluation.core.report import Report
from evaluation.quality.options import items_write, responders_of
from evaluation.services.questions import questions_evaluate

HELP = "accuracy of responders on the questions of a benchmark file"


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, required=True, metavar="FILE", help="a benchmark file with questions")
    parser.add_argument("--responders", default="graph", metavar="LIST", help="names, with commas (default: graph)")
    parser.add_argument(
        "--engine", default="", metavar="E", help="what plays the model's roles (default: DSMART_ENGINE)"
    )
    parser.add_argument("--format", choices=[AUTO, *FORMATS], default=AUTO)
    parser.add_argument("--only", default="", metavar="ID", help="only the case with this id")
    parser.add_argument("--limit", type=int, metavar="N", help="at most N cases")
    parser.add_argument(
        "--items", type=Path, metavar="OUT", help="write every question with its reply, one JSON a line"
    )


def run(options: Mapping[str, Any]) -> Report:
    """Return the measured rows: name the responder, metric accuracy, group the category."""
    responders = responders_of(options)
    result = questions_evaluate(
        path=options["data"],
        responders=responders,
        format=options["format"],
        engine=options["engine"],
        only=options["only"],
        limit=options["limit"],
        quiet=options["verbosity"] == 0,
    )
    items_write(map(asdict, result.replies), options["items"])
    config = {
        "responders": responders,
        "engine": options["engine"] or settings.DSMART_ENGINE,
        "format": options["format"],
        "only": options["only"],
        "limit": options["limit"],
    }
    made_with = identity(code_folder=settings.BASE_DIR, data=[options["data"]], config=config)
    return Report("evaluate questions", made_with, result.rows(responders))

"""`evaluate answers`: how far the words of responders' answers agree with those of LoCoMo, by its authors' own scoring."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.conf import settings

from evaluation.adapters.identity import identity
from evaluation.benchmarks import locomo
from evaluation.core.report import Report
from evaluation.quality.options import items_write, most_of, responders_of
from evaluation.services.answers import answers_evaluate

HELP = "token F1 and exact match of responders' answers to LoCoMo's questions, and how often they refuse what has none"


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, required=True, metavar="FILE", help="a benchmark file with questions")
    parser.add_argument(
        "--benchmark", choices=[locomo.NAME], default=locomo.NAME, help="whose scoring (default: %(default)s)"
    )
    parser.add_argument("--responders", default="graph", metavar="LIST", help="names, with commas (default: graph)")
    parser.add_argument(
        "--engine", default="", metavar="E", help="what plays the model's roles (default: DSMART_ENGINE)"
    )
    parser.add_argument("--only", default="", metavar="ID", help="only the conversation with this id")
    parser.add_argument("--limit", type=int, metavar="N", help="at most N conversations")
    parser.add_argument(
        "--questions", type=int, metavar="N", help="at most N questions of each category about a conversation"
    )
    parser.add_argument(
        "--items", type=Path, metavar="OUT", help="write every question with its reply, one JSON a line"
    )


def run(options: Mapping[str, Any]) -> Report:
    """Return the measured rows: name the responder, group the category, no group for what can be answered."""
    responders = responders_of(options)
    most = {name: most_of(options, name) for name in ("limit", "questions")}
    config = {"engine": options["engine"], "only": options["only"], **most}
    result = answers_evaluate(path=options["data"], responders=responders, quiet=options["verbosity"] == 0, **config)
    items_write(map(asdict, result.replies), options["items"])
    config |= {
        "responders": responders,
        "benchmark": options["benchmark"],
        "engine": options["engine"] or settings.DSMART_ENGINE,
    }
    made_with = identity(code_folder=settings.BASE_DIR, data=[options["data"]], config=config)
    return Report("evaluate answers", made_with, result.rows(responders))

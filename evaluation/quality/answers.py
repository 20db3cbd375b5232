"""`evaluate answers`: how far the words of responders' answers agree with those of LoCoMo, by its authors' own scoring."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from django.conf import settings

from evaluation.benchmarks import locomo
from evaluation.core.report import Report
from evaluation.quality.options import ENGINE, items_write, most_of, reported, responders_of, usual_options
from evaluation.services.answers import answers_evaluate

HELP = "token F1 and exact match of responders' answers to LoCoMo's questions, and how often they refuse what has none"


def add_arguments(parser: ArgumentParser) -> None:
    usual_options(parser, responders=True, engine=ENGINE, case="conversation", items="every question with its reply")
    parser.add_argument(
        "--benchmark", choices=[locomo.NAME], default=locomo.NAME, help="whose scoring (default: %(default)s)"
    )
    parser.add_argument(
        "--questions", type=int, metavar="N", help="at most N questions of each category about a conversation"
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
    return reported("answers", result.rows(responders), data=[options["data"]], config=config)

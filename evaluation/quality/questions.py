"""`evaluate questions`: how often responders answer the questions of a benchmark right."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from django.conf import settings

from evaluation.core.report import Report
from evaluation.quality.options import ENGINE, items_write, reported, responders_of, usual_options
from evaluation.services.questions import questions_evaluate

HELP = "accuracy of responders on the questions of a benchmark file"


def add_arguments(parser: ArgumentParser) -> None:
    usual_options(
        parser, responders=True, engine=ENGINE, format=True, case="case", items="every question with its reply"
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
    return reported("questions", result.rows(responders), data=[options["data"]], config=config)

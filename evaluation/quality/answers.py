"""`evaluate answers`: how far the words of responders' answers agree with those of LoCoMo, by its authors' own scoring."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.conf import settings

from evaluation.adapters.identity import identity
from evaluation.benchmarks import locomo
from evaluation.core.answer_rows import ScoredAnswer
from evaluation.core.errors import EvaluationError
from evaluation.core.report import Report
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
    responders = [name.strip() for name in options["responders"].split(",") if name.strip()]
    if not responders:
        raise EvaluationError("No responder is named. Give --responders, such as --responders graph.")
    for name in ("limit", "questions"):
        if options[name] is not None and options[name] < 1:
            raise EvaluationError(f"--{name} must be at least 1.")
    config = {name: options[name] for name in ("engine", "only", "limit", "questions")}
    result = answers_evaluate(path=options["data"], responders=responders, quiet=options["verbosity"] == 0, **config)
    if options["items"]:
        items_write(result.replies, options["items"])
    config |= {
        "responders": responders,
        "benchmark": options["benchmark"],
        "engine": options["engine"] or settings.DSMART_ENGINE,
    }
    made_with = identity(code_folder=settings.BASE_DIR, data=[options["data"]], config=config)
    return Report("evaluate answers", made_with, result.rows(responders))


def items_write(answers: Sequence[ScoredAnswer], path: Path) -> None:
    lines = (json.dumps(asdict(answer), ensure_ascii=False) for answer in answers)
    try:
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    except OSError as error:
        raise EvaluationError(f"{path} cannot be written: {error.strerror}. Give --items another path.") from error

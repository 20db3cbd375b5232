"""`evaluate tasks`: what responders make of tasks over several turns: Lost in Conversation, MT-Eval, MultiChallenge."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.conf import settings

from evaluation.core.errors import UnknownName
from evaluation.core.report import Report
from evaluation.core.tasks.types import Mode
from evaluation.quality.options import most_of, names_of, reported, responders_of, usual_options
from evaluation.services.tasks import TaskPlan, tasks_evaluate

HELP = "tasks told over several turns, played through responders: numbers, classes, rules kept, aptitude, unreliability"


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("files", type=Path, nargs="+", metavar="BENCHMARK-FILE", help="files of known formats")
    parser.add_argument(
        "--items",
        dest="transcript",
        type=Path,
        required=True,
        metavar="FILE",
        help="every task with its replies, one JSON a line; what stands in it is not played again",
    )
    parser.add_argument("--responders", default="base", metavar="LIST", help="names, with commas (default: base)")
    parser.add_argument(
        "--engine", default="", metavar="LIST", help="what plays the model's roles (default: DSMART_ENGINE)"
    )
    parser.add_argument(
        "--mode",
        default=Mode.SHARDED.value,
        metavar="LIST",
        help=f"how a sharded task is told: {', '.join(Mode)}, with commas (default: %(default)s)",
    )
    parser.add_argument("--repeat", type=int, default=1, metavar="R", help="play each task R times (default: 1)")
    usual_options(parser, data="", limit="items of each file")


def run(options: Mapping[str, Any]) -> Report:
    """Return the measured rows: name the responder, group the benchmark with the mode and the category."""
    modes = names_of(options, "mode", such_as=Mode.SHARDED)
    if unknown := sorted(set(modes) - set(Mode)):
        raise UnknownName(f"There is no mode {unknown[0]!r}. Modes: {', '.join(Mode)}.")
    plan = TaskPlan(
        responders=tuple(responders_of(options)),
        engines=tuple(filter(None, options["engine"].split(","))) or (settings.DSMART_ENGINE,),
        modes=tuple(modes),
        repeat=most_of(options, "repeat") or 1,
        limit=most_of(options),
    )
    result = tasks_evaluate(
        paths=options["files"], items=options["transcript"], plan=plan, quiet=options["verbosity"] == 0
    )
    return reported("tasks", result.rows(), data=options["files"], config=asdict(plan))

"""`evaluate chaining`: GOAL-MEM and its baselines over memory backbones, on the questions of one benchmark."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from django.conf import settings

from evaluation.benchmarks.catalogue import AUTO, FORMATS
from evaluation.bootstrap import judge_admit, make_judge
from evaluation.core.chaining_rows import budget_rows
from evaluation.core.report import Report
from evaluation.quality.options import ENGINE, items_write, most_of, names_of, reported, usual_options
from evaluation.services.chaining import ChainingPlan, answers_judge, chaining_evaluate
from evaluation.services.chaining_ways import WAYS
from memory import bootstrap
from memory.bootstrap.backbones import backbone_parts
from memory.core.backbones.catalogue import BACKBONES, make_backbone

HELP = "answers, calls, tokens and time of ways of reasoning (GOAL-MEM, its baselines) over memory backbones"


def add_arguments(parser: ArgumentParser) -> None:
    usual_options(parser, engine=ENGINE, items="every question with its answer")
    parser.add_argument(
        "--benchmark", choices=[AUTO, *FORMATS], default=AUTO, help="its format, which says how answers are scored"
    )
    parser.add_argument(
        "--backbones", default=",".join(BACKBONES), metavar="LIST", help="names, with commas (default: %(default)s)"
    )
    parser.add_argument(
        "--methods", default=",".join(WAYS), metavar="LIST", help="names, with commas (default: %(default)s)"
    )
    parser.add_argument("--judge", default="", metavar="J", help="who judges answers beside rules: KIND or KIND@ENGINE")
    parser.add_argument("--only", default="", metavar="ID", help="only the case with this id")
    parser.add_argument("--limit", type=int, default=1, metavar="N", help="at most N cases (default: 1)")
    parser.add_argument("--questions", type=int, metavar="K", help="at most K questions of each category about a case")
    parser.add_argument(
        "--budgets", action="store_true", help="also figures by depth and breadth of the search, and how much it took"
    )


def run(options: Mapping[str, Any]) -> Report:
    """Return the measured rows: name the method and the backbone with a slash between, or the backbone that was written."""
    plan = ChainingPlan(
        backbones=tuple(names_of(options, "backbones", such_as="bm25")),
        methods=tuple(names_of(options, "methods", such_as="goal_mem")),
        benchmark=options["benchmark"],
        engine=options["engine"],
        only=options["only"],
        limit=most_of(options),
        questions=most_of(options, "questions"),
    )
    engine = bootstrap.engine(plan.engine)
    judge_admit(options["judge"])
    judge = make_judge(options["judge"], plan.engine) if options["judge"] else None
    result = chaining_evaluate(
        path=options["data"],
        plan=plan,
        make_backbone=lambda name: make_backbone(name, backbone_parts(engine)),
        quiet=options["verbosity"] == 0,
    )
    if judge is not None:
        result = answers_judge(result, judge)
    items_write(map(asdict, result.reasoned), options["items"])
    config = asdict(plan) | {"engine": plan.engine or settings.DSMART_ENGINE}
    if judge is not None:
        config |= {"judge": judge.name, "judged_by": judge.digest}
    more = budget_rows(result.reasoned) if options["budgets"] else ()
    return reported("chaining", [*result.rows(plan), *more], data=[options["data"]], config=config)

"""`evaluate consistency`: CS and DER (D-SMART, Equations 4 and 5) of the replies of recorded dialogues."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from evaluation.core.consistency_rows import ReplyOutcome
from evaluation.core.report import Report
from evaluation.core.turn_consistency.turns import STRATEGIES
from evaluation.core.turn_consistency.types import NotScored
from evaluation.quality.options import items_write, most_of, reported, usual_options
from evaluation.services.consistency import consistency_measure

HELP = "consistency (CS) and entailment rate (DER) of the replies of a dialogue file, labelled contradictions found"


def add_arguments(parser: ArgumentParser) -> None:
    usual_options(parser, data="a dialogue file", format=True, case="case", items="every reply's outcome")
    parser.add_argument(
        "--strategy",
        choices=list(STRATEGIES),
        default="",
        help="how the history is read (default: DSMART_SCORE_STRATEGY)",
    )
    parser.add_argument(
        "--model", default="", metavar="M", help="built-in, or a path or hub id (default: DSMART_ENTAILMENT)"
    )


def run(options: Mapping[str, Any]) -> Report:
    """Return the measured rows: name the strategy, group the position in the dialogue or the category."""
    limit = most_of(options)
    result = consistency_measure(
        path=options["data"],
        strategy=options["strategy"],
        model=options["model"],
        format=options["format"],
        only=options["only"],
        limit=limit,
        quiet=options["verbosity"] == 0,
    )
    items_write(map(item, result.replies), options["items"])
    config = {
        "strategy": result.strategy,
        "model": result.model,
        "format": options["format"],
        "only": options["only"],
        "limit": limit,
    }
    return reported("consistency", result.rows(), data=[options["data"]], config=config)


def item(reply: ReplyOutcome) -> dict[str, object]:
    """Return a reply's outcome as JSON; the words that decided are named by turn and range."""
    place = {"case": reply.case, "category": reply.category, "session": reply.session, "position": reply.position}
    outcome = reply.outcome
    if isinstance(outcome, NotScored):
        return {**place, "cs": None, "reason": outcome.reason, "why": outcome.why}
    decided = {
        name: [at.turn, at.span.start, at.span.end]
        for name, at in (("premise", outcome.premise_at), ("hypothesis", outcome.hypothesis_at))
        if at is not None
    }
    verdict = outcome.verdict
    probabilities = [verdict.entailment, verdict.neutral, verdict.contradiction]
    return {**place, "cs": outcome.consistency, "label": outcome.label, "probabilities": probabilities, **decided}

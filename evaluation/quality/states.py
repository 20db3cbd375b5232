"""`evaluate states`: how well the semantic state of a task is kept over histories with checks."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings

from evaluation.adapters.identity import identity
from evaluation.core.report import Report
from evaluation.quality.options import items_write, most_of
from evaluation.services.states import KeptHistory, state_rows, states_evaluate
from memory import bootstrap
from memory.bootstrap.roles import EXTRACT_EVIDENCE

HELP = "checks of the semantic state (facts, unknowns, assumptions, constraints, plan) after turns of a task"


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--data", type=Path, required=True, metavar="FILE", help="JSONL of id, category, turns and checks"
    )
    parser.add_argument("--engine", default="", metavar="E", help="(default: the built-in one)")
    parser.add_argument("--limit", type=int, metavar="N", help="at most the first N histories")
    parser.add_argument("--items", type=Path, metavar="OUT", help="write what failed of each history, one JSON a line")


def run(options: Mapping[str, Any]) -> Report:
    """Return the measured rows: name the responder that keeps the state, group the category."""
    path, limit = options["data"], most_of(options)
    kept = states_evaluate(
        path=path,
        extractor=bootstrap.engine(options["engine"]).player(EXTRACT_EVIDENCE),
        limit=limit,
        quiet=options["verbosity"] == 0,
    )
    items_write(map(item, kept), options["items"])
    config = {"limit": limit, "engine": options["engine"]}
    return Report(
        "evaluate states", identity(code_folder=settings.BASE_DIR, data=[path], config=config), state_rows(kept)
    )


def item(kept: KeptHistory) -> dict[str, object]:
    """Return a history's outcome as JSON: what failed of each check, and the elements that counted at its end."""
    current = [one for one in kept.last.elements.values() if one.is_current]
    return {
        "id": kept.history.id,
        "category": kept.history.category,
        "failed": [list(failed) for failed in kept.failed],
        "state": [[one.kind.value, one.description] for one in current],
    }

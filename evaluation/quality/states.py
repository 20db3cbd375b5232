"""`evaluate states`: how well the semantic state of a task is kept over histories with checks."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from evaluation.core.report import Report
from evaluation.quality.options import items_write, most_of, reported, usual_options
from evaluation.services.states import KeptHistory, state_rows, states_evaluate
from memory import bootstrap
from memory.bootstrap.roles import EXTRACT_EVIDENCE

HELP = "checks of the semantic state (facts, unknowns, assumptions, constraints, plan) after turns of a task"


def add_arguments(parser: ArgumentParser) -> None:
    usual_options(
        parser,
        data="JSONL of id, category, turns and checks",
        engine="(default: the built-in one)",
        limit="histories",
        items="what failed of each history",
    )


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
    return reported("states", state_rows(kept), data=[path], config=config)


def item(kept: KeptHistory) -> dict[str, object]:
    """Return a history's outcome as JSON: what failed of each check, and the elements that counted at its end."""
    current = [one for one in kept.last.elements.values() if one.is_current]
    return {
        "id": kept.history.id,
        "category": kept.history.category,
        "failed": [list(failed) for failed in kept.failed],
        "state": [[one.kind.value, one.description] for one in current],
    }

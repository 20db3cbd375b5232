"""`evaluate reformulation`: how well utterances that lean on what was said before are said in full."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from evaluation.benchmarks.reformulations import read_reformulations
from evaluation.core.errors import EvaluationError
from evaluation.core.proposition_match import is_exact
from evaluation.core.report import Report
from evaluation.quality.options import items_write, most_of, reported, usual_options
from evaluation.services.reformulation import Reformulated, all_in_full, reformulation_rows
from memory import bootstrap
from memory.bootstrap.roles import RESOLVE_REFERENCES

HELP = "utterances with pronouns and omissions, said in full by the built-in engine"


def add_arguments(parser: ArgumentParser) -> None:
    usual_options(
        parser, data="JSONL of history, utterance and rewrites", limit="utterances", items="what was made of each"
    )


def run(options: Mapping[str, Any]) -> Report:
    """Return the measured rows: `built-in`, and `copy`, which leaves utterances as they are."""
    path, limit = options["data"], most_of(options)
    reader = bootstrap.engine(bootstrap.BUILTIN).player(RESOLVE_REFERENCES)
    if reader is None:
        raise EvaluationError("There is no reference reader: DSMART_REFERENCE_READER names no folder of one.")
    wanted = list(read_reformulations(path))[:limit]
    made = all_in_full([case.said for case in wanted], reader)
    cases = [Reformulated(case.said, case.rewrites, text) for case, text in zip(wanted, made, strict=True)]
    items_write(map(item, cases), options["items"])
    return reported(
        "reformulation", reformulation_rows(cases), data=[path], config={"limit": limit, "reader": reader.name}
    )


def item(case: Reformulated) -> dict[str, object]:
    return {
        "history": list(case.said.before),
        "utterance": case.said.text,
        "made": case.made,
        "rewrites": list(case.rewrites),
        "exact": is_exact(case.made, case.rewrites),
    }

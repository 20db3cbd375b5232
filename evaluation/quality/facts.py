"""`evaluate facts`: how facts of replies are verified, against people's labels."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings

from evaluation.adapters.identity import identity
from evaluation.benchmarks.finedialfact import read_labelled_facts
from evaluation.core.report import Report
from evaluation.quality.options import items_write, most_of
from evaluation.services.facts import VerifiedFact, fact_rows, facts_evaluate
from memory import bootstrap
from memory.bootstrap.roles import VERIFY_FACTS

HELP = "facts of replies verified by passages and dialogue, against people's labels; Dialogue Fact Score and NEIP"
BUILT_IN = "built-in"


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, required=True, metavar="FILE", help="labelled facts (FineDialFact)")
    parser.add_argument("--engine", default=bootstrap.BUILTIN, metavar="E", help="(default: the built-in engine)")
    parser.add_argument("--limit", type=int, metavar="N", help="at most the first N facts")
    parser.add_argument("--items", type=Path, metavar="OUT", help="write the verdict on each, one JSON a line")


def run(options: Mapping[str, Any]) -> Report:
    """Return the measured rows; those of `retrieved` are by passages that were found among those of all the facts."""
    path, limit = options["data"], most_of(options)
    engine = bootstrap.engine(options["engine"])
    verifier = engine.player(VERIFY_FACTS)
    facts = list(read_labelled_facts(path))[:limit]
    verified = facts_evaluate(facts, verifier, quiet=options["verbosity"] == 0)
    items_write(map(item, verified), options["items"])
    name = BUILT_IN if engine.name == bootstrap.BUILTIN else engine.name
    config = {"limit": limit, "engine": engine.name, "verifier": verifier.name}
    made_with = identity(code_folder=settings.BASE_DIR, data=[path], config=config)
    return Report("evaluate facts", made_with, fact_rows(name, verified))


def item(one: VerifiedFact) -> dict[str, object]:
    ground = one.verdict.ground
    return {
        "fact": one.labelled.fact,
        "evidence": one.group or "given",
        "people": one.labelled.status.value,
        "verdict": one.verdict.status.value,
        "probability": one.verdict.probability,
        "source": None if ground is None else f"{ground.title or ground.speaker}: {ground.text}",
    }

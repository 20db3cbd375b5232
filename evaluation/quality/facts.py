"""`evaluate facts`: how facts of replies are verified, against people's labels."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from evaluation.benchmarks.finedialfact import read_labelled_facts
from evaluation.core.report import Report
from evaluation.quality.options import items_write, most_of, reported, usual_options
from evaluation.services.facts import VerifiedFact, fact_rows, facts_evaluate
from memory import bootstrap
from memory.bootstrap.roles import VERIFY_FACTS

HELP = "facts of replies verified by passages and dialogue, against people's labels; Dialogue Fact Score and NEIP"
BUILT_IN = "built-in"


def add_arguments(parser: ArgumentParser) -> None:
    usual_options(parser, data="labelled facts (FineDialFact)", limit="facts", items="the verdict on each")
    parser.add_argument("--engine", default=bootstrap.BUILTIN, metavar="E", help="(default: the built-in engine)")


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
    return reported("facts", fact_rows(name, verified), data=[path], config=config)


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

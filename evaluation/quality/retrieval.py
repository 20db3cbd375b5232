"""`evaluate retrieval`: how much of the evidence of a benchmark's questions retrievers find, by recall and rank."""

from __future__ import annotations

import argparse
from argparse import ArgumentParser
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from evaluation.benchmarks.catalogue import AUTO, detect_format
from evaluation.core.errors import EvaluationError
from evaluation.core.report import Report
from evaluation.quality.options import most_of, reported, usual_options
from evaluation.services.retrieval import ABLATIONS, RetrievalPlan, preset_of, reads_digests, retrieval_evaluate
from memory import bootstrap
from memory.core.sentence_graph.config import PRESETS, SgmemConfig

HELP = "recall of the evidence of a benchmark's questions by retrievers, with intervals and a paired comparison"

BENCHMARKS = ("locomo", "longmemeval", "beam")
DEFAULT_RETRIEVERS = "s,t,bm25_s,bm25_t,sgmem_s,sgmem_s_max,sgmem_t,fused"
DEFAULT_CUTS = "5,10"
LARGEST_CUT = 1_000
# Options by name: the field of `SgmemConfig`, its type, and the paper's letter with what it is.
HYPERPARAMETERS: dict[str, tuple[str, Callable[[str], float], str]] = {
    "hops": ("hops", int, "h, hops in the graph"),
    "neighbours": ("neighbours", int, "k, neighbours of a sentence"),
    "sentences": ("max_sentences", int, "n, sentences found at first"),
    "similarity": ("min_similarity", float, "gamma, the least similarity from 0 to 2"),
}


def add_arguments(parser: ArgumentParser) -> None:
    usual_options(parser, engine="what writes digests (default: DSMART_ENGINE)", case="case")
    parser.add_argument(
        "--benchmark", choices=[AUTO, *BENCHMARKS], default=AUTO, help="the file's format (default: told by the file)"
    )
    parser.add_argument(
        "--retrievers",
        type=names,
        default=DEFAULT_RETRIEVERS,
        metavar="LIST",
        help="names, with commas; the others are compared with the first (default: %(default)s)",
    )
    parser.add_argument("--ablation", action="store_true", help="also fused without each of its parts")
    parser.add_argument(
        "--k", type=cuts, default=DEFAULT_CUTS, metavar="LIST", help="cut-offs, with commas (default: %(default)s)"
    )
    parser.add_argument(
        "--preset", choices=[AUTO, *PRESETS], default=AUTO, help="SGMem's hyperparameters (default: the benchmark's)"
    )
    for name, (field, parse, meaning) in HYPERPARAMETERS.items():
        parser.add_argument(
            f"--{name}", dest=field, type=parse, metavar="N", help=f"SGMem's {meaning} (default: the preset's)"
        )
    parser.add_argument("--no-digests", action="store_true", help="write none: recipes with digests have no figures")
    parser.add_argument("--questions", type=int, metavar="N", help="at most N questions of each category of a case")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the intervals' draws (default: 0)")
    parser.add_argument(
        "--vectors", type=Path, metavar="FILE", help="keep the vectors of the cases here, for another run over the same"
    )


def sgmem_config(preset: SgmemConfig, options: Mapping[str, Any]) -> SgmemConfig:
    """Return a preset with the hyperparameters that are given. Raises `EvaluationError` for one out of its range."""
    given = {field: options[field] for field, _, _ in HYPERPARAMETERS.values() if options[field] is not None}
    try:
        return replace(preset, **given)
    except ValueError as error:
        raise EvaluationError(str(error)) from error


def names(text: str) -> tuple[str, ...]:
    found = tuple(name.strip() for name in text.split(",") if name.strip())
    if not found:
        raise argparse.ArgumentTypeError("names a retriever at least, such as fused")
    return found


def cuts(text: str) -> tuple[int, ...]:
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not parts or not all(part.isdecimal() and 1 <= int(part) <= LARGEST_CUT for part in parts):
        raise argparse.ArgumentTypeError(f"takes whole numbers from 1 to {LARGEST_CUT}, with commas, not {text!r}")
    return tuple(sorted({int(part) for part in parts}))


def run(options: Mapping[str, Any]) -> Report:
    """Return the measured rows: name the retriever, metric the figure with its cut-off, group the category."""
    limit, questions = most_of(options), most_of(options, "questions")
    retrievers = options["retrievers"]
    if options["ablation"]:
        retrievers = (*retrievers, *(name for name in ABLATIONS if name not in retrievers))
    benchmark = detect_format(options["data"]) if options["benchmark"] == AUTO else options["benchmark"]
    writers = None
    if not options["no_digests"] and any(reads_digests(name) for name in retrievers):
        writers = bootstrap.digest_writers(bootstrap.engine(options["engine"]))
    config = sgmem_config(preset_of(options["preset"], benchmark), options)
    plan = RetrievalPlan(retrievers, options["k"], config, writers)
    result = retrieval_evaluate(
        path=options["data"],
        plan=plan,
        format=benchmark,
        only=options["only"],
        limit=limit,
        questions=questions,
        vectors=options["vectors"],
        seed=options["seed"],
        quiet=options["verbosity"] == 0,
    )
    identified = {
        "retrievers": retrievers,
        "benchmark": benchmark,
        "preset": asdict(config),
        "k": options["k"],
        "digests": writers.name if writers else "",
        "only": options["only"],
        "limit": limit,
        "questions": questions,
        "embedder": bootstrap.embedder().name,
    }
    data = [options["data"]]
    return reported("retrieval", result.rows(), data=data, config=identified, seed=options["seed"])

"""`evaluate generation`: replies written from a knowledge graph, by each way of using it (DRG, Tables 2 and 3)."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evaluation.benchmarks.opendialkg import read_grounded_turns
from evaluation.core.errors import EvaluationError
from evaluation.core.report import Report
from evaluation.quality.options import items_write, most_of, names_of, reported, usual_options
from evaluation.services.generation import GeneratedReply, generation_evaluate, generation_rows
from evaluation.services.grounded_prompts import WAYS, WayToGround
from memory import bootstrap
from memory.adapters.knowledge_files.opendialkg import read_knowledge
from memory.adapters.language_models.perplexity import CausalPerplexity
from memory.core.grounded_generation.knowledge import KnowledgeIndex

HELP = "replies written from a knowledge graph: Dialogue Fact Score, NEIP, BLEU-4, ROUGE-L, F1, perplexity"


def add_arguments(parser: ArgumentParser) -> None:
    usual_options(parser, data="OpenDialKG's turns (val.csv)", limit="turns", items="every reply")
    parser.add_argument(
        "--triples", type=Path, metavar="FILE", help="the knowledge base (valid2id.txt, names beside it), if any"
    )
    parser.add_argument("--engine", required=True, metavar="E", help="an engine with a language model")
    parser.add_argument(
        "--judge",
        metavar="E",
        help="the engine that says dialogues in full, selects triples, splits and verifies facts (default: that of --engine)",
    )
    parser.add_argument(
        "--ways",
        metavar="LIST",
        help=f"among {','.join(WAYS)} (default: all that the engine can play; graphs are read by graph:PATH alone)",
    )
    parser.add_argument("--perplexity", metavar="PATH", help="a causal language model that reads the replies")


def run(options: Mapping[str, Any]) -> Report:
    """Return the measured rows, by way. The triples that replies were written from are in the graph, too."""
    data, triples, limit = options["data"], options["triples"], most_of(options)
    bootstrap.engine_admit(options["judge"] or "")
    engine, judge = map(bootstrap.engine, (options["engine"], options["judge"] or options["engine"]))
    ways = ways_of(options, engine.name)
    turns = list(read_grounded_turns(data))[:limit]
    known = [] if triples is None else read_knowledge(triples)
    index = KnowledgeIndex([*known, *(triple for turn in turns for triple in turn.gold)])
    reader = CausalPerplexity(options["perplexity"]) if options["perplexity"] else None
    replies = generation_evaluate(turns, index, ways, engine, judge=judge, quiet=options["verbosity"] == 0)
    items_write(map(item, replies), options["items"])
    rows = generation_rows(replies, perplexities=None if reader is None else reader.of_many)
    config = {
        "limit": limit,
        "engine": engine.name,
        "judge": judge.name,
        "ways": [way.name for way in ways],
        "perplexity": options["perplexity"],
    }
    files = [data] if triples is None else [data, triples]
    return reported("generation", rows, data=files, config=config)


def ways_of(options: Mapping[str, Any], engine: str) -> list[WayToGround]:
    """Return the ways of --ways. Raises `EvaluationError` for one that there is not, or that the engine cannot play."""
    takes_graphs = bootstrap.takes_graphs(engine)
    if options["ways"] is None:
        return [way for way in WAYS.values() if takes_graphs or not way.is_graph]
    names = names_of(options, "ways", such_as="tg_drg_r")
    if unknown := [name for name in names if name not in WAYS]:
        raise EvaluationError(f"There is no way {unknown[0]!r}. Choose among: {', '.join(WAYS)}.")
    ways = [WAYS[name] for name in names]
    if not takes_graphs and (graphs := [way.name for way in ways if way.is_graph]):
        raise EvaluationError(
            f"The way {graphs[0]!r} gives a graph, and the engine {engine!r} reads none. Give --engine graph:PATH, "
            "a model that `manage.py train graph-generator` trained."
        )
    return ways


def item(one: GeneratedReply) -> dict[str, object]:
    return {
        "way": one.way,
        "dialogue": list(one.turn.dialogue),
        "knowledge": [triple.text for triple in one.knowledge],
        "reply": one.text,
        "reference": one.turn.response,
        "facts": [status.value for status in one.statuses],
        "error": one.error,
    }

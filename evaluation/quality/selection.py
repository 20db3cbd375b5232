"""`evaluate selection`: which triples of a knowledge base are selected for a dialogue's next reply."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
from django.conf import settings
from numpy.typing import NDArray

from evaluation.benchmarks.opendialkg import read_grounded_turns
from evaluation.core.report import Report
from evaluation.quality.options import most_of, reported, usual_options
from evaluation.services.selection import selection_evaluate, selection_rows
from memory import bootstrap
from memory.adapters.knowledge_files.opendialkg import read_knowledge
from memory.adapters.learning.triple_selector import is_kept_back
from memory.adapters.readers.encoder import OnnxTripleSelector
from memory.bootstrap.roles import PROMPTED, SELECT_TRIPLES
from memory.core.grounded_generation.knowledge import KnowledgeIndex
from memory.core.grounded_generation.selection import Bm25Scorer, KapingScorer, SelectorScorer, TripleScorer
from memory.core.ports import Embedder

HELP = "the triples that replies were written from, among those of the entities that their dialogues mention"


def add_arguments(parser: ArgumentParser) -> None:
    usual_options(
        parser,
        data="OpenDialKG's turns (val.csv)",
        engine="ask its language model of the nearest triples, too",
        limit="turns",
    )
    parser.add_argument(
        "--triples", type=Path, required=True, metavar="FILE", help="the knowledge base (valid2id.txt, names beside it)"
    )
    parser.add_argument("--selector", type=Path, metavar="DIR", help="(default: DSMART_TRIPLE_SELECTOR)")


def run(options: Mapping[str, Any]) -> Report:
    """Return the measured rows, over the dialogues that `train triple-selector` keeps back.

    With an engine the trained selector may be missing.
    """
    data, triples, limit = options["data"], options["triples"], most_of(options)
    turns = list(read_grounded_turns(data))
    index = KnowledgeIndex([*read_knowledge(triples), *(triple for turn in turns for triple in turn.gold)])
    scored = [turn for turn in turns if is_kept_back(turn.dialogue)][:limit]
    embedder = RememberingEmbedder(bootstrap.embedder())
    scorers: list[TripleScorer] = [Bm25Scorer(), KapingScorer(embedder)]
    engine, config = options["engine"], {"limit": limit, "engine": options["engine"]}
    usual = Path(settings.DSMART_TRIPLE_SELECTOR)
    if options["selector"] or usual.is_dir() or not engine:
        selector = OnnxTripleSelector(options["selector"] or usual)
        scorers.append(SelectorScorer(selector, embedder))
        config["selector"] = selector.name
    if engine:
        asking = cast("SelectorScorer", bootstrap.engine(engine).player(SELECT_TRIPLES, kind=PROMPTED))
        scorers.append(replace(asking, embedder=embedder))
    selected = selection_evaluate(scored, index, scorers, quiet=options["verbosity"] == 0)
    return reported("selection", selection_rows(selected), data=[data, triples], config=config)


class RememberingEmbedder:
    """Implements `Embedder` by another, which is asked for each text once: as a stored knowledge base does."""

    def __init__(self, embedder: Embedder) -> None:
        self.name, self.dimension = embedder.name, embedder.dimension
        self._embedder = embedder
        self._known: dict[str, NDArray[np.float32]] = {}

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        unknown = [text for text in dict.fromkeys(texts) if text not in self._known]
        if unknown:
            self._known |= dict(zip(unknown, self._embedder.embed(unknown), strict=True))
        return np.stack([self._known[text] for text in texts])

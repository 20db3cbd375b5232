"""`train triple-selector`: from dialogues with triples that help them on to a judge of which triples are relevant."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from evaluation.benchmarks.opendialkg import GroundedTurn, read_grounded_turns
from evaluation.core.calibration import fitted_temperature
from evaluation.core.interval_rows import mean_row
from evaluation.core.report import Row
from evaluation.services.selection import MOST_CANDIDATES
from evaluation.services.training.request import BUILT_IN, TrainingRequest, TrainingResult
from evaluation.services.training.running import LEAST_SHARE, parted, reader_exported, time_rows
from memory.adapters.knowledge_files.opendialkg import read_knowledge
from memory.adapters.learning.triple_selector import OTHERS, LabelledSelection, SelectorRecipe, read_selections
from memory.adapters.readers.encoder import OnnxTripleSelector
from memory.core.grounded_generation.knowledge import KnowledgeIndex

HELP = "the selector of the triples that help a dialogue on, from dialogues with such triples"
OPENDIALKG = "opendialkg"
# Of the triples of a dialogue's entities that its reply was not written from, so many are kept to be drawn from.
KEPT_OTHERS = 60
TIMED = 20
SCORED_AT_ONCE = 1_000


def train(request: TrainingRequest) -> TrainingResult:
    """Train, export, fit and measure; the selector is then complete in `request.out`."""
    selections = [*read_selections(request.data), *(of_opendialkg(request.public) if request.public else ())]
    shown, held_out = parted(selections, request, of="dialogues")
    recipe = SelectorRecipe(shown, base=request.base)
    exported = reader_exported(recipe, request, OnnxTripleSelector, temperature=1.0, shift=0.0)
    logits, labels = judged(exported.reading(), held_out)
    shift = float(np.median(logits))
    centred = np.stack([np.zeros_like(logits), logits - shift], axis=1)
    selector = exported.reading(shift=shift, temperature=fitted_temperature(centred, labels))
    rows = [
        row
        for source in dict.fromkeys(("", *(one.source for one in held_out)))
        for row in choosing_rows(selector, [one for one in held_out if source in ("", one.source)], group=source)
    ]
    many = [text for one in held_out for text in (*one.relevant, *one.irrelevant)] * SCORED_AT_ONCE
    scorings = [partial(selector.relevant_many, one.dialogue, many[:SCORED_AT_ONCE]) for one in held_out[:TIMED]]
    return exported.finish(
        rows,
        time_rows(scorings, group=f"{SCORED_AT_ONCE:,} triples"),
        sources=Counter(one.source for one in shown),
        held_out=len(held_out),
        others=OTHERS,
    )


def of_opendialkg(folder: Path) -> Iterator[LabelledSelection]:
    """Yield the turns of OpenDialKG of which a gold triple is a candidate, with some of the other candidates."""
    turns = list(read_grounded_turns(folder / "val.csv"))
    index = KnowledgeIndex([*read_knowledge(folder / "valid2id.txt"), *(one for turn in turns for one in turn.gold)])
    for turn in turns:
        texts = [triple.text.casefold() for triple in index.candidates(turn.dialogue, limit=MOST_CANDIDATES)]
        yield from _selection(turn, dict.fromkeys(texts))


def _selection(turn: GroundedTurn, texts: dict[str, None]) -> Iterator[LabelledSelection]:
    gold = {triple.text.casefold() for triple in turn.gold}
    relevant, others = [text for text in texts if text in gold], [text for text in texts if text not in gold]
    if relevant and others:
        drawn = random.Random(turn.line).sample(others, min(KEPT_OTHERS, len(others)))
        yield LabelledSelection(turn.dialogue, tuple(relevant), tuple(drawn), OPENDIALKG)


def judged(selector: OnnxTripleSelector, selections: Sequence[LabelledSelection]) -> tuple[np.ndarray, list[int]]:
    """Return the logits of all triples of dialogues, and 1 for each that is relevant."""
    found = [
        (selector.relevant_many(one.dialogue, texts), label)
        for one in selections
        for texts, label in ((one.relevant, 1), (one.irrelevant, 0))
    ]
    shares = np.clip(np.concatenate([shares for shares, _ in found]), LEAST_SHARE, 1 - LEAST_SHARE)
    return np.log(shares / (1 - shares)), [label for shares, label in found for _ in shares]


def choosing_rows(selector: OnnxTripleSelector, selections: Sequence[LabelledSelection], *, group: str) -> list[Row]:
    """Return how often a relevant triple stands first among the triples of its dialogue, and its mean reciprocal rank."""
    firsts, ranks = {}, {}
    for place, one in enumerate(selections):
        scores = selector.relevant_many(one.dialogue, [*one.relevant, *one.irrelevant])
        best = 1 + int((scores > scores[: len(one.relevant)].max()).sum())
        firsts[str(place)], ranks[str(place)] = [float(best == 1)], [1 / best]
    return [mean_row(BUILT_IN, "first", firsts, group=group), mean_row(BUILT_IN, "mrr", ranks, group=group)]

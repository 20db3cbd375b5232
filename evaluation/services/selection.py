"""Measuring which triples are selected for dialogues whose next reply was written from known ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from evaluation.adapters.progress import progress_bar
from evaluation.benchmarks.opendialkg import GroundedTurn
from evaluation.core.interval_rows import mean_row
from evaluation.core.report import Row
from memory.core.errors import LanguageModelError
from memory.core.grounded_generation.knowledge import KnowledgeIndex, KnowledgeTriple, name_key
from memory.core.grounded_generation.selection import TripleScorer, select

CUTS = (5, 10)
# More triples of the entities that a dialogue names are not looked at.
MOST_CANDIDATES = 50_000
FIGURES = (*(f"recall@{cut}" for cut in CUTS), "mrr")


@dataclass(frozen=True)
class Selected:
    """The ranks, from 1 on, of the gold triples of a turn by one scorer; None of those that were no candidates.

    All are None where the scorer failed, with the error.
    """

    scorer: str
    dialogue: str
    ranks: tuple[int | None, ...]
    candidates: int
    error: str = ""

    def figures(self) -> dict[str, float]:
        """Return recall at each cut, and the reciprocal rank of the first gold triple."""
        found = [rank for rank in self.ranks if rank is not None]
        recalls = {f"recall@{cut}": sum(rank <= cut for rank in found) / len(self.ranks) for cut in CUTS}
        return {**recalls, "mrr": 1 / min(found) if found else 0.0}


def selection_evaluate(
    turns: Sequence[GroundedTurn], index: KnowledgeIndex, scorers: Sequence[TripleScorer], *, quiet: bool = False
) -> list[Selected]:
    """Return where each scorer ranks the gold triples of each turn among those of the entities mentioned so far."""
    selected = []
    with progress_bar(len(turns), title="selection", unit="turns", hidden=quiet) as bar:
        for turn in turns:
            candidates = index.candidates(turn.dialogue, limit=MOST_CANDIDATES)
            for scorer in scorers:
                ranked, error = [], ""
                try:
                    ranked = select(scorer, turn.dialogue, candidates, limit=len(candidates))
                except LanguageModelError as failure:
                    error = str(failure)
                ranks = ranks_of(turn, ranked)
                selected.append(Selected(scorer.name, turn.dialogue[0], ranks, len(candidates), error))
            bar.update(1)
    return selected


def ranks_of(turn: GroundedTurn, ranked: Sequence[KnowledgeTriple]) -> tuple[int | None, ...]:
    """Return the ranks of the gold triples of a turn; triples are the same whatever the case and the marks of their names."""
    places: dict[tuple[str, ...], int] = {}
    for place, triple in enumerate(ranked, start=1):
        places.setdefault(_same(triple), place)
    return tuple(places.get(_same(triple)) for triple in turn.gold)


def _same(triple: KnowledgeTriple) -> tuple[str, ...]:
    return tuple(name_key(part) for part in (triple.subject, triple.relation, triple.object))


def selection_rows(selected: Sequence[Selected]) -> list[Row]:
    """Return the rows by scorer, and how much each is above the one before it; dialogues are drawn whole.

    A turn that a scorer failed counts as one whose triples were not found, and is counted.
    """
    names = list(dict.fromkeys(one.scorer for one in selected))
    by_name = {name: [one for one in selected if one.scorer == name] for name in names}
    figures = {name: [one.figures() for one in found] for name, found in by_name.items()}
    dialogues = [one.dialogue for one in by_name[names[0]]]
    rows = [
        mean_row(name, metric, _clustered(dialogues, [one[metric] for one in figures[name]]))
        for name in names
        for metric in FIGURES
    ]
    for before, name in pairwise(names):
        for metric in FIGURES:
            gains = [now[metric] - then[metric] for now, then in zip(figures[name], figures[before], strict=True)]
            rows.append(mean_row(name, metric, _clustered(dialogues, gains), group=f"above {before}"))
    for name, found in by_name.items():
        if errors := [one.error for one in found if one.error]:
            rows.append(Row(name, "failed", len(errors), unit="turns", n=len(found), why=errors[0]))
    least = [float(any(rank is not None for rank in one.ranks)) for one in by_name[names[0]]]
    return [*rows, mean_row("candidates", "reachable", _clustered(dialogues, least))]


def _clustered(dialogues: Sequence[str], values: Sequence[float]) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for dialogue, value in zip(dialogues, values, strict=True):
        found.setdefault(dialogue, []).append(value)
    return found

"""Measuring how complex the dialogues of a file are, and choosing the refined subset of them (D-SMART, Table 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluation.adapters.progress import progress_bar
from evaluation.benchmarks.catalogue import AUTO, only_cases, read_cases
from evaluation.core.complexity.measures import RefinementConfig, Turn, complexity, complexity_rows, refined_subset
from evaluation.core.report import Row
from evaluation.core.types import Case, group_rounds
from evaluation.services.generation import entities_of

ORIGINAL, REFINED = "original", "refined"
UNSCORED = "stage 1 needs the scores of the model alone: no judged run is named (--run)"
AT_ONCE = 64


@dataclass(frozen=True)
class ComplexityResult:
    """All dialogues by id as turns, and the ids of the refined ones, the most complex first."""

    dialogues: Mapping[str, Sequence[Turn]]
    refined: tuple[str, ...]
    is_scored: bool

    def rows(self) -> list[Row]:
        chosen = {key: self.dialogues[key] for key in self.refined}
        rows = [*complexity_rows(ORIGINAL, self.dialogues), *complexity_rows(REFINED, chosen)]
        return rows if self.is_scored else [*rows, Row(REFINED, "moderate", None, unit="dialogues", why=UNSCORED)]


def complexity_measure(
    *,
    path: Path,
    scores: Mapping[str, float] | None,
    config: RefinementConfig,
    format: str = AUTO,
    limit: int | None = None,
    quiet: bool = False,
) -> ComplexityResult:
    """Return the dialogues of a file as turns with what they name, and the refined ones; `scores` are by a dialogue's id."""
    cases = [case for case in only_cases(read_cases(path, format=format), limit=limit) if case.turn_count]
    said = [(case.id, text) for case in cases for text in rounds_of(case)]
    dialogues: dict[str, list[Turn]] = {case.id: [] for case in cases}
    with progress_bar(len(said), title=path.stem, unit="turns", hidden=quiet) as bar:
        for start in range(0, len(said), AT_ONCE):
            some = said[start : start + AT_ONCE]
            for (key, text), named in zip(some, entities_of([text for _, text in some]), strict=True):
                dialogues[key].append(Turn(text, frozenset(named)))
            bar.update(len(some))
    measured = {key: complexity(dialogue) for key, dialogue in dialogues.items()}
    return ComplexityResult(dialogues, tuple(refined_subset(measured, scores, config=config)), scores is not None)


def rounds_of(case: Case) -> list[str]:
    """Return the rounds of a case, each as the words of its turns."""
    return [
        "\n".join(turn.text for turn in turns) for session in case.sessions for turns in group_rounds(session.turns)
    ]

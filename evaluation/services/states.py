"""Measuring how the built-in engine keeps the state of a task, over histories with checks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluation.adapters.progress import progress_bar
from evaluation.benchmarks.reading import SPEAKERS, TURN_PAUSE, UNDATED
from evaluation.benchmarks.states import StateHistory, read_histories
from evaluation.core.interval_rows import grouped, ratio_row
from evaluation.core.message_match import Match, figure_rows
from evaluation.core.report import Row
from evaluation.core.state_match import Objections, admissibility_rows, failings, state_match
from memory.core.semantic_state.admissibility import admissibility
from memory.core.semantic_state.elements import EMPTY_STATE, SemanticState
from memory.core.semantic_state.evidence import EvidenceExtractor, StateTurn
from memory.core.semantic_state.revision import revise
from memory.core.types import Role, Utterance

NAME = "slsm"


@dataclass(frozen=True)
class KeptHistory:
    """A history as it was kept: what failed of each check, its last state beside the wanted one, and what stood against
    going on in each state.
    """

    history: StateHistory
    failed: tuple[tuple[str, ...], ...]
    last: SemanticState
    objections: tuple[Objections, ...] = ()

    @property
    def is_right(self) -> bool:
        return not any(self.failed)

    @property
    def elements(self) -> Match | None:
        """Return how the last state meets the whole wanted one, None where that is not given."""
        if self.history.state is None:
            return None
        current = [element for element in self.last.elements.values() if element.is_current]
        return state_match(self.history.state, current)


def states_evaluate(
    *, path: Path, extractor: EvidenceExtractor, limit: int | None = None, quiet: bool = False
) -> list[KeptHistory]:
    """Return the histories of a file, at most `limit` of them, each kept from an empty state on."""
    histories = list(read_histories(path))[:limit]
    with progress_bar(len(histories), title=path.stem, unit="histories", hidden=quiet) as bar:
        kept = []
        for history in histories:
            kept.append(history_kept(history, extractor=extractor))
            bar.update(1)
    return kept


def history_kept(history: StateHistory, *, extractor: EvidenceExtractor) -> KeptHistory:
    state, before = EMPTY_STATE, list[Utterance]()
    states: dict[int, SemanticState] = {}
    for place, (role, text) in enumerate(history.turns):
        said = Utterance(SPEAKERS[role], role, text, UNDATED + place * TURN_PAUSE)
        if role is Role.USER:
            evidence = extractor.extract(StateTurn(state, said, tuple(before)))
            state = revise(state, evidence, turn=state.turn + 1)
            states[place] = state
        before.append(said)
    failed = tuple(failings(check, states[check.after]) for check in history.checks)
    objections = tuple(frozenset(one.condition for one in admissibility(kept)) for kept in states.values())
    return KeptHistory(history, failed, state, objections)


def state_rows(kept: Sequence[KeptHistory]) -> list[Row]:
    """Return the share of checks that hold, of histories wholly right and of admissible states, and F1 of elements."""
    rows: list[Row] = []
    categories = grouped(kept, lambda one: one.history.category)
    for group, inside in {"": list(kept), **categories}.items():
        checks = {one.history.id: [not failed for failed in one.failed] for one in inside}
        rows.append(ratio_row(NAME, "checks", checks, group=group, none="there are no checks"))
        rows.append(
            ratio_row(NAME, "histories", {one.history.id: [one.is_right] for one in inside}, group=group, none="none")
        )
        rows += admissibility_rows(NAME, {one.history.id: one.objections for one in inside}, group=group)
        matches = {place: match for place, one in enumerate(inside) if (match := one.elements) is not None}
        if matches:
            rows += figure_rows(NAME, "elements_", matches, group=group)
    return rows

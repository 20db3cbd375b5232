"""Measures what a memory supersedes: each case in a fresh space, its triples compared with the case's expectations."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from evaluation.adapters.progress import progress_bar
from evaluation.benchmarks.catalogue import read_cases
from evaluation.benchmarks.supersessions import expectations
from evaluation.core.report import Row
from evaluation.core.supersessions import (
    NAME,
    Judgement,
    StoredTriple,
    expectation_from_questions,
    judge,
    supersession_rows,
)
from evaluation.core.types import Case
from evaluation.selectors import failed_round_count, failed_round_reason
from evaluation.services.replay import case_replay
from evaluation.services.spaces import temporary_space
from memory import bootstrap
from memory.core.types import Modality, Polarity, Tense
from memory.models import Space, TripleRecord


@dataclass(frozen=True)
class SupersessionsResult:
    """The judgements of all cases, and the number of rounds that failed."""

    judgements: tuple[Judgement, ...]
    rounds_failed: int
    failure: str

    def rows(self) -> list[Row]:
        failed = Row(NAME, "rounds_failed", self.rounds_failed, unit="rounds", why=self.failure)
        return [*supersession_rows(self.judgements), *([failed] if self.rounds_failed else [])]


def supersessions_measure(*, path: Path, engine: str = "", quiet: bool = False) -> SupersessionsResult:
    """Replay each case of the file into a fresh space and judge what was superseded there."""
    cases: list[Case] = list(read_cases(path))
    expected = expectations(path)
    bootstrap.engine_warm(engine)
    judgements: list[Judgement] = []
    rounds_failed = 0
    failure = ""
    with progress_bar(sum(case.turn_count for case in cases), title=path.stem, unit="turns", hidden=quiet) as bar:
        for case in cases:
            with temporary_space(title=case.id) as space:
                case_replay(case=case, space=space, file_stem="case", engine=engine, on_turns=bar.update)
                stored = stored_triples(space)
                rounds_failed += failed_round_count(space)
                failure = failure or failed_round_reason(space)
            wanted = expected[case.id] if expected else expectation_from_questions(case.questions, stored)
            judgements.append(judge(case.id, case.category, wanted, stored))
    return SupersessionsResult(tuple(judgements), rounds_failed, failure)


def stored_triples(space: Space) -> list[StoredTriple]:
    """Return the triples that the space believes or believed, in the order of recording."""
    believed = TripleRecord.objects.filter(
        space=space, polarity=Polarity.POSITIVE, modality=Modality.ASSERTED, is_any=False
    )
    return [
        StoredTriple(str(subject), predicate, value, superseded_at is not None, tense == Tense.PAST)
        for subject, predicate, value, superseded_at, tense in believed.order_by("id").values_list(
            "subject_id", "predicate", "value", "superseded_at", "tense"
        )
    ]

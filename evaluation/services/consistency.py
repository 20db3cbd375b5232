"""Measures CS and DER of the replies of recorded dialogues. Nothing is stored."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from evaluation import bootstrap
from evaluation.adapters.progress import progress_bar
from evaluation.benchmarks import ci_tod
from evaluation.benchmarks.catalogue import AUTO, detect_format, only_cases, read_cases
from evaluation.core.consistency_rows import JudgedCase, ReplyOutcome, consistency_rows, contradiction_rows
from evaluation.core.errors import EvaluationError
from evaluation.core.report import Row
from evaluation.core.turn_consistency.turns import replies_in, score_turn
from evaluation.core.turn_consistency.types import NotScored, ScoredTurn, SpokenTurn, Strategy
from evaluation.core.types import Case
from evaluation.services.spoken import SpokenVectors
from memory import bootstrap as memory_bootstrap
from memory.core.ports import EntailmentModel
from memory.core.types import EntailmentLabel, EntailmentVerdict, Role


class CountingModel:
    """An `EntailmentModel` that counts the pairs it is asked about."""

    def __init__(self, model: EntailmentModel) -> None:
        self.model = model
        self.name = model.name
        self.pairs = 0

    def predict_many(self, pairs: Sequence[tuple[str, str]]) -> list[EntailmentVerdict]:
        self.pairs += len(pairs)
        return self.model.predict_many(pairs)


@dataclass(frozen=True)
class ConsistencyResult:
    """The outcome of every reply, and the labelled cases where the file has labels."""

    strategy: str
    model: str
    replies: tuple[ReplyOutcome, ...]
    judged: tuple[JudgedCase, ...]
    pairs: int
    seconds: float

    def rows(self) -> list[Row]:
        name, count = self.strategy, len(self.replies)
        scored = sum(isinstance(one.outcome, ScoredTurn) for one in self.replies)
        return [
            *(contradiction_rows(name, self.judged) if self.judged else ()),
            *consistency_rows(name, self.replies),
            Row(
                name,
                "pairs_a_turn",
                self.pairs / scored if scored else None,
                n=scored,
                why="" if scored else "no turn was scored",
            ),
            Row(name, "seconds", self.seconds, unit="s", n=count),
            Row(name, "seconds_20_turns", 20 * self.seconds / count, unit="s", n=count),
        ]


def consistency_measure(
    *,
    path: Path,
    strategy: str = "",
    model: str = "",
    format: str = AUTO,
    only: str = "",
    limit: int | None = None,
    quiet: bool = False,
) -> ConsistencyResult:
    """Score every reply of the file's dialogues. Raises `EvaluationError` where there is no model or no reply."""
    reading = bootstrap.strategy(strategy)
    # The file is read whole first: a record that is malformed is found before the long work.
    cases = list(only_cases(read_cases(path, format=format), only=only, limit=limit))
    total = sum(map(reply_count, cases))
    if not total:
        raise EvaluationError(f"{path.name}: no case that was asked for has a turn of an assistant.")
    judge = CountingModel(entailment_model(model))
    judge.predict_many([("The model is ready.", "It is ready.")])
    memory_bootstrap.embedder().embed(["ready"])
    judge.pairs = 0
    began = time.perf_counter()
    replies: list[ReplyOutcome] = []
    with progress_bar(total, title=path.stem, unit="turns", hidden=quiet) as bar:
        for case in cases:
            for reply in case_scored(case, strategy=reading, model=judge):
                replies.append(reply)
                bar.update(1)
    seconds = time.perf_counter() - began
    judged = labelled_cases(path, format, replies)
    return ConsistencyResult(reading.name, judge.name, tuple(replies), tuple(judged), judge.pairs, seconds)


def entailment_model(name: str) -> EntailmentModel:
    """Return a model by name, or the configured one for "". Raises `EvaluationError` where there is none."""
    if name:
        return memory_bootstrap.make_entailment_model(name)
    configured = memory_bootstrap.entailment_model()
    if configured is None:
        raise EvaluationError(memory_bootstrap.entailment_absence())
    return configured


def reply_count(case: Case) -> int:
    return sum(turn.role is Role.ASSISTANT for session in case.sessions for turn in session.turns)


def case_scored(case: Case, *, strategy: Strategy, model: EntailmentModel) -> Iterator[ReplyOutcome]:
    """Yield the outcome of each reply of a case; each session is a dialogue of its own."""
    for session in case.sessions:
        scored = dialogue_scored(spoken(session.turns), strategy=strategy, model=model)
        for position, (reply, outcome) in enumerate(scored, start=1):
            yield ReplyOutcome(case.id, case.category, session.key, position, reply, outcome)


def dialogue_scored(
    dialogue: Sequence[SpokenTurn], *, strategy: Strategy, model: EntailmentModel
) -> Iterator[tuple[SpokenTurn, ScoredTurn | NotScored]]:
    """Yield each reply of a dialogue with its score against what was said before it."""
    vectors = SpokenVectors(dialogue)
    for turn in replies_in(dialogue):
        yield (
            turn.reply,
            score_turn(turn, strategy=strategy, model=model, vectors=vectors, parser=memory_bootstrap.parser()),
        )


class Said(Protocol):
    """A turn of a dialogue, wherever it comes from."""

    @property
    def role(self) -> Role: ...
    @property
    def speaker(self) -> str: ...
    @property
    def text(self) -> str: ...


def spoken(turns: Sequence[Said]) -> list[SpokenTurn]:
    """Return a dialogue's turns with their sentences; turns without words are left out, as in a replay."""
    said = [turn for turn in turns if turn.text.strip()]
    segmented = memory_bootstrap.segmenter().segment_many([turn.text for turn in said])
    return [
        SpokenTurn(place, turn.speaker, turn.role, turn.text, tuple(sentences))
        for place, (turn, sentences) in enumerate(zip(said, segmented, strict=True))
    ]


def labelled_cases(path: Path, format: str, replies: Sequence[ReplyOutcome]) -> list[JudgedCase]:
    """Return the outcome of each case's last reply with people's label; empty for a format without labels."""
    if (detect_format(path) if format == AUTO else format) != ci_tod.NAME:
        return []
    last = {one.case: one.outcome for one in replies}
    expected = ci_tod.history_contradictions(path)
    return [
        JudgedCase(
            case=case,
            expected=expected[case],
            found=outcome.label is EntailmentLabel.CONTRADICTION if isinstance(outcome, ScoredTurn) else False,
            score=outcome.verdict.contradiction if isinstance(outcome, ScoredTurn) else 0.0,
        )
        for case, outcome in last.items()
    ]

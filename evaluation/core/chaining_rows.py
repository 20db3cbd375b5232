"""Rows of ways of reasoning over memories: what they answer, what a question took, and what writing a memory cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from evaluation.core.answer_rows import REFUSED, ScoredAnswer, answer_rows
from evaluation.core.interval_rows import grouped, ratio_row
from evaluation.core.report import Row
from memory.core.tracing import ModelCall, TraceStep

UNITS = {
    "calls": "calls",
    "prompt_tokens": "tokens",
    "completion_tokens": "tokens",
    "seconds": "s",
    "retrievals": "retrievals",
    "units": "units",
    "breadth": "decompositions",
    "depth": "refinements",
    "subgoals": "subgoals",
}
NOT_TOLD = "the server tells no tokens"


@dataclass(frozen=True)
class Reasoned:
    """One question put to one way over one memory: its scored answer, and what it took by metric; None is not known."""

    scored: ScoredAnswer
    took: Mapping[str, float | None] = field(default_factory=dict)


@dataclass(frozen=True)
class Written:
    """What writing a case into a memory took by metric, or why it failed."""

    memory: str
    took: Mapping[str, float | None]
    error: str = ""


def cost_of(steps: Iterable[TraceStep], *, seconds: float) -> dict[str, float | None]:
    """Return the calls of a language model among recorded steps, their tokens, None where one tells none, and the seconds."""
    calls = [step for step in steps if isinstance(step, ModelCall)]
    prompt, completion = ([getattr(call, name) for call in calls] for name in ("prompt_tokens", "completion_tokens"))
    return {
        "calls": len(calls),
        "prompt_tokens": None if None in prompt else sum(prompt),
        "completion_tokens": None if None in completion else sum(completion),
        "seconds": seconds,
    }


def reasoned_rows(reasoned: Sequence[Reasoned]) -> Iterator[Row]:
    """Yield, for each way over each memory, the rows of its answers, then the means of what a question took."""
    yield from answer_rows([one.scored for one in reasoned])
    for name, own in grouped(reasoned, lambda one: one.scored.responder).items():
        yield from refused_rows(name, [one.scored for one in own])
        yield from mean_rows(name, [one.took for one in own])


def refused_rows(name: str, answers: Sequence[ScoredAnswer]) -> Iterator[Row]:
    """Yield how many of all unanswerable questions were refused, where there are any."""
    cases = grouped([answer for answer in answers if REFUSED in answer.figures], lambda answer: answer.case)
    if cases:
        yield ratio_row(
            name, REFUSED, {case: [bool(one.figures[REFUSED]) for one in own] for case, own in cases.items()}
        )


def written_rows(written: Sequence[Written]) -> Iterator[Row]:
    """Yield, for each memory, the means of what writing a case took, and how often it failed."""
    for name, own in grouped(written, lambda one: one.memory).items():
        yield from mean_rows(name, [one.took for one in own], prefix="write_")
        failed = [one for one in own if one.error]
        if failed:
            yield Row(name, "write_failed", len(failed), unit="cases", n=len(own), why=failed[0].error)


def mean_rows(name: str, took: Sequence[Mapping[str, float | None]], *, prefix: str = "") -> Iterator[Row]:
    """Yield the mean of each figure over those that have it; no value where one of them is not known."""
    for metric, unit in UNITS.items():
        values = [one[metric] for one in took if metric in one]
        known = [value for value in values if value is not None]
        if values and len(known) == len(values):
            yield Row(name, f"{prefix}{metric}", fmean(known), unit=unit, n=len(values))
        elif values:
            yield Row(name, f"{prefix}{metric}", None, unit=unit, n=len(values), why=NOT_TOLD)

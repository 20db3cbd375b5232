"""Rows of ways of reasoning over memories: what they answer, what a question took, and what writing a memory cost.

Rows of what the budgets of backward chaining are worth, and of how much of them is taken (GOAL-MEM, Figures 4 and 5).

One run with all of the budget tells every smaller one: an answer counts from the budget on that its search took, and below
it as not known, which scores 0. A search that came to a second decomposition after refining the first might have come to it
sooner with less depth, so that a figure at a small depth is a lower bound.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from evaluation.core.answer_rows import REFUSED, ScoredAnswer, answer_rows
from evaluation.core.interval_rows import grouped, mean_row, ratio_row
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


LEAST = {"depth": 0, "breadth": 1}
TAKEN = ("breadth", "depth", "subgoals")


def budget_rows(reasoned: Sequence[Reasoned]) -> Iterator[Row]:
    """Yield, of each way that searches, the figures by budget and the shares of questions by what they took."""
    for name, own in grouped(reasoned, lambda one: one.scored.responder).items():
        searched = [one for one in own if all(one.took.get(kind) is not None for kind in TAKEN)]
        for kind, least in LEAST.items():
            for most in range(least, max((taken(one, kind) for one in searched), default=-1) + 1):
                yield from figures_within(name, searched, kind, most)
        for kind in TAKEN:
            for count in sorted({taken(one, kind) for one in searched}):
                shares = {
                    case: [taken(one, kind) == count for one in inside]
                    for case, inside in grouped(searched, lambda one: one.scored.case).items()
                }
                yield ratio_row(name, "share", shares, group=f"{kind} {count}")


def taken(one: Reasoned, kind: str) -> int:
    return int(one.took[kind] or 0)


def figures_within(name: str, searched: Sequence[Reasoned], kind: str, most: int) -> Iterator[Row]:
    """Yield the mean of each figure of answers where those that took more count 0."""
    for metric in dict.fromkeys(metric for one in searched for metric in one.scored.figures if metric != REFUSED):
        clusters: dict[str, list[float]] = {}
        for one in searched:
            if metric in one.scored.figures:
                within = taken(one, kind) <= most
                clusters.setdefault(one.scored.case, []).append(one.scored.figures[metric] if within else 0.0)
        yield mean_row(name, metric, clusters, group=f"{kind} up to {most}")

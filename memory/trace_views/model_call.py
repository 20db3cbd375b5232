"""Shows model calls: those of one role together, with their sums."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from memory.core.tracing import CallOutcome, ModelCall
from memory.selectors.tracing import ModelUse, NumberedStep
from memory.trace_views.base import Reading, StepView

OUTCOMES = {
    CallOutcome.ANSWERED: "answered",
    CallOutcome.FAILED: "failed",
    CallOutcome.STOPPED: "stopped",
}


@dataclass(frozen=True)
class Call:
    number: int
    step: ModelCall

    @property
    def outcome(self) -> str:
        failed = f": {self.step.error}" if self.step.error else ""
        return f"{OUTCOMES[self.step.outcome]}{failed}"


@dataclass(frozen=True)
class RoleCalls:
    """All calls in one role, in order. `purpose` is the role in words: "write answer"."""

    role: str
    purpose: str
    calls: Sequence[Call]
    use: ModelUse

    @property
    def failed(self) -> int:
        return sum(call.step.outcome is CallOutcome.FAILED for call in self.calls)


class ModelCallView(StepView[ModelCall]):
    kind = ModelCall

    def group(self, one: NumberedStep) -> Hashable:
        return getattr(one.step, "role", "")

    def shown_many(self, groups: Sequence[Sequence[NumberedStep]], reading: Reading) -> list[Any]:
        return [role_calls([Call(one.number, one.step) for one in group]) for group in groups]  # type: ignore[arg-type]

    def lines(self, shown: RoleCalls) -> list[str]:
        return [
            f"Asked the language model ({shown.purpose}): {told(shown.use)}",
            *(
                f"  {call.step.model}, {call.outcome}, {call.step.milliseconds:,.0f} ms, "
                f"tokens {count(call.step.prompt_tokens)} read, {count(call.step.completion_tokens)} written"
                for call in shown.calls
            ),
        ]


def role_calls(calls: Sequence[Call]) -> RoleCalls:
    """Return the calls of one role with their sums."""
    role = calls[0].step.role
    use = ModelUse(
        calls=len(calls),
        prompt_tokens=sum(call.step.prompt_tokens or 0 for call in calls),
        completion_tokens=sum(call.step.completion_tokens or 0 for call in calls),
        untold=sum(call.step.completion_tokens is None for call in calls),
        milliseconds=sum(call.step.milliseconds for call in calls),
    )
    return RoleCalls(role, role.replace("_", " "), calls, use)


def told(use: ModelUse) -> str:
    """Return sums of calls in words: "3 calls, 120 tokens read, 45 written, 1,200 ms"."""
    calls = f"{use.calls:,} call{'' if use.calls == 1 else 's'}"
    if use.untold == use.calls:
        return f"{calls}, tokens not told, {use.milliseconds:,.0f} ms"
    untold = f" (not told of {use.untold:,})" if use.untold else ""
    tokens = f"{use.prompt_tokens:,} tokens read, {use.completion_tokens:,} written{untold}"
    return f"{calls}, {tokens}, {use.milliseconds:,.0f} ms"


def count(tokens: int | None) -> str:
    return "not told" if tokens is None else f"{tokens:,}"

"""The figures of items as they count: a person's in place of a measured one."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EffectiveScore:
    """One figure of one ended item. `value` is None where it is unscored, `why` says why.

    A failed item counts with the lowest value where the metric is a quality, and with none where it is a cost.
    """

    run: int
    item: int
    case_key: str
    key: str
    system: str
    repeat: int
    category: str
    position: int
    metric: str
    value: float | None
    measured: float | None
    is_overridden: bool
    has_failed: bool
    why: str = ""


@dataclass(frozen=True, slots=True)
class ItemCost:
    """What one ended item took; None where nothing tells it."""

    case_key: str
    system: str
    total_ms: float | None
    first_token_ms: float | None
    calls: int | None
    prompt_tokens: int | None
    completion_tokens: int | None
    error: str = ""

    @property
    def tokens(self) -> int | None:
        known = [count for count in (self.prompt_tokens, self.completion_tokens) if count is not None]
        return sum(known) if known else None

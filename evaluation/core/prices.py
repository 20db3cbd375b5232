"""What replies cost by a table of prices, which a file in TOML holds:

    currency = "EUR"

    [engines."http:qwen3-8b"]
    prompt = 0.20       # of a million tokens
    completion = 0.60

What an engine costs that the table does not name is not known; it is never nothing. A reply without a call costs nothing.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evaluation.core.errors import EvaluationError
from evaluation.core.interval_rows import mean_row
from evaluation.core.report import Row

MILLION = 1_000_000


@dataclass(frozen=True)
class Price:
    """What a million tokens of prompts and of replies cost."""

    prompt: float
    completion: float


@dataclass(frozen=True)
class Prices:
    """The prices of engines by name, all in one currency."""

    currency: str = ""
    engines: Mapping[str, Price] = field(default_factory=dict)

    def cost(
        self, engine: str, *, calls: int | None, prompt_tokens: int | None, completion_tokens: int | None
    ) -> float | None:
        """Return what a reply cost; None where the engine has no price or nothing tells the tokens."""
        if calls == 0:
            return 0.0
        price = self.engines.get(engine)
        if price is None or prompt_tokens is None or completion_tokens is None:
            return None
        return (price.prompt * prompt_tokens + price.completion * completion_tokens) / MILLION


def cost_row(name: str, costs: Mapping[str, Sequence[float | None]], *, engine: str, currency: str) -> Row:
    """Return the mean cost of a reply over the costs by case; none, but why, where one of them is not known."""
    known = {case: [cost for cost in own if cost is not None] for case, own in costs.items()}
    count = sum(len(own) for own in costs.values())
    if sum(len(own) for own in known.values()) < count:
        why = f"no price of {engine} is known, or nothing tells its tokens"
        return Row(name, "cost", None, unit=currency, n=count, why=why)
    return mean_row(name, "cost", known, unit=currency, none="no item has ended")


def read_prices(text: str, *, source: str) -> Prices:
    """Return the table of prices of a file's text. Raises `EvaluationError`, which names the engine and the field."""
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise EvaluationError(f"The prices in {source} are no TOML: {error}.") from error
    known_only(content, {"currency", "engines"}, where=source)
    currency = content.get("currency")
    if not isinstance(currency, str) or not currency.strip():
        raise EvaluationError(f'{source} names no currency. Begin it with a line such as currency = "EUR".')
    engines = content.get("engines", {})
    if not isinstance(engines, dict) or not all(isinstance(price, dict) for price in engines.values()):
        raise EvaluationError(f'{source}: expected a table for each engine, such as [engines."http:<model>"].')
    return Prices(currency.strip(), {name: price_of(price, f"{source}, {name}") for name, price in engines.items()})


def price_of(fields: Mapping[str, Any], where: str) -> Price:
    known_only(fields, {"prompt", "completion"}, where=where)
    return Price(amount(fields, "prompt", where), amount(fields, "completion", where))


def amount(fields: Mapping[str, Any], name: str, where: str) -> float:
    value = fields.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
        raise EvaluationError(f"{where}: expected {name} as the price of a million tokens, 0 or more, got {value!r}.")
    return float(value)


def known_only(fields: Mapping[str, Any], known: set[str], *, where: str) -> None:
    unknown = sorted(set(fields) - known)
    if unknown:
        raise EvaluationError(f"{where}: {unknown[0]!r} is unknown. Known: {', '.join(sorted(known))}.")

"""Costs by a table of prices."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from evaluation import bootstrap
from evaluation.core.errors import EvaluationError
from evaluation.core.prices import Price, Prices, cost_row, read_prices
from evaluation.core.report import Row

TABLE = """
currency = "EUR"

[engines."http:qwen3-8b"]
prompt = 0.2
completion = 1
"""
PRICES = Prices("EUR", {"http:qwen3-8b": Price(0.2, 1.0)})


def test_a_table_is_read() -> None:
    assert read_prices(TABLE, source="prices.toml") == PRICES
    assert read_prices('currency = "USD"', source="prices.toml") == Prices("USD")


def test_a_reply_costs_its_tokens() -> None:
    cost = PRICES.cost("http:qwen3-8b", calls=3, prompt_tokens=2_000_000, completion_tokens=500_000)
    assert cost == pytest.approx(0.9)


def test_what_is_not_known_costs_no_known_amount_and_no_call_costs_nothing() -> None:
    assert PRICES.cost("http:other", calls=1, prompt_tokens=5, completion_tokens=5) is None
    assert PRICES.cost("http:qwen3-8b", calls=1, prompt_tokens=None, completion_tokens=5) is None
    assert PRICES.cost("http:qwen3-8b", calls=None, prompt_tokens=5, completion_tokens=None) is None
    assert PRICES.cost("builtin", calls=0, prompt_tokens=None, completion_tokens=None) == 0


def test_one_unknown_cost_leaves_the_mean_unknown() -> None:
    row = cost_row("graph", {"a": [0.25, 0.75], "b": [0.5]}, engine="http:x", currency="EUR")
    assert (row.name, row.metric, row.value, row.unit, row.n) == ("graph", "cost", 0.5, "EUR", 3)
    assert cost_row("graph", {"a": [0.25, None]}, engine="http:x", currency="EUR") == Row(
        "graph", "cost", None, "EUR", 2, why="no price of http:x is known, or nothing tells its tokens"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("currency = ", "are no TOML"),
        ("[engines.x]\nprompt = 1\ncompletion = 1", "names no currency"),
        ("currency = 3", "names no currency"),
        ('currency = "EUR"\nengine = 1', "'engine' is unknown. Known: currency, engines"),
        ('currency = "EUR"\nengines = 1', "expected a table for each engine"),
        ('currency = "EUR"\n[engines]\nx = 1', "expected a table for each engine"),
        ('currency = "EUR"\n[engines.x]\nprompt = 1', "p.toml, x: expected completion as the price"),
        ('currency = "EUR"\n[engines.x]\nprompt = -1\ncompletion = 1', "got -1"),
        ('currency = "EUR"\n[engines.x]\nprompt = true\ncompletion = 1', "got True"),
        ('currency = "EUR"\n[engines.x]\nprompt = nan\ncompletion = 1', "got nan"),
        ('currency = "EUR"\n[engines.x]\nprompt = inf\ncompletion = 1', "got inf"),
        ('currency = "EUR"\n[engines.x]\nprompt = "1"\ncompletion = 1', "got '1'"),
        ('currency = "EUR"\n[engines.x]\nprompt = 1\ncompletion = 1\noutput = 1', "'output' is unknown"),
    ],
)
def test_a_faulty_table_is_refused(text: str, message: str) -> None:
    with pytest.raises(EvaluationError, match=message):
        read_prices(text, source="p.toml")


def test_the_setting_names_the_table(settings: Any, tmp_path: Path) -> None:
    settings.DSMART_PRICES = ""
    assert bootstrap.prices() is None
    path = tmp_path / "prices.toml"
    path.write_text(TABLE)
    settings.DSMART_PRICES = str(path)
    assert bootstrap.prices() == PRICES
    settings.DSMART_PRICES = str(tmp_path)
    with pytest.raises(EvaluationError) as unreadable:
        bootstrap.prices()
    assert str(unreadable.value) == (
        f"The prices in {tmp_path.name} cannot be read. Set DSMART_PRICES to a file in TOML."
    )
    path.write_text("currency = ")
    settings.DSMART_PRICES = str(path)
    with pytest.raises(EvaluationError, match=r"^The prices in prices\.toml are no TOML"):
        bootstrap.prices()

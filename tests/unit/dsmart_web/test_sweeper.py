"""The sweeper goes on after failures, and comes later while the database is away."""

from __future__ import annotations

import logging

from django.db import OperationalError

from dsmart_web.embedded.sweeper import LONGEST_WAIT_S, Sweeper


class Waits(list):
    """Stands for the event that ends the sweeper: notes how long it waits, and ends after so many turns."""

    def __init__(self, turns: int) -> None:
        super().__init__()
        self.turns = turns

    def wait(self, seconds: float) -> bool:
        self.append(seconds)
        return len(self) >= self.turns


def test_sweeper_comes_later_while_the_database_is_away_and_at_once_after(monkeypatch, caplog) -> None:
    monkeypatch.setattr("dsmart_web.embedded.sweeper.close_old_connections", lambda: None)
    monkeypatch.setattr("dsmart_web.embedded.sweeper.connections.close_all", lambda: None)
    turns = 0
    swept: list[int] = []

    def first() -> None:
        nonlocal turns
        turns += 1
        if 2 <= turns <= 6:
            raise OperationalError("connection refused")

    sweeper = Sweeper(first, lambda: swept.append(turns), interval_s=3.0)
    sweeper._stopping = Waits(8)  # type: ignore[assignment]
    sweeper._run()
    assert sweeper._stopping == [3.0, 6.0, 12.0, 24.0, LONGEST_WAIT_S, LONGEST_WAIT_S, 3.0, 3.0]
    assert swept == [1, 7, 8]


def test_sweep_that_fails_otherwise_is_told_and_the_others_are_called(monkeypatch, caplog) -> None:
    monkeypatch.setattr("dsmart_web.embedded.sweeper.close_old_connections", lambda: None)
    swept: list[str] = []

    def broken() -> None:
        raise ValueError("a sweep of another kind")

    sweeper = Sweeper(broken, lambda: swept.append("other"))
    with caplog.at_level(logging.ERROR):
        assert sweeper._turn()
    assert swept == ["other"] and "a sweep of another kind" in caplog.text

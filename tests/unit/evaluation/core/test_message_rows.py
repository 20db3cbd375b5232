"""Rows of reading messages."""

from __future__ import annotations

import pytest

from evaluation.core.message_match import Match, MessageMatch, ReadMessage, message_rows


def read(line: int, register: str, facts: Match, objects: Match, *, error: str = "") -> ReadMessage:
    return ReadMessage("built-in", line, register, MessageMatch(facts, objects, (), ()), error)


MESSAGES = [
    read(1, "plain", Match(labelled=2, read=3, right=1), Match(2, 3, 2)),
    read(2, "plain", Match(2, 1, 1), Match(2, 1, 1)),
    read(3, "none", Match(0, 1, 0), Match(0, 1, 0)),
    read(4, "slang", Match(1, 0, 0), Match(1, 0, 0), error="no parser"),
]


def test_rows_are_of_all_messages_then_of_each_register() -> None:
    rows = message_rows(MESSAGES)
    found = {(row.metric, row.group): (row.value, row.n) for row in rows}
    assert found == {
        ("precision", ""): (pytest.approx(2 / 5), 5),
        ("recall", ""): (pytest.approx(2 / 5), 5),
        ("f1", ""): (pytest.approx(2 / 5), 10),
        ("object_precision", ""): (pytest.approx(3 / 5), 5),
        ("object_recall", ""): (pytest.approx(3 / 5), 5),
        ("object_f1", ""): (pytest.approx(3 / 5), 10),
        ("precision", "plain"): (pytest.approx(2 / 4), 4),
        ("recall", "plain"): (pytest.approx(2 / 4), 4),
        ("f1", "plain"): (pytest.approx(2 / 4), 8),
        ("object_precision", "plain"): (pytest.approx(3 / 4), 4),
        ("object_recall", "plain"): (pytest.approx(3 / 4), 4),
        ("object_f1", "plain"): (pytest.approx(3 / 4), 8),
        ("precision", "none"): (0.0, 1),
        ("recall", "none"): (None, 0),
        ("f1", "none"): (0.0, 1),
        ("object_precision", "none"): (0.0, 1),
        ("object_recall", "none"): (None, 0),
        ("object_f1", "none"): (0.0, 1),
        ("precision", "slang"): (None, 0),
        ("recall", "slang"): (0.0, 1),
        ("f1", "slang"): (0.0, 1),
        ("object_precision", "slang"): (None, 0),
        ("object_recall", "slang"): (0.0, 1),
        ("object_f1", "slang"): (0.0, 1),
        ("failed", ""): (1, 4),
    }
    assert {row.name for row in rows} == {"built-in"}
    assert rows[-1].why == "no parser"
    assert {row.why for row in rows if row.value is None} == {"no fact was read", "no fact is labelled"}


def test_f1_is_the_harmonic_mean_and_lies_in_its_interval() -> None:
    rows = {(row.metric, row.group): row for row in message_rows([MESSAGES[0], MESSAGES[2]])}
    precision, recall, f1 = (rows[metric, ""] for metric in ("precision", "recall", "f1"))
    assert (precision.value, recall.value) == (1 / 4, 1 / 2)
    assert f1.value == pytest.approx(2 * (1 / 4) * (1 / 2) / (1 / 4 + 1 / 2))
    assert f1.low is not None and f1.high is not None and f1.low <= f1.value <= f1.high


def test_readers_have_rows_of_their_own() -> None:
    rules = ReadMessage("rules", 1, "plain", MessageMatch(Match(2, 2, 2), Match(2, 2, 2), (), ()))
    found = {(row.name, row.metric): row.value for row in message_rows([MESSAGES[1], rules]) if not row.group}
    assert (found["built-in", "recall"], found["rules", "recall"]) == (0.5, 1.0)

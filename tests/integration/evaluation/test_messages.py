"""Measuring how labelled messages are read."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from io import StringIO
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.core.management import CommandError, call_command

from evaluation.services import messages
from memory.core.types import GraphFragment, Role, Utterance
from tests.fakes.engines import LivesInExtractor


class FailingExtractor:
    """Fails at messages with a certain word, and remembers what it was given."""

    def __init__(self) -> None:
        self.given: list[tuple[list[Utterance], list[Utterance]]] = []

    def extract_many(self, sentences: Sequence[Utterance], *, context: Sequence[Utterance] = ()) -> list[GraphFragment]:
        self.given.append((list(sentences), list(context)))
        if any("explode" in sentence.text for sentence in sentences):
            raise RuntimeError("it exploded")
        return LivesInExtractor().extract_many(sentences, context=context)


@pytest.fixture
def playing(monkeypatch: pytest.MonkeyPatch) -> Callable[[object], None]:
    """Make this the built-in engine's extractor."""

    def use(extractor: object) -> None:
        monkeypatch.setattr(messages.bootstrap, "engine", lambda name: SimpleNamespace(player=lambda role: extractor))

    return use


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "said.jsonl"
    records = [
        {
            "p": "",
            "s": "Hi there! I live in Lyon.\nI live in Rome.",
            "r": "plain",
            "f": [["me", "livesIn", "Lyon", ""]],
        },
        {"p": "And you?", "s": "I explode.", "r": "side", "f": [["me", "livesIn", "Rome", "past"]]},
    ]
    path.write_text("".join(json.dumps(record) + "\n" for record in records) + "oops\n")
    return path


def rows_of(report: Path) -> dict[tuple[str, str, str], tuple[object, object]]:
    rows = json.loads(report.read_text())["rows"]
    return {(row["name"], row["metric"], row.get("group", "")): (row["value"], row.get("n")) for row in rows}


def test_messages_are_read_sentence_by_sentence_with_what_was_said_before(
    data: Path, playing: Callable[[object], None]
) -> None:
    extractor = FailingExtractor()
    playing(extractor)
    messages.messages_evaluate(path=data, quiet=True)
    (first, no_context), (second, context) = extractor.given
    assert [(one.speaker, one.role, one.text, one.breaks) for one in first] == [
        ("Ana", Role.USER, "Hi there!", 0),
        ("Ana", Role.USER, "I live in Lyon.", 0),
        ("Ana", Role.USER, "I live in Rome.", 1),
    ]
    assert no_context == []
    assert [one.text for one in second] == ["I explode."]
    assert [(one.speaker, one.role, one.text) for one in context] == [("Assistant", Role.ASSISTANT, "And you?")]
    assert context[0].said_at < second[0].said_at


def test_command_writes_rows_of_the_engines_own_reader(
    data: Path, playing: Callable[[object], None], tmp_path: Path, db: None
) -> None:
    playing(FailingExtractor())
    out, items, stdout = tmp_path / "out.json", tmp_path / "items.jsonl", StringIO()
    call_command("evaluate", "messages", data=data, json=out, items=items, verbosity=0, stdout=stdout)
    rows = rows_of(out)
    assert {key: rows[key] for key in rows if key[1] in ("precision", "recall", "failed", "bad_lines")} == {
        ("built-in", "precision", ""): (0.5, 2),
        ("built-in", "recall", ""): (0.5, 2),
        ("built-in", "precision", "plain"): (0.5, 2),
        ("built-in", "recall", "plain"): (1.0, 1),
        ("built-in", "precision", "side"): (None, 0),
        ("built-in", "recall", "side"): (0.0, 1),
        ("built-in", "failed", ""): (1, 2),
        ("messages", "bad_lines", ""): (1, None),
    }
    assert {metric for name, metric, _ in rows if name == "built-in" and metric not in ("failed",)} == {
        "precision", "recall", "f1", "object_precision", "object_recall", "object_f1",
    }  # fmt: skip
    assert [json.loads(line) for line in items.read_text().splitlines()][:2] == [
        {"reader": "built-in", "line": 1, "register": "plain", "right": 1, "missed": [],
         "false": [["Ana", "livesIn", "Rome"]], "error": ""},
        {"reader": "built-in", "line": 2, "register": "side", "right": 0, "missed": [["me", "livesIn", "Rome"]],
         "false": [], "error": "it exploded"},
    ]  # fmt: skip
    assert "it exploded" in stdout.getvalue() and "record 3: not JSON" in stdout.getvalue()


def test_command_says_what_is_wrong_with_its_options(data: Path, tmp_path: Path, db: None) -> None:
    with pytest.raises(CommandError, match="none cannot be read"):
        call_command("evaluate", "messages", data=tmp_path / "none", verbosity=0)
    with pytest.raises(CommandError, match="--limit"):
        call_command("evaluate", "messages", data=data, limit=0, verbosity=0)

"""Measuring how labelled messages are read."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from evaluation.services import messages
from memory.bootstrap.roles import EXTRACT_FACTS, RULE_BASED
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
def playing(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Make these the players of the role that ask no language model, the first of them the engine's own."""

    def use(**players: object) -> None:
        makers = {kind: lambda player=player: player for kind, player in players.items()}
        monkeypatch.setattr(messages, "EXTRACT_FACTS", replace(EXTRACT_FACTS, not_asking=makers))

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
    data: Path, playing: Callable[..., None]
) -> None:
    extractor = FailingExtractor()
    playing(learned=extractor)
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


def test_command_writes_rows_of_the_engines_own_reader_and_of_the_rules(
    data: Path, playing: Callable[..., None], tmp_path: Path, db: None
) -> None:
    playing(learned=FailingExtractor(), **{RULE_BASED: LivesInExtractor()})
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
        ("rules", "precision", ""): (0.5, 2),
        ("rules", "recall", ""): (0.5, 2),
        ("rules", "precision", "plain"): (0.5, 2),
        ("rules", "recall", "plain"): (1.0, 1),
        ("rules", "precision", "side"): (None, 0),
        ("rules", "recall", "side"): (0.0, 1),
        ("messages", "bad_lines", ""): (1, None),
    }
    assert {metric for name, metric, _ in rows if name == "rules"} == {
        "precision", "recall", "f1", "object_precision", "object_recall", "object_f1",
    }  # fmt: skip
    assert [json.loads(line) for line in items.read_text().splitlines()][:2] == [
        {"reader": "built-in", "line": 1, "register": "plain", "right": 1, "missed": [],
         "false": [["Ana", "livesIn", "Rome"]], "error": ""},
        {"reader": "built-in", "line": 2, "register": "side", "right": 0, "missed": [["me", "livesIn", "Rome"]],
         "false": [], "error": "it exploded"},
    ]  # fmt: skip
    assert "it exploded" in stdout.getvalue() and "record 3: not JSON" in stdout.getvalue()


def test_rules_that_are_the_engines_own_reader_are_measured_once(data: Path, playing: Callable[..., None]) -> None:
    playing(**{RULE_BASED: LivesInExtractor()})
    result = messages.messages_evaluate(path=data, limit=1, quiet=True)
    assert [(one.reader, one.line) for one in result.read] == [("built-in", 1)]


def test_engine_without_rules_has_one_row(data: Path, playing: Callable[..., None]) -> None:
    playing(learned=LivesInExtractor())
    assert list(messages.extractors()) == ["built-in"]


def test_command_says_what_is_wrong_with_its_options(data: Path, tmp_path: Path, db: None) -> None:
    with pytest.raises(CommandError, match="none cannot be read"):
        call_command("evaluate", "messages", data=tmp_path / "none", verbosity=0)
    with pytest.raises(CommandError, match="--limit"):
        call_command("evaluate", "messages", data=data, limit=0, verbosity=0)


def test_rules_read_a_plain_message_and_leave_a_short_answer_to_the_reader(tmp_path: Path) -> None:
    path = tmp_path / "said.jsonl"
    records = [
        {"p": "", "s": "I live in Lyon with my sister Maya.", "r": "plain",
         "f": [["me", "livesIn", "Lyon", ""], ["me", "hasSister", "Maya", ""]]},
        {"p": "Where do you live?", "s": "Rome.", "r": "answer", "f": [["me", "livesIn", "Rome", ""]]},
    ]  # fmt: skip
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    rules = EXTRACT_FACTS.not_asking[RULE_BASED]()
    file = messages.read_messages(path)
    read = [messages.message_read(one, reader="rules", extractor=rules) for one in file.messages]
    assert [[label.object for label in one.match.missed] for one in read] == [[], ["Rome"]]
    assert [one.error for one in read] == ["", ""]

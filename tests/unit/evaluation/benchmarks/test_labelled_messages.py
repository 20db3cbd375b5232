"""Files of labelled messages, written out and named."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from evaluation.benchmarks.labelled_messages import LabelledMessage, MessageTurns, read_messages
from evaluation.benchmarks.reading import TURN_PAUSE, UNDATED
from evaluation.core.errors import EvaluationError, MalformedBenchmark
from evaluation.core.message_match import FactLabel
from memory.core.types import Role, Utterance

LOCOMO = {
    "sample_id": "conv-1",
    "conversation": {
        "speaker_a": "Ana",
        "speaker_b": "Ben",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ben", "dia_id": "D1:1", "text": "And your sister?"},
            {"speaker": "Ana", "dia_id": "D1:2", "text": "Maya moved to Lyon!", "blip_caption": "a photo of a bridge"},
        ],
        "session_2_date_time": "2:00 pm on 9 May, 2023",
        "session_2": [{"speaker": "Ana", "dia_id": "D2:1", "text": "Hello again."}],
    },
}
MTBENCH = {"task": "CM", "id": 7, "history": [{"user": "I own a boat.", "bot": "x" * 500}, {"user": "Yes.", "bot": ""}]}
BEGAN = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    folder = tmp_path / "sets"
    (folder / "locomo").mkdir(parents=True)
    (folder / "mtbench101").mkdir()
    (folder / "locomo" / "locomo_dev5.json").write_text(json.dumps([LOCOMO]))
    (folder / "mtbench101" / "mtbench101_dev.jsonl").write_text(json.dumps(MTBENCH) + "\n")
    return folder


def written(path: Path, *records: object) -> Path:
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records), encoding="utf-8")
    return path


def test_messages_that_are_written_out(tmp_path: Path) -> None:
    path = written(
        tmp_path / "m.jsonl",
        {"p": "", "s": "I live in Lyon.", "r": "plain", "f": [["me", "livesIn", "Lyon", ""]]},
        {"p": "And Ana?", "s": "she's 9", "r": "answer", "f": [["Ana", "age", "9", ""]]},
    )
    file = read_messages(path)
    said = Utterance("Ana", Role.USER, "I live in Lyon.", UNDATED + TURN_PAUSE)
    about_ana = Utterance("Ruth", Role.USER, "she's 9", UNDATED + TURN_PAUSE)
    asked = Utterance("Assistant", Role.ASSISTANT, "And Ana?", UNDATED)
    assert file.messages == (
        LabelledMessage(1, "plain", MessageTurns(said), (FactLabel("me", "livesIn", "Lyon"),)),
        LabelledMessage(2, "answer", MessageTurns(about_ana, asked), (FactLabel("Ana", "age", "9"),)),
    )
    assert file.bad_lines == ()


def test_messages_that_are_named(tmp_path: Path, sources: Path) -> None:
    path = written(
        tmp_path / "m.jsonl",
        {"source": "locomo/conv-1/D1:2", "r": "people", "f": [["Maya", "livesIn", "Lyon", ""]]},
        {"source": "locomo/conv-1/D2:1", "f": []},
        {"source": "mtbench101/CM/7/0", "f": [["me", "owns", "boat", ""]]},
        {"source": "mtbench101/CM/7/1", "f": []},
    )
    asked = Utterance("Ben", Role.USER, "And your sister?", BEGAN)
    told = Utterance("Ana", Role.USER, "Maya moved to Lyon!", BEGAN + TURN_PAUSE)
    again = Utterance("Ana", Role.USER, "Hello again.", datetime(2023, 5, 9, 14, 0, tzinfo=UTC))
    boat = Utterance("Ana", Role.USER, "I own a boat.", UNDATED + TURN_PAUSE)
    yes = Utterance("Ana", Role.USER, "Yes.", UNDATED + TURN_PAUSE)
    reply = Utterance("Assistant", Role.ASSISTANT, "x" * 400, UNDATED)
    assert [(one.register, one.turns) for one in read_messages(path, sources=sources).messages] == [
        ("people", MessageTurns(told, asked)),
        ("locomo", MessageTurns(again)),
        ("mtbench101", MessageTurns(boat)),
        ("mtbench101", MessageTurns(yes, reply)),
    ]


def test_bad_lines_are_named_and_the_others_are_read(tmp_path: Path, sources: Path) -> None:
    good = {"s": "Hi.", "r": "plain", "f": []}
    path = tmp_path / "m.jsonl"
    lines = [
        json.dumps(good),
        "oops",
        "",
        json.dumps({"r": "plain", "f": []}),
        json.dumps({**good, "r": None}),
        json.dumps({**good, "f": [["me", "livesIn", "Lyon"]]}),
        json.dumps({**good, "f": [["me", "livesIn", "", ""]]}),
        json.dumps({"source": "locomo/conv-1/D9:9", "r": "plain", "f": []}),
        "[]",
    ]
    path.write_bytes("\n".join(lines).encode() + b'\n{"s": "\xff"}\n')
    file = read_messages(path, sources=sources)
    assert [message.line for message in file.messages] == [1]
    assert file.bad_lines == (
        "record 2: not JSON (Expecting value at line 1, column 1)",
        "record 4, field s: missing",
        "record 5, field r: missing",
        "record 6, field f[0]: expected [subject, predicate, object, flags], got ['me', 'livesIn', 'Lyon']",
        "record 7, field f[0][2]: expected a name, got ''",
        "record 8, field source: expected a message of the folder of sources, got 'locomo/conv-1/D9:9'",
        "record 9: expected an object, got []",
        "record 10: not a text in UTF-8 (invalid start byte)",
    )


def test_what_cannot_be_read_is_said(tmp_path: Path, sources: Path) -> None:
    with pytest.raises(EvaluationError, match=r"none\.jsonl cannot be read"):
        read_messages(tmp_path / "none.jsonl")
    named = written(tmp_path / "named.jsonl", {"source": "locomo/conv-1/D1:2", "r": "plain", "f": []})
    with pytest.raises(EvaluationError, match=r"Record 1 names .*'locomo/conv-1/D1:2'.* Give --sources"):
        read_messages(named)
    with pytest.raises(EvaluationError, match=r"is no folder\. Give --sources"):
        read_messages(named, sources=tmp_path / "none")
    with pytest.raises(MalformedBenchmark, match="holds no labelled message: there is no record in it"):
        read_messages(written(tmp_path / "empty.jsonl"))
    with pytest.raises(MalformedBenchmark, match="holds no labelled message: record 1, field r: missing"):
        read_messages(written(tmp_path / "bad.jsonl", {"s": "Hi."}))

"""`bench reading`: labelled messages in, figures of each reader out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evaluation.core.errors import EvaluationError
from evaluation.performance import reading
from memory.adapters.learning import message_reader


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    lines = [
        {"p": "", "s": "I live in Oslo.", "r": "work", "f": [["me", "livesIn", "Oslo", ""]]},
        {"p": "", "s": "I live in Bergen.", "r": "work", "f": [["me", "livesIn", "Lyon", ""]]},
    ]
    path = tmp_path / "labelled.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return path


def test_other_weights_are_read_beside_the_products_own(labelled, settings):
    rows = reading.measure({"data": labelled, "than": Path(settings.DSMART_MESSAGE_READER), "quiet": True})
    found = {(row.name, row.metric): row.value for row in rows}
    figures = ("precision", "recall", "f1", "object_precision", "object_recall", "object_f1")
    assert found == {(name, metric): 0.5 for name in ("built-in", "than") for metric in figures}
    assert {row.group for row in rows} == {"labelled"}


def test_the_own_messages_are_those_that_the_training_holds_out(settings):
    folder = Path(settings.BASE_DIR) / reading.OWN_MESSAGES
    messages, labelled = list(reading.held_out_messages(folder)), message_reader.read_messages(folder).messages
    assert len(messages) == pytest.approx(len(labelled) / message_reader.HELD_OUT_ONE_IN, rel=0.15)
    assert all(message.turns.said.text for message in messages)
    unseen = {"messages_people", "messages_written"}
    assert set(reading.own_sets()) == {reading.HELD_OUT, *unseen}


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(EvaluationError, match=r"none\.jsonl"):
        reading.measure({"data": tmp_path / "none.jsonl", "than": None, "quiet": True})

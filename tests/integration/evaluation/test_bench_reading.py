"""`bench reading`: labelled messages in, figures and what each rule adds to them out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from evaluation.core.errors import EvaluationError
from evaluation.performance import reading
from evaluation.services import ablation
from memory import bootstrap
from memory.adapters.learning import message_reader
from memory.core.knowledge_graph.extraction.rule_based import RULES
from memory.core.types import ParsedSentence

CHANGES = ("f1_change", "object_f1_change", "facts_lost", "facts_gained")


@pytest.fixture
def without_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message reader's weights are missing: the rules read alone."""
    monkeypatch.setattr(ablation, "make_message_reader", lambda: None)


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    lines = [
        {"p": "", "s": "I'm from Kent.", "r": "work", "f": [["me", "comesFrom", "Kent", ""]]},
        {"p": "", "s": "I live in Oslo.", "r": "work", "f": [["me", "livesIn", "Oslo", ""]]},
    ]
    path = tmp_path / "labelled.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return path


def measured(path: Path | None) -> dict[tuple[str, str], tuple[float | None, int | None]]:
    return {(row.name, row.metric): (row.value, row.n) for row in reading.measure({"data": path, "quiet": True})}


def test_each_rule_has_its_change_of_both_figures_and_its_facts(without_weights, labelled):
    found = measured(labelled)
    figures = ("precision", "recall", "f1", "object_precision", "object_recall", "object_f1")
    assert list(found) == [
        *(("built-in", metric) for metric in figures),
        *((name, metric) for name in ("all rules", *(rule.__name__ for rule in RULES)) for metric in CHANGES),
    ]
    assert {metric: found["built-in", metric][0] for metric in figures} == dict.fromkeys(figures, 1.0)
    assert [found["all rules", metric] for metric in CHANGES] == [(-1.0, 2), (-1.0, 2), (2, 2), (0, 0)]
    assert [found["with_propositions", metric] for metric in CHANGES] == [(-1.0, 2), (-1.0, 2), (2, 2), (0, 0)]
    assert [found["with_endings", metric] for metric in CHANGES] == [(0.0, 4), (0.0, 4), (0, 2), (0, 2)]


def test_a_folder_is_all_of_its_files(without_weights, labelled):
    (labelled.parent / "more.jsonl").write_text(labelled.read_text())
    assert measured(labelled.parent)["built-in", "recall"] == (1.0, 4)


def test_a_sentence_is_parsed_once_whatever_is_left_out(without_weights, labelled, monkeypatch):
    parser, asked = bootstrap.parser(), list[str]()

    class CountingParser:
        def parse_many(self, sentences: Sequence[str]) -> list[ParsedSentence]:
            asked.extend(sentences)
            return parser.parse_many(sentences)

    monkeypatch.setattr(bootstrap, "parser", CountingParser)
    measured(labelled)
    assert sorted(asked) == sorted({"I'm from Kent.", "I live in Oslo."})


def test_the_own_messages_are_those_that_the_training_holds_out(settings):
    folder = Path(settings.BASE_DIR) / reading.OWN_MESSAGES
    messages, labelled = ablation.held_out_messages(folder), message_reader.read_messages(folder).messages
    assert len(messages) == pytest.approx(len(labelled) / message_reader.HELD_OUT_ONE_IN, rel=0.15)
    assert all(message.turns.said.text for message in messages)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(EvaluationError, match=r"none\.jsonl"):
        reading.measure({"data": tmp_path / "none.jsonl", "quiet": True})

"""Measuring responders by the words of their answers to LoCoMo's questions."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from conversations import bootstrap as conversation_bootstrap
from conversations.core.types import Query
from evaluation.core.errors import MalformedBenchmark
from evaluation.core.runs.items import ASKER
from evaluation.services.answers import answers_evaluate
from memory.core.errors import ModelUnreachable
from memory.models import Space, Turn
from tests.fakes.engines import WordByWordResponder

pytestmark = pytest.mark.django_db

QUESTIONS = [
    {"question": "Where does Ana live?", "answer": "Lyon", "evidence": ["D1:1"], "category": 4},
    {"question": "Where has Ana lived?", "answer": "Lyon, Rome", "evidence": ["D1:1"], "category": 1},
    {"question": "When did Ben move?", "answer": 2022, "category": 2},
    {"question": "Does Ben like Rome?", "answer": "Lyon; since he lives there", "category": 3},
    {"question": "What is Ana's dog called?", "adversarial_answer": "Rex", "category": 5},
    {"question": "Is Ben's dog black?", "adversarial_answer": "Yes", "answer": "No", "category": 5},
    {"question": "Why?", "category": 3},
    {"question": "Where does Ben live?", "answer": "Rome", "category": 4},
]


def conversation(name: str, questions: list[dict[str, Any]] = QUESTIONS) -> dict[str, Any]:
    return {
        "sample_id": name,
        "conversation": {
            "speaker_a": "Ana",
            "speaker_b": "Ben",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Ana", "dia_id": "D1:1", "text": "I live in Lyon."},
                {"speaker": "Ben", "dia_id": "D1:2", "text": "I live in Rome."},
            ],
        },
        "qa": questions,
    }


@pytest.fixture
def conversations(tmp_path: Path) -> Callable[..., Path]:
    def write(*records: dict[str, Any]) -> Path:
        path = tmp_path / "conversations.json"
        path.write_text(json.dumps(records))
        return path

    return write


def figures(result: Any, *responders: str) -> dict[tuple[str, str, str], tuple[float | None, int | None]]:
    return {(row.name, row.metric, row.group): (row.value, row.n) for row in result.rows(list(responders))}


def test_answers_are_scored_by_responder_and_category(small_engine, conversations, answering) -> None:
    answering(knows="Lyon.", shrugs="I don't know that yet.")
    path = conversations(conversation("one"), conversation("two"))
    found = figures(answers_evaluate(path=path, responders=["knows", "shrugs"], quiet=True), "knows", "shrugs")
    assert {key: value for key, value in found.items() if key[0] in ("knows", "questions")} == {
        ("knows", "token_f1", ""): (pytest.approx((1 + 0.5 + 0 + 1 + 0) / 5), 10),
        ("knows", "exact_match", ""): (pytest.approx(2 / 5), 10),
        ("knows", "token_f1", "single-hop"): (0.5, 4),
        ("knows", "exact_match", "single-hop"): (0.5, 4),
        ("knows", "token_f1", "multi-hop"): (0.5, 2),
        ("knows", "exact_match", "multi-hop"): (0.0, 2),
        ("knows", "token_f1", "temporal"): (0.0, 2),
        ("knows", "exact_match", "temporal"): (0.0, 2),
        ("knows", "token_f1", "open-domain"): (1.0, 2),
        ("knows", "exact_match", "open-domain"): (1.0, 2),
        ("knows", "refused", "adversarial"): (0.0, 4),
        ("questions", "unscored", ""): (2, None),
    }
    assert found["shrugs", "refused", "adversarial"] == (1.0, 4)
    assert found["shrugs", "token_f1", ""] == (0.0, 10)


def test_both_people_are_remembered_and_somebody_else_asks(small_engine, conversations, answering, monkeypatch) -> None:
    answering(knows="Lyon.")
    queries: list[Query] = []
    said: list[tuple[str, str]] = []

    class Listening(WordByWordResponder):
        def reply(self, query: Query):
            queries.append(query)
            return super().reply(query)

    def make(name: str, *, engine: str, space_id: int) -> Listening:
        turns = Turn.objects.filter(round__session__space_id=space_id)
        said[:] = sorted(turns.values_list("speaker", "role"))
        return Listening("Lyon.")

    monkeypatch.setattr(conversation_bootstrap, "responder", make)
    answers_evaluate(path=conversations(conversation("one")), responders=["knows"], quiet=True)
    assert said == [("Ana", "user"), ("Ben", "user")]
    assert {query.speaker for query in queries} == {ASKER}
    assert [query.text for query in queries] == [one["question"] for one in QUESTIONS if one["question"] != "Why?"]
    assert not Space.objects.exists()


def test_limits_are_of_conversations_and_of_questions_of_a_category(small_engine, conversations, answering) -> None:
    answering(knows="Lyon.")
    path = conversations(conversation("one"), conversation("two"))
    result = answers_evaluate(path=path, responders=["knows"], limit=1, questions=1, quiet=True)
    assert [(one.case, one.question_id, one.category) for one in result.replies] == [
        ("one", "1", "single-hop"), ("one", "2", "multi-hop"), ("one", "3", "temporal"), ("one", "4", "open-domain"),
        ("one", "5", "adversarial"),
    ]  # fmt: skip
    only = answers_evaluate(path=path, responders=["knows"], only="two", questions=1, quiet=True)
    assert {one.case for one in only.replies} == {"two"}


def test_one_failed_question_stays_in_the_denominator(small_engine, conversations, answering, monkeypatch) -> None:
    answering(knows="Lyon.")
    working = conversation_bootstrap.responder
    asked: list[int] = []

    def sometimes(name: str, *, engine: str, space_id: int) -> Any:
        asked.append(space_id)
        if len(asked) in (1, 5):
            raise ModelUnreachable("The server does not answer. Start it.")
        return working(name, engine=engine, space_id=space_id)

    monkeypatch.setattr(conversation_bootstrap, "responder", sometimes)
    result = answers_evaluate(path=conversations(conversation("one")), responders=["knows"], quiet=True)
    found = figures(result, "knows")
    assert found["knows", "token_f1", "single-hop"] == (0.0, 2)
    assert found["knows", "token_f1", ""] == (pytest.approx((0 + 0.5 + 0 + 1 + 0) / 5), 5)
    assert found["knows", "refused", "adversarial"] == (0.0, 2)
    assert found["knows", "failed", ""] == (2, 7)
    assert [one.error for one in result.replies if one.error] == ["The server does not answer. Start it."] * 2


def test_file_without_questions_says_so(small_engine, conversations, answering) -> None:
    answering(knows="Lyon.")
    result = answers_evaluate(path=conversations(conversation("one", [])), responders=["knows"], quiet=True)
    [row] = result.rows(["knows"])
    assert (row.metric, row.value, row.n) == ("token_f1", None, 0)
    assert row.why == "no question of the file has an answer to compare with"


def test_malformed_file_measures_nothing(small_engine, conversations, answering) -> None:
    answering(knows="Lyon.")
    with pytest.raises(MalformedBenchmark, match=r"record 2, field conversation: missing"):
        answers_evaluate(path=conversations(conversation("one"), {"qa": []}), responders=["knows"], quiet=True)


def test_command_writes_rows_and_items(small_engine, conversations, answering, tmp_path) -> None:
    answering(knows="Lyon.")
    out, items, stdout = tmp_path / "out.json", tmp_path / "items.jsonl", StringIO()
    call_command(
        "evaluate", "answers", "--benchmark=locomo", f"--data={conversations(conversation('one'))}",
        "--responders=knows", f"--json={out}", f"--items={items}", verbosity=0, stdout=stdout,
    )  # fmt: skip
    report = json.loads(out.read_text())
    assert report["command"] == "evaluate answers"
    assert {row.get("group", "") for row in report["rows"] if row["metric"] == "token_f1"} == {
        "", "single-hop", "multi-hop", "temporal", "open-domain",
    }  # fmt: skip
    first, *_, unanswerable, last = [json.loads(line) for line in items.read_text().splitlines()]
    assert first == {
        "case": "one", "question_id": "1", "question": "Where does Ana live?", "category": "single-hop",
        "responder": "knows", "expected": "Lyon", "reply": "Lyon.", "figures": {"token_f1": 1.0, "exact_match": 1.0},
        "error": "",
    }  # fmt: skip
    assert (unanswerable["expected"], unanswerable["figures"]) == (None, {"refused": 0.0})
    assert last["figures"] == {"token_f1": 0.0, "exact_match": 0.0}
    assert "token_f1" in stdout.getvalue()


@pytest.mark.parametrize("option", ["limit", "questions"])
def test_command_says_what_is_wrong_with_its_options(small_engine, conversations, answering, option) -> None:
    answering(knows="Lyon.")
    path = conversations(conversation("one"))
    with pytest.raises(CommandError, match=f"--{option} must be at least 1"):
        call_command("evaluate", "answers", data=path, responders="knows", verbosity=0, **{option: 0})
    with pytest.raises(CommandError, match="No responder is named"):
        call_command("evaluate", "answers", data=path, responders=" , ", verbosity=0)
    with pytest.raises(CommandError, match=r"no responder 'sgmem'\. Choose one of: knows"):
        call_command("evaluate", "answers", data=path, responders="sgmem", verbosity=0)

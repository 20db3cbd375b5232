"""Measuring responders by questions, and asking a space."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from conversations import bootstrap as conversation_bootstrap
from evaluation.core.errors import MalformedBenchmark
from evaluation.services.questions import questions_evaluate
from evaluation.services.replay import file_replay
from evaluation.services.spaces import ACCOUNT, abandoned_spaces_forget, evaluation_account
from memory import bootstrap
from memory.adapters.language_models.scripted import Rule
from memory.adapters.language_models.scripted_server import ScriptedServer
from memory.core.errors import ModelUnreachable
from memory.models import Space
from memory.services import space_create
from tests.integration.evaluation.conftest import moving_case

pytestmark = pytest.mark.django_db


def figures(result, responders):
    return {(row.name, row.metric, row.group): (row.value, row.n) for row in result.rows(responders)}


def test_accuracy_is_counted_by_responder_and_category(small_engine, dialogue_file, answering):
    answering(knows="You live in Lyon.", shrugs="I don't know that yet.")
    path = dialogue_file(moving_case("one"), moving_case("two"))
    result = questions_evaluate(path=path, responders=["knows", "shrugs"], quiet=True)
    found = figures(result, ["knows", "shrugs"])
    assert found["knows", "accuracy", ""] == (0.5, 4)
    assert found["knows", "accuracy", "moves"] == (1.0, 2)
    assert found["knows", "accuracy", "not known"] == (0.0, 2)
    assert found["shrugs", "accuracy", "moves"] == (0.0, 2)
    assert found["shrugs", "accuracy", "not known"] == (1.0, 2)


def test_what_is_forbidden_makes_a_reply_wrong(small_engine, dialogue_file, answering):
    answering(both="You live in Lyon; before that it was Paris.")
    result = questions_evaluate(path=dialogue_file(moving_case()), responders=["both"], quiet=True)
    assert figures(result, ["both"])["both", "accuracy", "moves"] == (0.0, 1)


def test_temporary_spaces_are_gone_afterwards_even_when_the_reply_fails(
    small_engine, dialogue_file, answering, monkeypatch
):
    answering(knows="You live in Lyon.")

    def unreachable(name, *, engine, space_id):
        raise ModelUnreachable("The server does not answer. Start it.")

    monkeypatch.setattr(conversation_bootstrap, "responder", unreachable)
    result = questions_evaluate(path=dialogue_file(moving_case()), responders=["knows"], quiet=True)
    assert not Space.objects.exists()
    rows = result.rows(["knows"])
    assert (rows[0].value, rows[0].why) == (None, "The server does not answer. Start it.")


def test_one_failed_item_stays_in_the_denominator(small_engine, dialogue_file, answering, monkeypatch):
    answering(knows="You live in Lyon.")
    working = conversation_bootstrap.responder
    asked = []

    def sometimes(name, *, engine, space_id):
        asked.append(space_id)
        if len(asked) == 1:
            raise ModelUnreachable("The server does not answer. Start it.")
        return working(name, engine=engine, space_id=space_id)

    monkeypatch.setattr(conversation_bootstrap, "responder", sometimes)
    result = questions_evaluate(
        path=dialogue_file(moving_case("a"), moving_case("b")), responders=["knows"], quiet=True
    )
    found = figures(result, ["knows"])
    assert found["knows", "accuracy", ""] == (0.25, 4)
    assert found["knows", "failed", ""] == (1, 4)


def test_a_malformed_file_measures_nothing(small_engine, dialogue_file, answering):
    answering(knows="You live in Lyon.")
    broken = moving_case("late")
    del broken["questions"][1]["answers"]
    with pytest.raises(MalformedBenchmark, match=r"record 2, field questions\[1\]\.answers: missing"):
        questions_evaluate(path=dialogue_file(moving_case(), broken), responders=["knows"], quiet=True)
    assert not User.objects.filter(username=ACCOUNT).exists()


def test_questions_without_a_short_answer_are_not_scored(small_engine, tmp_path, answering):
    answering(knows="You live in Lyon.")
    record = {
        "sample_id": "conv-1",
        "conversation": {
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [{"speaker": "Ana", "dia_id": "D1:1", "text": "I live in Lyon."}],
        },
        "qa": [{"question": "Where?", "answer": "Lyon", "category": 4}, {"question": "Why?", "category": 3}],
    }
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([record]))
    found = figures(questions_evaluate(path=path, responders=["knows"], quiet=True), ["knows"])
    assert found["knows", "accuracy", ""] == (1.0, 1)
    assert found["questions", "unscored", ""] == (1, None)


def test_the_command_writes_rows_and_items(small_engine, dialogue_file, answering, tmp_path):
    answering(knows="You live in Lyon.")
    out, items = tmp_path / "out.json", tmp_path / "items.jsonl"
    stdout = StringIO()
    call_command(
        "evaluate", "questions", f"--data={dialogue_file(moving_case())}", "--responders=knows", f"--json={out}",
        f"--items={items}", verbosity=0, stdout=stdout,
    )  # fmt: skip
    report = json.loads(out.read_text())
    assert report["command"] == "evaluate questions"
    assert report["rows"][0] | {"low": 0, "high": 1} == {
        "name": "knows", "metric": "accuracy", "value": 0.5, "unit": "ratio", "n": 2, "low": 0, "high": 1,
    }  # fmt: skip
    assert {row.get("group") for row in report["rows"]} == {None, "moves", "not known"}
    assert [json.loads(line)["is_right"] for line in items.read_text().splitlines()] == [True, False]
    assert "accuracy" in stdout.getvalue()


def test_an_unknown_responder_is_named_with_those_that_there_are(small_engine, dialogue_file, answering):
    answering(knows="You live in Lyon.")
    with pytest.raises(CommandError, match=r"no responder 'sgmem'. Choose one of: knows"):
        call_command(
            "evaluate", "questions", f"--data={dialogue_file(moving_case())}", "--responders=sgmem", verbosity=0
        )


def test_ask_answers_as_the_first_speaker_of_the_space(owner, small_engine, dialogue_file, answering):
    answering(graph="You live in Lyon.")
    file_replay(path=dialogue_file(moving_case()), owner=owner, quiet=True)
    out = StringIO()
    call_command("ask", "Where do I live?", space="ana", json=True, stdout=out)
    said = json.loads(out.getvalue())
    assert (said["answer"], said["space"], said["asked_by"]) == ("You live in Lyon.", "homes/ana", "Ana")
    assert said["total_ms"] >= said["first_token_ms"] >= 0


@pytest.mark.parametrize("said", ["", " \n", "\u200b"])
def test_ask_fails_with_a_sentence_where_nothing_is_said(owner, small_engine, dialogue_file, answering, said):
    answering(graph=said)
    file_replay(path=dialogue_file(moving_case()), owner=owner, quiet=True)
    out = StringIO()
    with pytest.raises(CommandError, match=r"without a word\. Try again"):
        call_command("ask", "Where do I live?", space="ana", stdout=out)
    assert out.getvalue() == ""


def test_ask_of_an_unknown_space_lists_the_spaces(owner, small_engine, dialogue_file, answering):
    answering(graph="You live in Lyon.")
    file_replay(path=dialogue_file(moving_case()), owner=owner, quiet=True)
    with pytest.raises(CommandError, match=r"no space 'nowhere'. Spaces: 'My memory', 'homes/ana'"):
        call_command("ask", "Where do I live?", space="nowhere", stdout=StringIO())


def test_ask_sees_only_the_owners_spaces(owner, answering):
    answering(graph="You live in Lyon.")
    space_create(name="secret", owner=User.objects.create_user("ben"))
    with pytest.raises(CommandError, match=r"no space 'secret'"):
        call_command("ask", "Where do I live?", space="secret", stdout=StringIO())


def test_abandoned_spaces_are_forgotten_after_a_day(db):
    fresh = space_create(name="fresh", owner=evaluation_account())
    old = space_create(name="old", owner=evaluation_account())
    Space.objects.filter(pk=old.pk).update(created_at="2020-01-01T00:00:00Z")
    assert abandoned_spaces_forget() == 1
    assert list(Space.objects.all()) == [fresh]


def test_ask_takes_any_engine_with_its_address(owner):
    space_create(name="mine", owner=owner)
    with ScriptedServer([Rule(reply="Paris.")]) as server:
        out = StringIO()
        named = f"http:scripted@{server.base_url}"
        call_command("ask", "What is the capital of France?", space="mine", responder="base", engine=named, stdout=out)
    assert out.getvalue() == "Paris.\n"
    with pytest.raises(CommandError, match="'http:' is not the name of an engine"):
        call_command("ask", "Where?", space="mine", engine="http:", stdout=StringIO())
    with pytest.raises(CommandError, match="There is no such engine here"):
        call_command("ask", "Where?", space="mine", engine="added:7", stdout=StringIO())
    bootstrap.reset()

"""Questions over several sessions, answered from what was said, and how `ask --trace` shows where it was found."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from conversations import bootstrap as conversation_bootstrap
from evaluation.services.questions import questions_evaluate
from evaluation.services.replay import file_replay
from memory import bootstrap
from tests.fakes.engines import WordEmbedder

FILE = Path(__file__).resolve().parents[2] / "data" / "recall.jsonl"
JAMES = "When did James depart for his trip to Canada?"
RECIPES = ("t_mfi", "sgmem_r_f", "bm25_s", "memory_bank", "rmm", "mini_rag")
ASKED = {"space": "journey-to-canada", "speaker": "John", "asked_at": "2022-08-10T09:00:00"}


@pytest.fixture(autouse=True)
def words_for_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap, "embedder", lambda: WordEmbedder())


def asked(question: str, **options: object) -> str:
    out = StringIO()
    call_command("ask", question, stdout=out, **{**ASKED, **options})
    return out.getvalue()


@pytest.mark.slow
@pytest.mark.django_db
def test_the_built_in_engine_answers_from_what_was_said_in_several_sessions():
    result = questions_evaluate(path=FILE, responders=["fused", "sgmem"], quiet=True)
    assert result.rounds_failed == 0, result.failure
    right = {
        name: [one.question for one in result.replies if one.is_right and one.responder == name]
        for name in ("fused", "sgmem")
    }
    assert all(JAMES in questions for questions in right.values())
    # Of twelve.
    assert all(len(questions) >= 10 for questions in right.values()), right


@pytest.mark.slow
def test_a_trace_shows_candidates_expansion_and_scores(owner):
    file_replay(path=FILE, owner=owner, only="journey-to-canada", quiet=True)
    text = asked(JAMES, responder="sgmem", trace=True)
    answer, _, trace = text.partition("\n\n")
    assert "11 July 2022" in answer
    assert f'Looked through what was said for: "{JAMES}"' in trace
    for head in ("Sentences found at first", "Conversations ranked by score", "What the answer is read from"):
        assert head in trace
    assert 'James: "I depart the day after tomorrow evening!"' in trace
    data = json.loads(asked(JAMES, responder="sgmem", trace=True, json=True))
    assert [one["kind"] for one in data["trace"]] == ["stage", "stage", "retrieval", "answer"]
    found = data["trace"][2]["data"]["retrieval"]
    assert found["trace"]["candidates"][0].keys() == {"unit", "id", "score"}, "ids and scores, and no words"
    assert "session" in found["trace"]["rankings"] and found["sentences"]
    [(unit, chunks)] = found["chunks"].items()
    scores = [chunk["score"] for chunk in chunks]
    assert unit == "session" and scores == sorted(scores, reverse=True) and chunks[0]["sentence_ids"]
    assert "\n".join(data["trace_text"]) == trace.strip("\n")
    # Without it nothing of the kind is printed; every responder has a trace.
    assert "Looked through" not in asked(JAMES, responder="sgmem")
    assert "Read your message" in asked(JAMES, responder="graph", trace=True)
    steps = json.loads(asked(JAMES, responder="graph", trace=True, json=True))["trace"]
    assert [one["kind"] for one in steps] == ["stage", "stage", "stage", "retrieval", "answer"], (
        "no fact answers: it was read back"
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", RECIPES)
def test_every_kind_of_recipe_answers_over_the_database(owner, name):
    assert name in conversation_bootstrap.responder_names()
    file_replay(path=FILE, owner=owner, only="journey-to-canada", quiet=True)
    text = asked("When does James plan to return?", responder=name, trace=True)
    assert "20 July 2022" in text.partition("\n\n")[0], text


@pytest.mark.slow
@pytest.mark.parametrize("name", ["light_rag", "kg_retriever"])
def test_a_recipe_over_relations_looks_at_the_turns_behind_them(owner, name):
    file_replay(path=FILE, owner=owner, only="hobby-over-sessions", quiet=True)
    text = asked("Who is my teacher?", space="hobby-over-sessions", speaker="Mia", responder=name, trace=True)
    answer, _, trace = text.partition("\n\n")
    assert "My teacher Olga" in answer, text
    assert "Sentences ranked by relation" in trace


@pytest.mark.slow
def test_a_question_about_nothing_that_was_said_is_not_answered(owner):
    file_replay(path=FILE, owner=owner, only="journey-to-canada", quiet=True)
    for responder in ("fused", "sgmem", "no_history"):
        assert asked("What is my brother's name?", responder=responder).startswith("I don't know that yet.")

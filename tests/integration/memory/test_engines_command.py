"""`manage.py engines` on real engines: the built-in one, a script, and servers that answer or do not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from memory import bootstrap
from memory.adapters.language_models.scripted import Rule
from memory.adapters.language_models.scripted_server import ScriptedServer, ServerConfig
from memory.bootstrap.roles import EXTRACT_FACTS
from memory.management.commands import engines


@pytest.fixture(autouse=True)
def _fresh_engines() -> Iterator[None]:
    bootstrap.reset()
    yield
    bootstrap.reset()


def run(*arguments: str) -> tuple[str, str, int]:
    out, err, status = StringIO(), StringIO(), 0
    try:
        call_command("engines", *arguments, stdout=out, stderr=err)
    except SystemExit as stop:
        status = int(stop.code or 0)
    return out.getvalue(), err.getvalue(), status


def test_builtin_engine_reads_a_fact(settings: Any) -> None:
    settings.DSMART_ENGINE, settings.DSMART_EXTRA_ENGINES = "builtin", []
    out, err, status = run()
    line, *roles = out.splitlines()
    assert line.startswith("builtin (default): answers: 'I live in Paris.' says You livesIn Paris [")
    assert [line.split()[:2] for line in roles] == [
        ["extract_facts", "learned"],
        ["write_statement", "rule_based"],
        ["read_round", "off"],
        ["detect_conflicts", "learned"],
        ["summarise", "rule_based"],
        ["tell_facts", "rule_based"],
        ["find_insights", "rule_based"],
        ["read_questions", "learned"],
        ["resolve_references", "learned"],
        ["read_answers", "learned"],
        ["find_senses", "learned"],
        ["judge_entailment", "learned"],
        ["reformulate", "learned"],
        ["select_triples", "learned"],
        ["split_facts", "rule_based"],
        ["verify_facts", "learned"],
        ["score_relevance", "off"],
        ["propose_action", "-"],
        ["score_state", "-"],
        ["decompose_goal", "-"],
        ["unify_subgoals", "-"],
        ["refine_subgoals", "-"],
        ["write_answer", "-"],
        ["answer_from_facts", "learned"],
        ["rewrite_query", "-"],
        ["reflect", "-"],
        ["act_on_memory", "-"],
        ["guide_memory", "-"],
        ["write_title", "rule_based"],
        ["extract_evidence", "learned"],
    ]
    assert roles[0] == "  extract_facts       learned     reads facts out of what is said"
    assert (err, status) == ("", 0)


def test_role_that_nobody_knows_is_named_with_those_that_there_are(settings: Any) -> None:
    settings.DSMART_ROLES = {"read_minds": "prompted"}
    with pytest.raises(CommandError, match=r"the role 'read_minds'. There is no such role. Roles: extract_facts, "):
        run()


def test_server_is_timed_and_a_dead_extra_engine_does_not_fail_the_command(settings: Any, tmp_path: Path) -> None:
    script = tmp_path / "script.jsonl"
    script.write_text('{"error": "unreachable", "message": "The line is dead. Check the cable."}')
    with ScriptedServer([Rule(reply="Monday Tuesday Wednesday")], config=ServerConfig(latency_s=0.1)) as server:
        settings.DSMART_ENGINE = "http:scripted"
        settings.DSMART_EXTRA_ENGINES = [f"scripted:{script}"]
        settings.DSMART_HTTP_BASE_URL, settings.DSMART_HTTP_API_KEY = server.base_url, ""
        out, _, status = run("--json")
    first, builtin, extra = json.loads(out)["engines"]
    assert status == 0
    assert (first["name"], first["is_default"], first["answers"]) == ("http:scripted", True, True)
    assert 0.1 <= first["first_token_s"] <= first["start_s"]
    assert 0 < first["tokens_per_s"] <= 30
    assert [one.body["max_tokens"] for one in server.requests] == [16]
    assert builtin["answers"]
    assert (extra["answers"], extra["said"]) == (False, "The line is dead. Check the cable.")
    assert (first["roles"]["extract_facts"], first["roles"]["write_answer"]) == ("prompted", "prompted")
    assert (builtin["roles"]["extract_facts"], builtin["roles"]["write_answer"]) == ("learned", None)


class Watched(StringIO):
    """What is written, with how many engines had been asked by then."""

    def __init__(self, server: ScriptedServer) -> None:
        super().__init__()
        self.server, self.asked = server, list[tuple[str, int]]()

    def write(self, text: str) -> int:
        self.asked.append((text.split(" ")[0].rstrip(":"), len(self.server.requests)))
        return super().write(text)


def test_each_engine_is_told_as_it_is_tried_and_one_that_hangs_is_left_alone(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engines, "TRIALS_S", 4.0)
    bootstrap.engine("builtin").player(EXTRACT_FACTS)
    with ScriptedServer([Rule(reply="Monday")], config=ServerConfig(latency_s=6.0)) as server:
        again = f"http:scripted@{server.base_url}"
        settings.DSMART_ENGINE, settings.DSMART_EXTRA_ENGINES = "http:scripted", [again]
        settings.DSMART_HTTP_BASE_URL, settings.DSMART_HTTP_API_KEY = server.base_url, ""
        out = Watched(server)
        with pytest.raises(SystemExit, match="1"):
            call_command("engines", stdout=out, stderr=StringIO())
    told = [line for line in out.getvalue().splitlines() if not line.startswith(" ")]
    assert [line.split(" ")[0].rstrip(":") for line in told] == ["http:scripted", "builtin", again]
    assert told[0].startswith(
        "http:scripted (default): FAILS. It did not answer within 1 s. Check that its server runs"
    )
    assert [asked for asked in out.asked if asked[0].startswith("http:")] == [("http:scripted", 1), (again, 2)]


@pytest.mark.parametrize(
    ("engine", "words"),
    [
        ("http:scripted", "refused the key. Check DSMART_HTTP_API_KEY."),
        ("transformers:/no/such/folder", "There is no model folder /no/such/folder."),
        ("scripted:/no/such/file", "The script /no/such/file cannot be read."),
        ("gpt", "'gpt' is not the name of an engine."),
    ],
)
def test_default_engine_that_fails_says_what_to_do_and_exits_with_1(settings: Any, engine: str, words: str) -> None:
    with ScriptedServer([Rule(reply="x")], config=ServerConfig(api_key="sk-right")) as server:
        settings.DSMART_ENGINE, settings.DSMART_EXTRA_ENGINES = engine, []
        settings.DSMART_HTTP_BASE_URL, settings.DSMART_HTTP_API_KEY = server.base_url, "sk-wrong"
        out, err, status = run()
    line, builtin = (said for said in out.splitlines() if not said.startswith(" "))
    assert line.startswith(f"{engine} (default): FAILS. ")
    assert words in line
    assert builtin.startswith("builtin: answers")
    assert "default engine does not answer" in err
    assert "sk-wrong" not in out + err
    assert status == 1

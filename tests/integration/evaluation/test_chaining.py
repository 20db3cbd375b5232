"""All ways of reasoning over all memories, on one conversation, by one command."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from evaluation.core.judging.types import Judgement, ReplyToJudge
from evaluation.services import chaining
from evaluation.services.chaining import ChainingPlan
from evaluation.services.chaining_ways import WAYS
from memory import bootstrap
from memory.bootstrap import backbones as making
from memory.core.backbones.catalogue import BACKBONES, make_backbone
from memory.core.types import MemoryUnit, RetrievalQuery, Utterance
from tests.fakes.engines import StopSegmenter, WordEmbedder

SAID = [
    ("Oskar", "I sing in the Linden choir now."),
    ("Ben", "The Linden choir meet in the old mill."),
    ("Oskar", "See you there."),
]
QUESTIONS = [
    {"question": "Where does the choir of Oskar meet?", "answer": "the old mill", "evidence": ["D1:2"], "category": 1},
    {"question": "What is the choir of Oskar singing?", "adversarial_answer": "Bach", "category": 5},
]
ANSWER = r"choir of Oskar meet\?[\s\S]*Write the answer as the JSON object"
# The question comes after the facts in the prompts of answers and unifiers, before them in those of the baselines.
REPLIES: list[dict[str, Any]] = [
    {"when": r"old mill[\s\S]*" + ANSWER, "reply": {"answer": "the old mill"}},
    {"when": "Write the answer as the JSON object", "reply": {"answer": "I don't know"}},
    {"when": "queries as the JSON object", "reply": {"intent": "A place.", "queries": ["Linden choir"]}},
    {
        "when": "Judge the memories as the JSON object",
        "reply": {"rationale": "It is there.", "sufficient": True, "next_query": ""},
    },
    {"when": "Name what is missing", "reply": {"sufficient": True, "missing": [], "queries": []}},
    {"when": "Score the memories", "reply": {"scores": [{"number": 1, "score": 1}]}},
    {
        "when": "No step was taken yet",
        "reply": {"thought": "", "action": "retrieve", "words": "Where do the Linden choir meet"},
    },
    {
        "when": r"meet\?[\s\S]*old mill[\s\S]*Name the thought",
        "reply": {"thought": "", "action": "finish", "words": "the old mill"},
    },
    {"when": "Name the thought", "reply": {"thought": "", "action": "finish", "words": "I don't know"}},
    {
        "when": r"choir of Oskar meet\?[\s\S]*Write goal and subgoals",
        "reply": {
            "goal": "the choir of (Oskar) meets in (x:place)",
            "subgoals": [{"says": "the (Linden choir) meet in (x:place)", "query": "Linden choir meet"}],
            "answer": ["x"],
        },
    },
    {"when": "Write goal and subgoals", "reply": {"goal": "", "subgoals": [], "answer": []}},
    *(
        {
            "when": rf"(?m)^{number}\. .*old mill[\s\S]*Say which of these statements",
            "reply": {
                "grounded": [
                    {
                        "subgoal": 1,
                        "facts": [number],
                        "bridge": "",
                        "bindings": [{"variable": "x", "value": "the old mill"}],
                    }
                ],
                "unresolved": [],
            },
        }
        for number in range(1, 10)
    ),
    {"when": "Say which of these statements", "reply": {"grounded": [], "unresolved": []}},
    {"when": "Say what to look for next", "reply": {"antecedents": [], "why_stopped": "Nothing is left."}},
    {
        "when": "as the JSON object",
        "reply": {"facts": [], "statement": [], "conflicts": [], "summary": "", "insights": []},
    },
]


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch, db: None) -> None:
    monkeypatch.setattr(making, "embedder", WordEmbedder)
    monkeypatch.setattr(making, "segmenter", StopSegmenter)
    monkeypatch.setattr(bootstrap, "entailment_model", lambda: None)


@pytest.fixture
def engine(tmp_path: Path, settings: Any) -> str:
    script = tmp_path / "replies.jsonl"
    script.write_text("\n".join(map(json.dumps, REPLIES)))
    return f"scripted:{script}"


@pytest.fixture
def conversation(tmp_path: Path) -> Path:
    turns = [
        {"speaker": speaker, "dia_id": f"D1:{number}", "text": text} for number, (speaker, text) in enumerate(SAID, 1)
    ]
    record = {
        "sample_id": "one",
        "conversation": {"session_1_date_time": "1:56 pm on 8 May, 2023", "session_1": turns},
        "qa": QUESTIONS,
    }
    path = tmp_path / "conversation.json"
    path.write_text(json.dumps([record]))
    return path


def evaluated(tmp_path: Path, *arguments: object) -> tuple[dict[tuple[str, str, str], Any], list[dict[str, Any]]]:
    out, items = tmp_path / "out.json", tmp_path / "items.jsonl"
    call_command(
        "evaluate", "chaining", *map(str, arguments), "--json", str(out), "--items", str(items), verbosity=0,
        stdout=StringIO(),
    )  # fmt: skip
    rows = {
        (row["name"], row["metric"], row.get("group", "")): row["value"] for row in json.loads(out.read_text())["rows"]
    }
    return rows, [json.loads(line) for line in items.read_text().splitlines()]


def test_every_way_over_every_memory_is_measured(tmp_path: Path, conversation: Path, engine: str) -> None:
    rows, items = evaluated(tmp_path, "--data", conversation, "--engine", engine)
    assert {(item["scored"]["responder"], item["scored"]["error"]) for item in items} == {
        (f"{way}/{memory}", "") for way in WAYS for memory in BACKBONES
    }
    over_bm25 = {way: rows[f"{way}/bm25", "token_f1", ""] for way in WAYS}
    assert over_bm25 == dict.fromkeys(WAYS, 1.0)
    assert {way: rows[f"{way}/bm25", "refused", "adversarial"] for way in WAYS} == dict.fromkeys(WAYS, 1.0)
    assert {way: rows[f"{way}/bm25", "calls", ""] for way in WAYS} == {
        "alone": 1,
        "query_reformulation": 2,
        "self_reflection": 2,
        "react": 2,
        "memguide": 4,
        "goal_mem": 3,  # Two and the answer; for the question without one, three decompositions with no subgoal.
    }
    assert (rows["goal_mem/bm25", "breadth", ""], rows["goal_mem/bm25", "depth", ""]) == (2, 0)
    written = {
        (memory, f"write_{metric}", "") for memory in BACKBONES for metric in ("calls", "prompt_tokens", "seconds")
    }
    assert written <= set(rows)
    assert (rows["bm25", "write_units", ""], rows["bm25", "write_calls", ""]) == (3, 0)
    assert rows["mem0", "write_calls", ""] > 0
    assert rows["mem0", "write_prompt_tokens", ""] > 0


def test_own_cases_are_judged_by_what_answers_contain(tmp_path: Path, engine: str) -> None:
    turns = [{"role": "user", "speaker": speaker, "text": text} for speaker, text in SAID]
    questions = [
        {"question": "Where does the choir of Oskar meet?", "answers": ["old mill"]},
        {"question": "Where does the choir of Oskar meet?", "answers": ["mill"], "not": ["old"]},
        {"question": "What does the choir sing?", "answers": []},
    ]
    case = {
        "id": "a",
        "sessions": [{"started_at": "2024-03-02T18:20:00", "turns": turns}],
        "questions": questions,
    }
    path = tmp_path / "cases.jsonl"
    path.write_text(json.dumps(case))
    rows, _ = evaluated(
        tmp_path, "--data", path, "--engine", engine, "--backbones", "bm25", "--methods", "alone,goal_mem"
    )
    for way in ("alone", "goal_mem"):
        assert rows[f"{way}/bm25", "accuracy", ""] == 0.5
        assert rows[f"{way}/bm25", "accuracy", "answerable"] == 0.5
        assert rows[f"{way}/bm25", "refused", ""] == rows[f"{way}/bm25", "refused", "unanswerable"] == 1.0


def test_without_a_language_model_the_memory_alone_is_measured(tmp_path: Path, conversation: Path) -> None:
    rows, items = evaluated(
        tmp_path, "--data", conversation, "--engine", "builtin", "--backbones", "bm25", "--methods", "alone,react"
    )
    assert {item["scored"]["responder"] for item in items} == {"alone/bm25"}
    assert rows["alone/bm25", "token_f1", ""] > 0.5
    assert rows["alone/bm25", "calls", ""] == 0
    assert rows["react/bm25", "token_f1", ""] is None


def test_answers_are_judged_beside_rules(tmp_path: Path, conversation: Path, engine: str) -> None:
    only = ("--data", conversation, "--engine", engine, "--backbones", "bm25", "--methods", "alone")
    rows, items = evaluated(tmp_path, *only, "--judge", "words")
    assert {group: value for (_, metric, group), value in rows.items() if metric == "judged"} == {
        "": 1.0,
        "multi-hop": 1.0,
        "adversarial": 1.0,
    }
    assert [item["scored"]["figures"]["judged"] for item in items] == [1, 1]
    assert not any(metric == "judged" for _, metric, _ in evaluated(tmp_path, *only)[0])
    with pytest.raises(CommandError, match="There is no judge 'nobody'"):
        evaluated(tmp_path, *only, "--judge", "nobody")


def test_an_answer_that_cannot_be_judged_is_counted_and_has_no_figure(conversation: Path, engine: str) -> None:
    bootstrap.engine_admit(engine)
    plan = ChainingPlan(("bm25",), ("alone",), engine=engine)
    result = chaining.chaining_evaluate(
        path=conversation,
        plan=plan,
        make_backbone=lambda name: make_backbone(name, making.backbone_parts(bootstrap.engine(engine))),
        quiet=True,
    )
    failed = replace(result.reasoned[0], scored=replace(result.reasoned[0].scored, error="It broke."))
    result = replace(result, reasoned=(*result.reasoned, failed))

    class Silent:
        name, metric, digest = "silent", "judged", ""

        def judge_many(self, replies: Sequence[ReplyToJudge]) -> list[Judgement]:
            return [Judgement(None, why="prose") for _ in replies]

    judged = chaining.answers_judge(result, Silent())
    assert [one.scored.figures.get("judged") for one in judged.reasoned] == [None, None, 0.0]
    [row] = [row for row in judged.rows(plan) if row.metric == "judged_unscored"]
    assert (row.value, row.n, row.why) == (2, 3, "the judge gave no verdict that can be read")


def test_budgets_of_a_search_are_told_by_one_run(tmp_path: Path, conversation: Path, engine: str) -> None:
    only = ("--data", conversation, "--engine", engine, "--backbones", "bm25", "--methods", "alone,goal_mem")
    rows, _ = evaluated(tmp_path, *only, "--budgets")
    groups = {group: value for (name, metric, group), value in rows.items() if name == "goal_mem/bm25" and " " in group}
    assert groups == {
        "depth up to 0": 1.0,
        **dict.fromkeys(("breadth up to 1", "breadth up to 2", "breadth up to 3"), 1.0),
        "breadth 1": 0.5,
        "breadth 3": 0.5,
        "depth 0": 1.0,
        "subgoals 0": 0.5,
        "subgoals 1": 0.5,
    }
    assert not any("up to" in group for _, _, group in evaluated(tmp_path, *only)[0])


class FullMemory:
    """A memory that takes nothing in."""

    name, size = "full", 0

    def add(self, turns: Sequence[Utterance]) -> None:
        raise OSError("There is no room.")

    def retrieve(self, query: RetrievalQuery, *, limit: int) -> list[MemoryUnit]:
        return []


def test_memory_that_cannot_be_written_fails_its_own_items(conversation: Path, engine: str) -> None:
    bootstrap.engine_admit(engine)
    plan = chaining.ChainingPlan(("full",), ("alone",), engine=engine)
    result = chaining.chaining_evaluate(path=conversation, plan=plan, make_backbone=lambda _: FullMemory(), quiet=True)
    rows = {(row.name, row.metric, row.group): (row.value, row.why) for row in result.rows(plan)}
    assert rows["alone/full", "failed", ""] == (2, "There is no room.")
    assert rows["full", "write_failed", ""] == (1, "There is no room.")


@pytest.mark.parametrize(
    ("option", "names", "words"),
    [
        ("--methods", "alone,guess", "There is no method 'guess'. Methods: alone, "),
        ("--methods", "alone,alone", "A method is named twice."),
        ("--backbones", "bm25,heap", "There is no backbone 'heap'."),
        ("--backbones", " , ", "No backbone is named."),
        ("--methods", "", "No method is named."),
    ],
)
def test_names_that_are_none_measure_nothing(conversation: Path, option: str, names: str, words: str) -> None:
    with pytest.raises(CommandError, match=words):
        call_command(
            "evaluate", "chaining", "--data", str(conversation), option, names, "--engine", "builtin", verbosity=0
        )

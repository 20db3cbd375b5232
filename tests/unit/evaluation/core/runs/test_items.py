"""Frozen cases, and the items that they are unrolled into."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime

from evaluation.core.runs.identity import case_of, content_digest, frozen, task_of
from evaluation.core.runs.items import (
    ASKER,
    ItemSpec,
    asker_of,
    dialogues_of,
    of_each_category,
    question_items,
    turn_items,
)
from evaluation.core.tasks.types import Constraint, Scoring, Task, TaskTurn
from evaluation.core.types import Case, CaseQuestion, CaseSession, CaseTurn
from memory.core.types import Role

AT = datetime(2024, 3, 2, 18, 20, tzinfo=UTC)
SAID = (
    CaseTurn(Role.USER, "Ana", "I live in Lyon.", AT, "D1:1"),
    CaseTurn(Role.ASSISTANT, "Assistant", "Noted.", AT, "D1:2"),
    CaseTurn(Role.USER, "Ana", "Where do I live?", AT, "D1:3"),
)
ASKED = CaseQuestion(
    "1", "Where?", AT, "Ana", ("Lyon",), category="single-hop", evidence=("D1:1", "D1:1"), marked=("D1:3",)
)
TRAP = replace(ASKED, id="2", answers=("No",), category="adversarial", evidence=(), marked=())
OPEN = replace(ASKED, id="3", answers=None, evidence=(), marked=())
CASE = Case("ana", "homes", (CaseSession("session_1", AT, SAID),), (ASKED, TRAP, OPEN))
TASK = Task(
    "t", "list", Scoring.CONSTRAINT, (TaskTurn("Hi.", given="Yes?"), TaskTurn("One."), TaskTurn("Two.")),
    constraint=Constraint("language", ("Greek",)), criteria=("Is it short?",),
)  # fmt: skip


def test_frozen_case_is_the_same_after_json() -> None:
    assert case_of(json.loads(json.dumps(frozen(CASE)))) == CASE
    assert task_of(json.loads(json.dumps(frozen(TASK)))) == TASK


def test_digest_of_a_case_is_of_what_is_remembered_not_of_what_is_asked() -> None:
    fewer = replace(CASE, questions=(ASKED,))
    longer = replace(CASE, sessions=(CaseSession("session_1", AT, SAID[:2]),))
    digests = [content_digest(frozen(one)) for one in (CASE, fewer, longer)]
    assert digests[0] == digests[1] != digests[2]


def test_questions_become_items_and_what_locomo_gives_for_an_unanswerable_one_does_not_count() -> None:
    assert question_items(CASE, benchmark="locomo") == [
        ItemSpec("1", 1, "single-hop", "Where?", ("Lyon",), ("D1:1", "D1:3")),
        ItemSpec("2", 2, "adversarial", "Where?", ()),
        ItemSpec("3", 3, "single-hop", "Where?", None),
    ]
    assert question_items(CASE, benchmark="jsonl")[1] == ItemSpec("2", 2, "adversarial", "Where?", ("No",))
    assert (asker_of(ASKED, benchmark="locomo"), asker_of(ASKED, benchmark="jsonl")) == (ASKER, "Ana")


def test_first_questions_of_each_category_are_taken() -> None:
    assert of_each_category(CASE.questions, 1) == [ASKED, TRAP]
    assert of_each_category(CASE.questions, None) == list(CASE.questions)


def test_turns_that_are_given_are_no_items() -> None:
    assert turn_items(TASK) == [ItemSpec("2", 1, "list", "One."), ItemSpec("3", 2, "list", "Two.")]


def test_recorded_dialogue_becomes_its_users_turns() -> None:
    assert dialogues_of(CASE) == [
        Task("ana", "homes", Scoring.JUDGE, (TaskTurn("I live in Lyon."), TaskTurn("Where do I live?")))
    ]
    silent = replace(CASE, sessions=(*CASE.sessions, CaseSession("session_2", AT, SAID[1:2])))
    assert [task.id for task in dialogues_of(silent)] == ["ana/session_1"]

"""Loaders of tasks over several turns: small samples of our own, malformed records, and counts of the real files."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

import pytest

from evaluation.adapters.played_file import PLAYED, PlayedFile
from evaluation.benchmarks.task_catalogue import read_tasks
from evaluation.core.errors import MalformedBenchmark, UnknownFormat
from evaluation.core.tasks.types import Mode, PlayedTask, Scoring, Task, TaskTurn

SHARDED = {
    "task_id": "own/1",
    "task": "math",
    "question": "Ana has 3 pens and Ben twice as many. How many do they have?",
    "answer": "Ben has 2 * 3 = 6.\n#### 9",
    "shards": [
        {"shard_id": 1, "shard": "How many pens do they have?"},
        {"shard_id": 2, "shard": "Ana has 3."},
        {"shard_id": 3, "shard": "Ben has twice as many."},
    ],
}
CHALLENGE = {
    "QUESTION_ID": "q1",
    "AXIS": "INFERENCE_MEMORY",
    "CONVERSATION": [
        {"role": "user", "content": "I eat no nuts."},
        {"role": "assistant", "content": "Noted."},
        {"role": "user", "content": "What shall I bake?"},
    ],
    "TARGET_QUESTION": "Is the cake without nuts?",
    "PASS_CRITERIA": "YES",
}
CLASSES = {
    "id": "1",
    "conv": [
        {"user": "Choose one of:\nmusic\nart", "sys": "ok.", "id": "instruction", "do_inference": False},
        {"user": "A painting.", "sys": "art", "id": "2", "do_inference": False},
        {"user": "A song.", "sys": "music", "id": "3", "do_inference": True},
    ],
}
INSTRUCTED = {"id": 1, "query": "Is coffee healthy?", "instructions": ["change_case:lowercase", "punctuation:no_comma"]}
EXTENDED = {
    "question_id": 81,
    "category": "writing",
    "conversation": [{"user": f"Turn {n}", "sys": f"Reply {n}", "id": f"81_{n}"} for n in range(3)],
}
REFINED = [{"user": "Sum it up.", "sys": "", "id": "1_sum_1"}, {"user": "Shorter.", "sys": "", "id": "1_sum_2"}]
EVERY = tuple(Mode)


def file_of(folder: Path, *records: object, is_list: bool = False) -> Path:
    path = folder / "tasks.json"
    lines = json.dumps(records, indent=1) if is_list else "\n".join(map(json.dumps, records))
    path.write_text(lines, encoding="utf-8")
    return path


def test_a_sharded_problem_is_told_in_three_ways(tmp_path: Path) -> None:
    name, tasks = read_tasks(file_of(tmp_path, SHARDED, is_list=True), modes=EVERY)
    assert name == "lost_in_conversation"
    assert [(one.mode, one.number, one.scoring) for one in tasks] == [(mode, "9", Scoring.NUMBER) for mode in EVERY]
    assert [[turn.text for turn in one.turns] for one in tasks] == [
        [SHARDED["question"]],
        ["Take all of this together:\n- How many pens do they have?\n- Ana has 3.\n- Ben has twice as many."],
        ["How many pens do they have?", "Ana has 3.", "Ben has twice as many."],
    ]
    assert [one.mode for one in read_tasks(tmp_path / "tasks.json", modes=["sharded"])[1]] == ["sharded"]


def test_conversations_are_played_up_to_the_message_that_is_asked(tmp_path: Path) -> None:
    (challenge,) = read_tasks(file_of(tmp_path, CHALLENGE), modes=())[1]
    assert challenge == Task(
        "q1",
        "INFERENCE_MEMORY",
        Scoring.JUDGE,
        (TaskTurn("I eat no nuts.", "Noted."), TaskTurn("What shall I bake?")),
        criteria=("Is the cake without nuts? The answer has to be YES.",),
    )


def test_the_forms_of_mteval_are_told_by_their_first_record(tmp_path: Path) -> None:
    (classes,) = read_tasks(file_of(tmp_path, CLASSES), modes=())[1]
    assert classes.labels == ("music", "art")
    assert classes.turns == (
        TaskTurn("Choose one of:\nmusic\nart", "ok."),
        TaskTurn("A painting.", "art"),
        TaskTurn("A song.", label="music"),
    )
    documents = read_tasks(
        file_of(tmp_path, {"topic": "art", "gen_resp": "x"}, {"topic": "food", "gen_resp": "y"}), modes=()
    )[1]
    assert [(one.labels, one.turns[0].label) for one in documents] == [
        (("art", "food"), "art"),
        (("art", "food"), "food"),
    ]
    instructed = read_tasks(file_of(tmp_path, INSTRUCTED), modes=())[1]
    assert [(one.id, one.turns[1].text) for one in instructed] == [
        ("change_case:lowercase/1", "Is coffee healthy?"),
        ("punctuation:no_comma/1", "Is coffee healthy?"),
    ]
    (extended,) = read_tasks(file_of(tmp_path, EXTENDED), modes=())[1]
    assert [turn.given for turn in extended.turns] == ["Reply 0", "Reply 1", None]
    (refined,) = read_tasks(file_of(tmp_path, REFINED), modes=())[1]
    assert (refined.id, refined.category, len(refined.turns)) == ("1_sum_1", "sum", 2)


@pytest.mark.parametrize(
    ("record", "changed", "where"),
    [
        (SHARDED, {"answer": "nine"}, "record 1, field answer"),
        (SHARDED, {"task": "code"}, "record 1, field task"),
        (SHARDED, {"shards": [{"shard_id": 2, "shard": "x"}]}, r"record 1, field shards\[0\].shard_id"),
        (SHARDED, {"shards": []}, "record 1, field shards"),
        (CHALLENGE, {"CONVERSATION": CHALLENGE["CONVERSATION"][:2]}, "record 1, field CONVERSATION"),
        (CHALLENGE, {"CONVERSATION": [{"role": "assistant", "content": ""}]}, r"field CONVERSATION\[0\].role"),
        (CHALLENGE, {"PASS_CRITERIA": None}, "record 1, field PASS_CRITERIA: missing"),
        (CLASSES, {"conv": [{"user": "a", "sys": "b", "do_inference": 1}]}, r"field conv\[0\].do_inference"),
        (CLASSES, {"conv": [{"user": "a", "sys": "b", "do_inference": True}]}, r"field conv\[0\].sys"),
        (INSTRUCTED, {"instructions": ["format:haiku"]}, r"record 1, field instructions\[0\]"),
        (EXTENDED, {"conversation": []}, "record 1, field conversation"),
    ],
)
def test_a_malformed_record_is_named_with_its_field(
    tmp_path: Path, record: dict[str, object], changed: dict[str, object], where: str
) -> None:
    path = file_of(tmp_path, record | changed, is_list="shards" in record)
    with pytest.raises(MalformedBenchmark, match=where):
        read_tasks(path, modes=EVERY)


def test_what_has_no_known_form_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnknownFormat):
        read_tasks(file_of(tmp_path, {"hello": 1}), modes=EVERY)


@pytest.mark.parametrize(
    ("record", "field"),
    [(CHALLENGE, "QUESTION_ID: 'q1'"), (SHARDED, "task_id: .*"), (EXTENDED, "id or question_id: .*")],
)
def test_an_id_that_is_used_twice_is_named_by_its_own_field(
    tmp_path: Path, record: dict[str, object], field: str
) -> None:
    path = file_of(tmp_path, record, record, is_list="shards" in record)
    with pytest.raises(MalformedBenchmark, match=f"^record 2, field {field} is the id of record 1 already$"):
        read_tasks(path, modes=EVERY)


def test_a_torn_last_line_is_dropped_and_another_wrong_one_is_named(tmp_path: Path) -> None:
    path = tmp_path / "items.jsonl"
    one = PlayedTask("k", Task("a", "", Scoring.JUDGE, (TaskTurn("x"),)), "b", "base", "e", 0, ())
    PlayedFile(path).add(one)
    whole = path.read_bytes()
    path.write_bytes(whole + PLAYED.dump_json(one)[:20])
    assert PlayedFile(path).find("k") == one
    assert path.read_bytes() == whole
    path.write_bytes(b'{"key": 1}\n' + whole)
    with pytest.raises(MalformedBenchmark, match=r"items.jsonl, line 1, field"):
        PlayedFile(path)


@pytest.mark.parametrize(
    ("name", "tasks", "turns", "asked"),
    [
        ("multichallenge/questions_dev.jsonl", 141, 692, 141),
        ("lost_in_conversation/sharded_gsm8k_v1.json", 999, 333 + 333 + 1659, 2325),
        ("mteval/cls_ablation_gold.jsonl", 50, 425, 50),
        ("mteval/documents.jsonl", 50, 50, 50),
        ("mteval/global_inst.jsonl", 30, 330, 300),
        ("mteval/mt-bench_extended.jsonl", 40, 200, 120),
        ("mteval/refinement_multi_inst.jsonl", 40, 190, 190),
        ("mteval/refinement_single_inst.jsonl", 100, 100, 100),
    ],
)
def test_the_real_files_are_read_whole(name: str, tasks: int, turns: int, asked: int) -> None:
    path = Path(os.environ.get("DSMART_TEST_BENCHMARKS", "shared/data")) / name
    if not path.exists():
        pytest.skip(f"{name} is not here; DSMART_TEST_BENCHMARKS names the folder that has it")
    read = read_tasks(path, modes=EVERY)[1]
    assert len(read) == tasks
    assert sum(len(one.turns) for one in read) == turns
    assert sum(turn.given is None for one in read for turn in one.turns) == asked
    if name.startswith("lost"):
        assert Counter(one.mode for one in read) == dict.fromkeys(EVERY, 333)

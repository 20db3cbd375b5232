"""Files that do not follow their format: the record's number and field are named, whatever the damage."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaluation.benchmarks.catalogue import FORMATS, read_cases
from evaluation.core.errors import EvaluationError, MalformedBenchmark
from tests.hypothesis_profiles import examples

JSONL: dict[str, Any] = {
    "id": "a",
    "category": "c",
    "sessions": [
        {
            "started_at": "2024-03-02T18:20:00",
            "turns": [{"role": "user", "speaker": "Ana", "text": "Hi."} for _ in range(3)],
        }
    ],
    "questions": [{"question": "Q?", "answers": ["x"], "not": ["y"]}],
}
MTBENCH: dict[str, Any] = {"task": "GR", "id": 2, "history": [{"user": "Who?", "bot": "Me."}]}
LOCOMO: dict[str, Any] = {
    "sample_id": "a",
    "conversation": {
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [{"speaker": "Ana", "dia_id": "D1:1", "text": "Hi."}],
    },
    "qa": [{"question": "Q?", "answer": "x", "evidence": ["D1:1"], "category": 1}],
}
LONGMEMEVAL: dict[str, Any] = {
    "question_id": "a",
    "question_type": "t",
    "question": "Q?",
    "answer": "x",
    "question_date": "2023/05/30 (Tue) 23:40",
    "answer_session_ids": ["s"],
    "haystack_dates": ["2023/05/20 (Sat) 02:21"],
    "haystack_session_ids": ["s"],
    "haystack_sessions": [[{"role": "user", "content": "Hi."}]],
}
BEAM: dict[str, Any] = {
    "batch_number": 1,
    "turns": [[{"role": "user", "id": 1, "content": "Hi.", "time_anchor": "March-15-2024"}]],
}

CI_TOD: dict[str, Any] = {
    "id": 74,
    "dialogue": [{"turn": "driver", "utterance": "when is my lab"}, {"turn": "assistant", "utterance": "at 5pm"}],
    "scenario": {"qi": "0", "hi": "1", "kbi": "0"},
}

SAMPLES = {
    "jsonl": JSONL,
    "mtbench101": MTBENCH,
    "locomo": LOCOMO,
    "longmemeval": LONGMEMEVAL,
    "beam": BEAM,
    "ci_tod": CI_TOD,
}
AS_LINES = {"jsonl", "mtbench101"}


def file_of(folder: Path, format: str, records: list[object]) -> Path:
    path = folder / ("chat.json" if format == "beam" else "sample.json")
    text = "\n".join(json.dumps(record) for record in records) if format in AS_LINES else json.dumps(records)
    path.write_text(text, encoding="utf-8")
    return path


def damaged(sample: dict[str, Any], path: list[str | int], value: object) -> dict[str, Any]:
    copied = copy.deepcopy(sample)
    place: Any = copied
    for step in path[:-1]:
        place = place[step]
    if value is ...:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return copied


@pytest.mark.parametrize(
    ("format", "path", "value", "message"),
    [
        (
            "jsonl",
            ["sessions", 0, "turns", 2, "role"],
            "usr",
            "field sessions[0].turns[2].role: expected 'user' or 'assistant', got 'usr'",
        ),
        ("jsonl", ["sessions", 0, "turns", 0, "text"], ..., "field sessions[0].turns[0].text: missing"),
        ("jsonl", ["sessions", 0, "turns", 0, "text"], 5, "field sessions[0].turns[0].text: expected a text, got 5"),
        ("jsonl", ["sessions", 0, "started_at"], "soon", "field sessions[0].started_at: expected a date and time"),
        ("jsonl", ["sessions"], {}, "field sessions: expected a list, got {}"),
        ("jsonl", ["id"], "", "field id: expected a name, got ''"),
        ("jsonl", ["questions", 0, "answers"], "x", "field questions[0].answers: expected a list, got 'x'"),
        ("jsonl", ["questions", 0, "answers"], ..., "field questions[0].answers: missing"),
        ("jsonl", ["questions", 0, "answers", 0], True, "field questions[0].answers[0]: expected an answer"),
        ("jsonl", ["sessions", 0, "turns"], [], "field sessions: expected at least one turn"),
        ("mtbench101", ["history", 0, "bot"], ..., "field history[0].bot: missing"),
        ("mtbench101", ["task"], "XX", "field task: expected one of the 13 tasks (CM, SI, AR, "),
        ("locomo", ["qa", 0, "category"], 6, "field qa[0].category: expected one of the categories 1 to 5, got 6"),
        ("mtbench101", ["history", 0], "hello", "field history[0]: expected an object, got 'hello'"),
        (
            "locomo",
            ["conversation", "session_1_date_time"],
            "yesterday",
            "field conversation.session_1_date_time: expected a date",
        ),
        ("locomo", ["conversation", "session_1_date_time"], ..., "field conversation.session_1_date_time: missing"),
        (
            "locomo",
            ["conversation", "session_1", 0, "speaker"],
            ...,
            "field conversation.session_1[0].speaker: missing",
        ),
        ("locomo", ["qa", 0, "question"], None, "field qa[0].question: missing"),
        ("longmemeval", ["haystack_dates"], [], "field haystack_dates: expected as many dates as there are"),
        ("longmemeval", ["haystack_dates", 0], "2023/13/40 (Sat) 02:21", "field haystack_dates[0]: expected a date"),
        (
            "longmemeval",
            ["haystack_sessions", 0, 0, "role"],
            "system",
            "field haystack_sessions[0][0].role: expected 'user'",
        ),
        (
            "jsonl",
            ["sessions", 0, "started_at"],
            "0000-01-01T00:00:00",
            "field sessions[0].started_at: expected a date",
        ),
        (
            "jsonl",
            ["sessions", 0, "started_at"],
            "0001-01-01T00:00:00+14:00",
            "field sessions[0].started_at: expected a",
        ),
        (
            "jsonl",
            ["sessions", 0, "started_at"],
            "9999-12-31T23:59:59",
            "field sessions[0].started_at: expected a date",
        ),
        (
            "jsonl",
            ["sessions", 0, "started_at"],
            "99999-01-01T00:00:00",
            "field sessions[0].started_at: expected a date",
        ),
        ("jsonl", ["sessions", 0, "started_at"], 1e300, "field sessions[0].started_at: expected a text"),
        (
            "locomo",
            ["conversation", "session_1_date_time"],
            "1:56 pm on 31 December, 9999",
            "field conversation.session_1_date_time: expected a date",
        ),
        ("longmemeval", ["haystack_dates", 0], "0001/01/01 (Mon) 02:21", "field haystack_dates[0]: expected a date"),
        ("longmemeval", ["question_date"], "9999/12/31 (Fri) 23:59", "field question_date: expected a date"),
        ("beam", ["turns", 0, 0, "time_anchor"], "December-31-9999", "turns[0][0].time_anchor: expected a date"),
        ("beam", ["turns", 0, 0, "content"], ..., "turns[0][0].content: missing"),
        ("beam", ["turns", 0, 0, "time_anchor"], "someday", "turns[0][0].time_anchor: expected a date"),
    ],
)
def test_the_record_and_the_field_are_named(
    tmp_path: Path, format: str, path: list[str | int], value: object, message: str
) -> None:
    file = file_of(tmp_path, format, [damaged(SAMPLES[format], path, value)])
    with pytest.raises(MalformedBenchmark) as raised:
        list(read_cases(file, format=format))
    assert message in str(raised.value)
    assert "record 1" in str(raised.value)


def test_turns_that_follow_the_latest_date_are_dated_too(tmp_path: Path) -> None:
    turns = [{"role": "user", "text": "Hi."}] * 20_000
    record = damaged(JSONL, ["sessions", 0], {"started_at": "9999-07-01T00:00:00", "turns": turns})
    (case,) = read_cases(file_of(tmp_path, "jsonl", [record]))
    assert case.questions[0].asked_at > case.sessions[0].turns[-1].said_at > case.sessions[0].started_at


def test_the_number_is_that_of_the_record(tmp_path: Path) -> None:
    records = [
        {**JSONL, "id": "a"},
        {**JSONL, "id": "b"},
        damaged({**JSONL, "id": "c"}, ["sessions", 0, "turns", 2, "role"], "usr"),
    ]
    with pytest.raises(MalformedBenchmark, match=r"^record 3, field sessions\[0\]\.turns\[2\]\.role: expected"):
        list(read_cases(file_of(tmp_path, "jsonl", records)))


@pytest.mark.parametrize(
    ("format", "record", "field"),
    [
        ("jsonl", JSONL, "id: 'a'"),
        ("mtbench101", MTBENCH, "id: '2'"),
        ("locomo", {**LOCOMO, "sample_id": "c"}, "sample_id: 'c'"),
        ("longmemeval", {**LONGMEMEVAL, "question_id": "q"}, "question_id: 'q'"),
    ],
)
def test_an_id_that_is_used_twice_is_named_by_its_own_field(
    tmp_path: Path, format: str, record: dict[str, object], field: str
) -> None:
    with pytest.raises(MalformedBenchmark, match=f"^record 2, field {field} is the id of record 1 already$"):
        list(read_cases(file_of(tmp_path, format, [record, record])))


def test_a_long_value_is_shown_shortened(tmp_path: Path) -> None:
    with pytest.raises(MalformedBenchmark) as raised:
        list(read_cases(file_of(tmp_path, "jsonl", [{**JSONL, "sessions": "x" * 10_000}])))
    assert len(str(raised.value)) < 200


def test_a_file_that_is_nested_too_deeply_is_malformed(tmp_path: Path) -> None:
    path = tmp_path / "deep.json"
    path.write_text("[" * 200_000, encoding="utf-8")
    with pytest.raises(MalformedBenchmark):
        list(read_cases(path, format="locomo"))


def places(value: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Return the path of every value inside a record."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [found for key, item in inner for found in ((*path, key), *places(item, (*path, key)))]


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
JUNK = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["role", "text", "turns", "x"]), inner, max_size=3)
    ),
    max_leaves=6,
)


@settings(max_examples=examples(300), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(format=st.sampled_from(sorted(FORMATS)), data=st.data())
def test_damage_anywhere_is_read_or_named_and_nothing_else(tmp_path: Path, format: str, data: st.DataObject) -> None:
    sample = SAMPLES[format]
    place = list(data.draw(st.sampled_from(places(sample))))
    record = damaged(sample, place, data.draw(JUNK | st.just(...)))
    said = ""
    cases = []
    try:
        cases = list(read_cases(file_of(tmp_path, format, [record]), format=format))
    except EvaluationError as error:
        said = str(error)
    assert bool(cases) != ("record 1" in said)
    assert all(turn.said_at.tzinfo for case in cases for session in case.sessions for turn in session.turns)

"""Every format's loader, on samples that have the defects of the published files."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

from evaluation.benchmarks.catalogue import collection_name, detect_format, only_cases, read_cases
from evaluation.core.errors import EvaluationError, MalformedBenchmark, UnknownFormat
from evaluation.core.types import Case
from memory.core.types import Role

JSONL = {
    "id": "move-1",
    "category": "moves",
    "sessions": [
        {
            "started_at": "2024-03-02T18:20:00",
            "turns": [
                {"role": "user", "speaker": "Ana", "text": "I live in Paris."},
                {"role": "assistant", "speaker": "Assistant", "text": "Nice."},
                {"role": "user", "speaker": "Ana", "text": "I moved.", "said_at": "2024-03-05T10:00:00+02:00"},
            ],
        }
    ],
    "questions": [
        {"question": "Where do I live?", "answers": ["Lyon", 3], "not": ["Paris"], "category": "new"},
        {"question": "Who am I?", "answers": [], "asked_at": "2024-04-01T00:00:00", "asked_by": "Ben"},
    ],
}

LOCOMO = {
    "sample_id": "conv-1",
    "conversation": {
        "speaker_a": "Ana",
        "speaker_b": "Ben",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ben", "dia_id": "D1:1", "text": "Look!", "blip_caption": "a photo of a dog", "img_url": ["x"]},
            {"speaker": "Ana", "dia_id": "D1:2", "text": "Nice."},
        ],
        "session_2_date_time": "12:05 am on 1 June, 2023",
        "session_10_date_time": "9:00 am on 3 June 2023",
        "session_10": [{"speaker": "Ana", "dia_id": "D10:1", "text": "", "blip_caption": "a cat"}],
    },
    "qa": [
        {"question": "When?", "answer": 2022, "evidence": ["D8:6; D9:17", "D:11:26", "D30:05"], "category": 2},
        {"question": "What?", "adversarial_answer": "a dog", "evidence": ["D1:1"], "category": 5},
        {"question": "Is it?", "adversarial_answer": "Yes", "answer": "No", "evidence": [], "category": 5},
        {"question": "Lost?", "evidence": ["nowhere"], "category": 1},
    ],
}

LONGMEMEVAL = {
    "question_id": "q1",
    "question_type": "single-session-user",
    "question": "How many?",
    "answer": 33,
    "question_date": "2023/05/30 (Tue) 23:40",
    "answer_session_ids": ["s2"],
    "haystack_dates": ["2023/05/21 (Sun) 02:21", "2023/05/20 (Sat) 02:57"],
    "haystack_session_ids": ["s1", "s2"],
    "haystack_sessions": [
        [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi"}],
        [{"role": "assistant", "content": "Before", "has_answer": True}],
    ],
}

BEAM_CHAT = [
    {
        "batch_number": 1,
        "time_anchor": None,
        "turns": [
            [
                {"role": "user", "id": 0, "time_anchor": "March-15-2024", "content": "Help me plan. ->-> 1,1"},
                {"role": "assistant", "id": 1, "content": "Sure -> yes."},
            ],
            [{"role": "user", "id": 2, "content": "More ->-> 1,2 ->-> 2,N/A"}],
        ],
    },
    {"batch_number": 2, "turns": [[{"role": "user", "id": 3, "content": "Next"}]]},
]

BEAM_QUESTIONS = {
    "abstention": [{"question": "Why?", "ideal_response": "No information", "rubric": ["No information"]}],
    "information_extraction": [
        {
            "question": "When?",
            "answer": "It ends on March 29.",
            "source_chat_ids": [2],
            "rubric": ["LLM response should state: March 29"],
        }
    ],
    "temporal_reasoning": [
        {"question": "How long?", "answer": "4", "source_chat_ids": {"a": [0], "b": [[2, 3]]}, "rubric": ["x", "y"]}
    ],
    "preference_following": [{"question": "What?", "source_chat_ids": [0]}],
}


def written(path: Path, content: object, *, lines: bool = False) -> Path:
    records = content if isinstance(content, list) and lines else [content]
    text = "\n".join(json.dumps(record) for record in records) if lines else json.dumps(content)
    path.write_text(text, encoding="utf-8")
    return path


def only(path: Path) -> Case:
    (case,) = read_cases(path)
    return case


def test_jsonl_reads_times_speakers_and_questions(tmp_path: Path) -> None:
    case = only(written(tmp_path / "a.jsonl", JSONL, lines=True))
    assert (case.id, case.category, case.turn_count) == ("move-1", "moves", 3)
    first, second, third = case.sessions[0].turns
    assert first.said_at == datetime(2024, 3, 2, 18, 20, tzinfo=UTC)
    assert first.said_at < second.said_at < third.said_at == datetime(2024, 3, 5, 8, 0, tzinfo=UTC)
    assert second.role is Role.ASSISTANT
    assert len({turn.key for turn in case.sessions[0].turns}) == 3
    asked, unanswerable = case.questions
    assert (asked.answers, asked.forbidden, asked.category, asked.asked_by) == (("Lyon", "3"), ("Paris",), "new", "Ana")
    assert asked.asked_at == datetime(2024, 3, 5, 8, 1, tzinfo=UTC)
    assert (unanswerable.answers, unanswerable.category, unanswerable.asked_by) == ((), "moves", "Ben")
    assert unanswerable.asked_at == datetime(2024, 4, 1, tzinfo=UTC)


def test_jsonl_streams_and_skips_empty_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("\ufeff\n" + json.dumps(JSONL) + "\n\n{broken", encoding="utf-8")
    cases = read_cases(path)
    assert next(cases).id == "move-1"
    with pytest.raises(MalformedBenchmark, match="record 2: not JSON"):
        next(cases)


def test_mtbench101_reads_one_dialogue_a_line(tmp_path: Path) -> None:
    record = {"task": "GR", "id": 2, "history": [{"user": "Who?", "bot": "Me."}, {"user": "And?", "bot": ""}]}
    case = only(written(tmp_path / "a.jsonl", record, lines=True))
    assert (case.id, case.category, case.questions) == ("2", "GR", ())
    assert [turn.text for turn in case.sessions[0].turns] == ["Who?", "Me.", "And?", ""]
    assert [turn.role.value for turn in case.sessions[0].turns] == ["user", "assistant"] * 2


def test_locomo_takes_what_the_published_file_has(tmp_path: Path) -> None:
    case = only(written(tmp_path / "a.json", [LOCOMO]))
    assert [session.key for session in case.sessions] == ["session_1", "session_10"]
    assert case.sessions[0].started_at == datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    assert case.sessions[0].turns[0].text == "Look! [shares a photo: a photo of a dog]"
    assert case.sessions[1].turns[0].text == "[shares a photo: a cat]"
    assert {turn.role for session in case.sessions for turn in session.turns} == {Role.USER}
    assert [question.answers for question in case.questions] == [("2022",), (), ("No",), None]
    assert case.questions[0].evidence == ("D8:6", "D9:17", "D11:26", "D30:5")
    assert case.questions[3].evidence == ("nowhere",)
    assert [question.category for question in case.questions] == ["temporal", "adversarial", "adversarial", "multi-hop"]
    assert case.questions[0].asked_by == "Ben"


@pytest.mark.parametrize("as_list", [True, False])
def test_longmemeval_reads_a_list_or_one_instance(tmp_path: Path, as_list: bool) -> None:
    case = only(written(tmp_path / "a.json", [LONGMEMEVAL] if as_list else LONGMEMEVAL))
    assert [session.key for session in case.sessions] == ["s2", "s1"]
    assert case.questions[0].answers == ("33",)
    assert case.questions[0].asked_at == datetime(2023, 5, 30, 23, 40, tzinfo=UTC)
    assert case.questions[0].evidence == ("s2",)


def test_longmemeval_abstention_and_repeated_sessions(tmp_path: Path) -> None:
    record = {**LONGMEMEVAL, "question_id": "q1_abs", "haystack_session_ids": ["s1", "s1"]}
    case = only(written(tmp_path / "a.json", [record]))
    assert (case.category, case.questions[0].answers) == ("abstention", ())
    assert {session.key for session in case.sessions} == {"s1", "s1#2"}


def test_longmemeval_reads_histories_with_several_questions(tmp_path: Path) -> None:
    record = {key: value for key, value in LONGMEMEVAL.items() if key not in {"question", "answer"}}
    record |= {"questions": ["One?", "Two?"], "answers": ["a", 2], "answer_session_ids": [["s1"], ["s1", "s2"]]}
    case = only(written(tmp_path / "a.json", [record]))
    assert [(question.answers, question.evidence) for question in case.questions] == [
        (("a",), ("s1",)),
        (("2",), ("s1", "s2")),
    ]


def test_beam_reads_a_folder_a_file_and_a_folder_of_folders(tmp_path: Path) -> None:
    folder = tmp_path / "chats" / "7"
    folder.mkdir(parents=True)
    chat = written(folder / "chat.json", BEAM_CHAT)
    written(folder / "probing_questions.json", BEAM_QUESTIONS)
    assert only(folder) == only(chat) == only(folder.parent)
    assert {collection_name(path) for path in (folder, chat, folder.parent)} == {"chats"}
    case = only(folder)
    assert case.id == "7"
    assert [turn.text for turn in case.sessions[0].turns] == ["Help me plan.", "Sure -> yes.", "More"]
    assert [session.started_at.date().isoformat() for session in case.sessions] == ["2024-03-15", "2024-03-16"]
    assert [question.answers for question in case.questions] == [(), ("It ends on March 29.", "March 29"), ("4",), None]
    assert case.questions[2].evidence == ("0", "2", "3")
    rubrics = [("No information",), ("LLM response should state: March 29",), ("x", "y"), ()]
    assert [question.criteria for question in case.questions] == rubrics


def test_beam_reads_chats_that_nest_batches_in_plans(tmp_path: Path) -> None:
    case = only(written(tmp_path / "chat.json", [{"plan-1": BEAM_CHAT}, {"plan-2": BEAM_CHAT}]))
    assert [session.key for session in case.sessions][:3] == ["plan-1/batch 1", "plan-1/batch 2", "plan-2/batch 3"]
    keys = [turn.key for session in case.sessions for turn in session.turns]
    assert len(keys) == len(set(keys)) == 8


def test_text_that_no_database_holds_is_made_storable(tmp_path: Path) -> None:
    record = {"task": "GR", "id": 1, "history": [{"user": "a\x00b", "bot": "c\ud800d"}]}
    case = only(written(tmp_path / "a.jsonl", record, lines=True))
    assert [turn.text for turn in case.sessions[0].turns] == ["ab", "c?d"]


def test_only_and_limit_choose_cases(tmp_path: Path) -> None:
    path = written(tmp_path / "a.jsonl", [{**JSONL, "id": name} for name in "abc"], lines=True)
    assert [case.id for case in only_cases(read_cases(path), only="b")] == ["b"]
    assert [case.id for case in only_cases(read_cases(path), limit=2)] == ["a", "b"]


@pytest.mark.parametrize("content", [[], {}, "text", 3, [3], {"rows": []}, None])
def test_a_file_of_another_kind_is_not_guessed(tmp_path: Path, content: object) -> None:
    with pytest.raises(UnknownFormat, match="--format"):
        detect_format(written(tmp_path / "a.json", content))


def test_a_file_of_lines_is_read_as_our_own_where_nothing_tells_otherwise(tmp_path: Path) -> None:
    path = written(tmp_path / "a.jsonl", [{"id": "5"}], lines=True)
    with pytest.raises(MalformedBenchmark, match="record 1, field sessions"):
        list(read_cases(path))


def test_missing_empty_and_binary_files_are_said_plainly(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="cannot be read"):
        detect_format(tmp_path / "absent.jsonl")
    (tmp_path / "empty.jsonl").write_text("\n")
    with pytest.raises(MalformedBenchmark, match="no record"):
        detect_format(tmp_path / "empty.jsonl")
    (tmp_path / "binary.jsonl").write_bytes(b"\xff\xfe\x00\x01")
    with pytest.raises(MalformedBenchmark, match="UTF-8"):
        detect_format(tmp_path / "binary.jsonl")
    with pytest.raises(UnknownFormat, match="folder"):
        detect_format(tmp_path)


def test_locomos_categories_have_their_names_and_their_counts(tmp_path: Path) -> None:
    asked = [{"question": "Q?", "answer": "x", "category": code} for code in (1, 2, 2, 3, 4, 4, 4, 5, "5")]
    case = only(written(tmp_path / "a.json", [{**LOCOMO, "qa": asked}]))
    assert Counter(question.category for question in case.questions) == {
        "multi-hop": 1, "temporal": 2, "open-domain": 1, "single-hop": 3, "adversarial": 2,
    }  # fmt: skip


@pytest.mark.parametrize("format", ["locomo", "longmemeval", "mtbench101", "jsonl", "beam"])
def test_file_of_another_benchmark_is_refused_by_the_reader_of_each(tmp_path: Path, format: str) -> None:
    path = tmp_path / "other.json"
    path.write_text(json.dumps([{"TARGET_QUESTION": "Is it?", "CONVERSATION": []}]))
    with pytest.raises(MalformedBenchmark, match=r"record 1|other.json"):
        list(read_cases(path, format=format))

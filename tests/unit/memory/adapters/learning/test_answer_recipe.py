"""What the answer reader is shown: questions on turns, and what of a turn is the answer."""

from __future__ import annotations

import gzip
import json
import random
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memory.adapters.learning.answer_reader import (
    AnswerRecipe,
    LabelledQuestion,
    example_of,
    read_friendsqa,
    read_own,
    read_qamr,
    read_questions,
    shown_turns,
)
from memory.adapters.learning.recipe import tokenizer_of
from memory.adapters.readers.answer_reader import piece_count
from memory.core.errors import TrainingRefused
from memory.core.types import QuestionOnTurns, SaidTurn, Span

TURNS = [
    {"n": 0, "speaker": "Ana", "text": "i live in paris now"},
    {"n": 1, "speaker": "Bo", "text": "not in rome"},
    {"n": 2, "speaker": "Ana", "text": "paris is old"},
]


def snippet(*asked: dict[str, Any]) -> str:
    return json.dumps({"turns": TURNS, "qa": list(asked)})


def read(path: Path) -> list[LabelledQuestion]:
    return list(read_own(path))


ANA, BO, ANA_AGAIN = (
    SaidTurn("i live in paris now", "Ana"),
    SaidTurn("not in rome", "Bo", "i live in paris now", "Ana"),
    SaidTurn("paris is old", "Ana", "not in rome", "Bo"),
)


def test_question_is_put_to_its_dialogue(tmp_path: Path) -> None:
    path = tmp_path / "questions_a.jsonl"
    path.write_text(snippet({"q": "where", "a": "rome", "n": 1}, {"q": "why", "a": None, "n": None}) + "\n")
    turns = (ANA, BO, ANA_AGAIN)
    assert read(path) == [
        LabelledQuestion(QuestionOnTurns("where", turns), 1, Span(7, 11), "own", "questions_a.jsonl:1"),
        LabelledQuestion(QuestionOnTurns("why", turns), None, Span(0, 0), "own", "questions_a.jsonl:1"),
    ]
    assert [one.words for one in read(path)] == ["rome", ""]


def test_what_the_assistant_says_is_not_read_for_answers(tmp_path: Path) -> None:
    path = tmp_path / "questions_a.jsonl"
    said = [{"n": 0, "speaker": "assistant", "text": "where"}, {"n": 1, "speaker": "user", "text": "in paris"}]
    path.write_text(json.dumps({"turns": said, "qa": [{"q": "where am i", "a": "paris", "n": 1}]}) + "\n")
    turns = (SaidTurn("in paris", "user", "where", "assistant"),)
    assert read(path) == [
        LabelledQuestion(QuestionOnTurns("where am i", turns), 0, Span(3, 8), "own", "questions_a.jsonl:1")
    ]


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ("oops", "line 2 is no dialogue with questions"),
        ('{"turns": []}', "it has no 'qa'"),
        (snippet({"q": "where", "a": "rome", "n": 0}), "the answer 'rome' is not in turn 0"),
        (snippet({"q": "where", "a": "rome", "n": 7}), "it has no 7"),
    ],
)
def test_bad_line_is_named(tmp_path: Path, bad: str, why: str) -> None:
    path = tmp_path / "questions_a.jsonl"
    path.write_text(snippet() + "\n" + bad + "\n")
    with pytest.raises(TrainingRefused) as refused:
        read(path)
    assert "questions_a.jsonl, line 2" in str(refused.value)
    assert why in str(refused.value)


def words_in(text: str) -> int:
    return len(text.split())


def test_answering_turn_is_shown_with_others_as_far_as_there_is_room() -> None:
    turns = tuple(SaidTurn("the cat " * 20 + str(number)) for number in range(30))
    asked = LabelledQuestion(QuestionOnTurns("where", turns), 17, Span(0, 3), "qamr", "1")
    shown = [shown_turns(asked, length=words_in, chance=random.Random(seed)) for seed in range(30)]
    assert all(places == sorted(set(places)) and 17 in places for places in shown)
    assert {len(places) for places in shown} <= {2, 3, 4, 5, 6, 7}
    assert len({tuple(places) for places in shown}) > 20


def test_answer_is_withheld_now_and_then_with_all_that_has_its_words() -> None:
    turns = (ANA, BO, ANA_AGAIN)
    asked = LabelledQuestion(QuestionOnTurns("where", turns), 0, Span(10, 15), "own", "1")
    shown = [shown_turns(asked, length=words_in, chance=random.Random(seed)) for seed in range(200)]
    assert {tuple(places) for places in shown} == {(0, 1, 2), (1,)}
    assert 5 <= shown.count([1]) <= 50


def test_answer_is_pointed_at_by_its_pieces_and_none_by_the_first(tiny_base: Path) -> None:
    tokenizer = tokenizer_of(tiny_base)
    given: dict[str, Any] = {"tokenizer": tokenizer, "length": piece_count(tokenizer), "chance": random.Random(0)}
    # [CLS] where [SEP] Ana : i live in paris now | | Bo : not in rome [SEP], a piece a word or mark.
    asked = LabelledQuestion(QuestionOnTurns("where", (BO,)), 0, Span(4, 11), "qamr", "1")
    example = example_of(asked, **given)
    assert example is not None
    assert (example.first, example.last) == (15, 16)
    nothing = example_of(replace(asked, turn=None), **given)
    assert nothing is not None
    assert (nothing.first, nothing.last) == (0, 0)
    long = QuestionOnTurns("where", (SaidTurn("the cat " * 200 + "rome"),))
    assert example_of(LabelledQuestion(long, 0, Span(1600, 1604), "qamr", "1"), **given) is None


def test_friendsqa_is_read_in_its_published_form(tmp_path: Path) -> None:
    said = [
        {"uid": 0, "speakers": ["Ross Geller"], "utterance": "i live in paris"},
        {"uid": 1, "speakers": ["Joey Tribbiani"], "utterance": "not in rome"},
    ]
    answers = [
        {"answer_text": "paris", "utterance_id": 0, "is_speaker": False},
        {"answer_text": "Joey", "utterance_id": 1, "is_speaker": True},
        {"answer_text": "not there", "utterance_id": 1, "is_speaker": False},
    ]
    asked = [{"question": f"q{number}", "answers": [answer]} for number, answer in enumerate(answers)]
    path = tmp_path / "friendsqa_dev.json"
    path.write_text(json.dumps({"data": [{"paragraphs": [{"utterances:": said, "qas": asked}]}]}))
    turns = (SaidTurn("i live in paris", "Ross"), SaidTurn("not in rome", "Joey", "i live in paris", "Ross"))
    assert list(read_friendsqa(tmp_path)) == [
        LabelledQuestion(QuestionOnTurns("q0", turns), 0, Span(10, 15), "friendsqa", "0")
    ]


def test_qamr_is_read_in_its_published_form_among_other_sentences(tmp_path: Path) -> None:
    (tmp_path / "filtered").mkdir()
    with gzip.open(tmp_path / "wiki-sentences.tsv.gz", "wt") as file:
        file.write("w1\tparis is old\nw2\tthe cat sleeps\n")
    for name, line in (("dev", "w1\t\t\t\t\twhat is old\t0\n"), ("test", "w2\t\t\t\t\twho sleeps\t0 1\n")):
        with gzip.open(tmp_path / "filtered" / f"{name}.tsv.gz", "wt") as file:
            file.write(line)
    found = {one.asked.question: one for one in read_qamr(tmp_path, limit=10, chance=random.Random(0))}
    assert {question: one.words for question, one in found.items()} == {"what is old": "paris", "who sleeps": "the cat"}
    for one in found.values():
        assert {turn.text for turn in one.asked.turns} <= {"paris is old", "the cat sleeps"}
    assert len(list(read_qamr(tmp_path, limit=1, chance=random.Random(0)))) == 1


def test_set_that_is_not_as_published_is_named(tmp_path: Path) -> None:
    (tmp_path / "questions_a.jsonl").write_text(snippet() + "\n")
    (tmp_path / "friendsqa").mkdir()
    path = tmp_path / "friendsqa" / "friendsqa_dev.json"
    path.write_text("{}")
    with pytest.raises(TrainingRefused, match="friendsqa is not the set as it was published: 'data'"):
        read_questions(tmp_path, public=tmp_path)
    path.write_text('{"data": []}')
    with pytest.raises(TrainingRefused, match="qamr is not the set as it was published"):
        read_questions(tmp_path, public=tmp_path)


def test_questions_of_others_come_whole_once_and_then_a_quarter_as_many_as_own(tiny_base: Path) -> None:
    def unanswered(question: str, source: str) -> LabelledQuestion:
        return LabelledQuestion(QuestionOnTurns(question, (SaidTurn("the cat"),)), None, Span(0, 0), source, "1")

    own = [unanswered("who", "own") for _ in range(20)]
    recipe = AnswerRecipe(own + [unanswered("who is", "qamr") for _ in range(50)], base=tiny_base)
    lengths = [
        Counter(len(example.pieces.ids) for batch in recipe.batches(epoch, seed=0) for example in batch)
        for epoch in (0, 1)
    ]
    assert [sorted(counted.values()) for counted in lengths] == [[20, 50], [5, 20]]


def test_dialogues_are_held_out_whole_and_only_own_ones(tmp_path: Path) -> None:
    path = tmp_path / "questions_a.jsonl"
    asked = {"q": "where", "a": "paris", "n": 0}, {"q": "why", "a": None}
    path.write_text("".join(snippet(*asked) + "\n" for _ in range(200)))
    by_group: dict[str, set[bool]] = {}
    for question in read_questions(tmp_path):
        by_group.setdefault(question.group, set()).add(question.is_held_out)
    assert {len(kinds) for kinds in by_group.values()} == {1}
    assert 2 <= sum(True in kinds for kinds in by_group.values()) <= 25

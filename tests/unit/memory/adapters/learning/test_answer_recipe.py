"""What the answer reader is shown: questions on turns, and what of a turn is the answer."""

from __future__ import annotations

import gzip
import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memory.adapters.learning.answer_reader import (
    AnswerRecipe,
    PassageQuestion,
    example_of,
    read_friendsqa,
    read_own,
    read_qamr,
    read_questions,
)
from memory.adapters.learning.minilm import tokenizer_of
from memory.core.errors import TrainingRefused
from memory.core.types import QuestionOnTurn, Span

TURNS = [
    {"n": 0, "speaker": "Ana", "text": "i live in paris now"},
    {"n": 1, "speaker": "Bo", "text": "not in rome"},
    {"n": 2, "speaker": "Ana", "text": "paris is old"},
]


def snippet(*asked: dict[str, Any]) -> str:
    return json.dumps({"turns": TURNS, "qa": list(asked)})


def read(path: Path) -> list[PassageQuestion]:
    return list(read_own(path, chance=random.Random(0)))


def test_question_is_put_to_its_turn_and_to_turns_without_the_words_of_its_answer(tmp_path: Path) -> None:
    path = tmp_path / "questions_a.jsonl"
    path.write_text(snippet({"q": "where", "a": "paris", "n": 0}) + "\n")
    answered = PassageQuestion(
        QuestionOnTurn("where", "i live in paris now", "Ana"), Span(10, 15), "own", "questions_a.jsonl:1"
    )
    other = PassageQuestion(
        QuestionOnTurn("where", "not in rome", "Bo", "i live in paris now", "Ana"), None, "own", "questions_a.jsonl:1"
    )
    assert read(path) == [answered, other]


def test_question_without_an_answer_is_put_to_turns_that_do_not_answer(tmp_path: Path) -> None:
    path = tmp_path / "questions_a.jsonl"
    path.write_text(snippet({"q": "why", "a": None, "n": None}) + "\n")
    found = read(path)
    assert {(one.asked.question, one.answer) for one in found} == {("why", None)}
    texts = [one.asked.text for one in found]
    assert len(set(texts)) == 2
    assert set(texts) <= {turn["text"] for turn in TURNS}


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


def test_answer_is_pointed_at_by_its_pieces_and_none_by_the_first(tiny_base: Path) -> None:
    tokenizer = tokenizer_of(tiny_base)
    # [CLS] where [SEP] Ana : i live in paris now | | Bo : not in rome [SEP], a piece a word or mark.
    asked = QuestionOnTurn("where", "not in rome", "Bo", "i live in paris now", "Ana")
    example = example_of(PassageQuestion(asked, Span(4, 11), "own", "1"), tokenizer)
    assert example is not None
    assert (example.first, example.last, example.is_own) == (15, 16, True)
    nothing = example_of(PassageQuestion(asked, None, "qamr", "1"), tokenizer)
    assert nothing is not None
    assert (nothing.first, nothing.last, nothing.is_own) == (0, 0, False)
    cut_away = QuestionOnTurn("where", "the cat " * 200 + "rome")
    assert example_of(PassageQuestion(cut_away, Span(1600, 1604), "own", "1"), tokenizer) is None


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
    answered = PassageQuestion(QuestionOnTurn("q0", "i live in paris", "Ross"), Span(10, 15), "friendsqa", "0")
    other = PassageQuestion(
        QuestionOnTurn("q0", "not in rome", "Joey", "i live in paris", "Ross"), None, "friendsqa", "0"
    )
    assert list(read_friendsqa(path, chance=random.Random(0))) == [answered, other]
    path.write_text("{}")
    with pytest.raises(TrainingRefused, match="no file of FriendsQA"):
        list(read_friendsqa(path, chance=random.Random(0)))


def test_qamr_is_read_in_its_published_form(tmp_path: Path) -> None:
    (tmp_path / "filtered").mkdir()
    with gzip.open(tmp_path / "wiki-sentences.tsv.gz", "wt") as file:
        file.write("w1\tparis is old\nw2\tthe cat sleeps\n")
    for name, line in (("dev", "w1\t\t\t\t\twhat is old\t0\n"), ("test", "w2\t\t\t\t\twho sleeps\t0 1\n")):
        with gzip.open(tmp_path / "filtered" / f"{name}.tsv.gz", "wt") as file:
            file.write(line)
    found = list(read_qamr(tmp_path, limit=10, chance=random.Random(0)))
    paris, cat = QuestionOnTurn("what is old", "paris is old"), QuestionOnTurn("who sleeps", "the cat sleeps")
    answered = {
        PassageQuestion(paris, Span(0, 5), "qamr", "paris is old"),
        PassageQuestion(cat, Span(0, 7), "qamr", "the cat sleeps"),
    }
    assert set(found[:2]) == answered
    assert set(found[2:]) <= {
        PassageQuestion(replace(paris, text=cat.text), None, "qamr", "paris is old"),
        PassageQuestion(replace(cat, text=paris.text), None, "qamr", "the cat sleeps"),
    }
    with pytest.raises(TrainingRefused, match="no folder of QAMR"):
        list(read_qamr(tmp_path / "none", limit=10, chance=random.Random(0)))


def test_questions_of_others_come_whole_once_and_then_half_as_many_as_own(tiny_base: Path) -> None:
    own = [PassageQuestion(QuestionOnTurn(f"who {n}", "the cat"), None, "own", "1") for n in range(20)]
    public = [PassageQuestion(QuestionOnTurn(f"who {n}", "the cat"), None, "qamr", "1") for n in range(50)]
    recipe = AnswerRecipe(own + public, base=tiny_base)
    counts = [
        [
            sum(example.is_own is is_own for batch in recipe.batches(epoch, seed=0) for example in batch)
            for epoch in (0, 1)
        ]
        for is_own in (True, False)
    ]
    assert counts == [[20, 20], [50, 10]]


def test_dialogues_are_held_out_whole_and_only_own_ones(tmp_path: Path) -> None:
    path = tmp_path / "questions_a.jsonl"
    asked = {"q": "where", "a": "paris", "n": 0}, {"q": "why", "a": None}
    path.write_text("".join(snippet(*asked) + "\n" for _ in range(200)))
    by_group: dict[str, set[bool]] = {}
    for question in read_questions(tmp_path):
        by_group.setdefault(question.group, set()).add(question.is_held_out)
    assert {len(kinds) for kinds in by_group.values()} == {1}
    assert 2 <= sum(True in kinds for kinds in by_group.values()) <= 25

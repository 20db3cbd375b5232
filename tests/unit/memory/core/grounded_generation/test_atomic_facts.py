"""Replies split into atomic facts: by a language model, what is taken of its reply, and by the parse."""

from __future__ import annotations

import json
import random

import pytest

from memory.adapters.segmenter import SyntokSegmenter
from memory.core.errors import UnparsableReply
from memory.core.grounded_generation.atomic_facts import PromptedFactSplitter, adds_words
from memory.core.grounded_generation.clause_splitter import ClauseFactSplitter
from tests.fakes.language import Saying, real_parser

REPLY = "Dorothy Wall wrote Blinky Bill and drew it. Lovely book!"
SPLIT = json.dumps(
    {
        "facts": [
            {"sentence": 1, "fact": "Dorothy Wall wrote Blinky Bill."},
            {"sentence": 1, "fact": "Dorothy Wall drew Blinky Bill."},
            {"sentence": 2, "fact": "Lovely book!"},
        ]
    }
)


def prompted(*replies: str) -> PromptedFactSplitter:
    return PromptedFactSplitter(Saying(*replies), SyntokSegmenter())


def split(text: str) -> list[str]:
    return [fact.text for fact in ClauseFactSplitter(SyntokSegmenter(), real_parser()).split_many([text])[0]]


def test_facts_know_the_sentence_that_claims_them():
    [facts] = prompted(SPLIT).split_many([REPLY])
    assert [fact.text for fact in facts] == [one["fact"] for one in json.loads(SPLIT)["facts"]]
    assert [REPLY[fact.sentence.start : fact.sentence.end] for fact in facts] == [
        REPLY[:43],
        REPLY[:43],
        "Lovely book!",
    ]


def test_fact_that_adds_words_is_not_taken_and_its_sentence_stays_whole():
    added = json.dumps(
        {
            "facts": [
                {"sentence": 1, "fact": "Dorothy Wall was born in Wellington."},
                {"sentence": 7, "fact": "It is by her."},
            ]
        }
    )
    assert [fact.text for fact in prompted(added).split_many([REPLY])[0]] == [REPLY[:43], "Lovely book!"]


@pytest.mark.parametrize(
    ("fact", "adds"),
    [("She writes books.", False), ("It is a book.", False), ("She wrote two books.", True), ("No book.", False)],
)
def test_inflection_and_small_words_add_nothing(fact: str, adds: bool):
    assert adds_words(fact, "She wrote a book.") is adds


def test_replies_are_asked_about_at_once_and_empty_ones_not():
    model = Saying(SPLIT)
    found = PromptedFactSplitter(model, SyntokSegmenter()).split_many(["", REPLY])
    assert [len(one) for one in found] == [0, 3] and len(model.asked) == 1
    assert prompted("x").split_many([]) == []


def test_broken_replies_add_no_words():
    chance = random.Random(7)
    for _ in range(300):
        place, length = chance.randrange(len(SPLIT)), chance.randrange(1, 20)
        broken = SPLIT[:place] + chance.choice(["", "{", "\\", "null", '"', "1"]) + SPLIT[place + length :]
        try:
            [found] = prompted(broken).split_many([REPLY])
        except UnparsableReply:
            continue
        assert found and not any(adds_words(fact.text, REPLY) for fact in found)


def test_prose_is_asked_for_once_more_and_then_refused():
    assert len(prompted("First…", SPLIT).split_many([REPLY])[0]) == 3
    with pytest.raises(UnparsableReply):
        prompted("no").split_many([REPLY])


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        (
            "Dorothy Wall, who wrote Blinky Bill, was born in 1894 and died in 1942.",
            ["Dorothy Wall was born in 1894.", "Dorothy Wall wrote Blinky Bill.", "Dorothy Wall died in 1942."],
        ),
        (
            "Montevideo, the capital of Uruguay, has 1.3 million people, although it is small.",
            ["Montevideo has 1.3 million people.", "Montevideo is the capital of Uruguay.", "It is small."],
        ),
        (
            "I like it, but she doesn't because it's cold.",
            ["I like it.", "She doesn't.", "It's cold."],
        ),
        ("If you go there, take a coat and wear boots.", ["If you go there, take a coat and wear boots."]),
        ("Do you like it or do you hate it?", ["Do you like it or do you hate it?"]),
        ("Lovely book!", ["Lovely book!"]),
        ("She wrote it.", ["She wrote it."]),
    ],
)
def test_clauses_become_sentences_and_what_is_supposed_stays_together(text: str, facts: list[str]):
    assert split(text) == facts


def test_nothing_and_marks_alone_are_no_trouble():
    splitter = ClauseFactSplitter(SyntokSegmenter(), real_parser())
    assert splitter.split_many(["", "…", "🙂"])[0] == []
    assert splitter.split_many([]) == []

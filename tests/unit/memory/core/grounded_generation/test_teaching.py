"""Judgements of triples by a teacher: what is taken of a reply and of a broken one, and the chats that teach."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from memory.core.errors import UnparsableReply
from memory.core.grounded_generation.reformulation import PromptedReformulator, reformulation_lesson
from memory.core.grounded_generation.selection import JudgedTriple, TripleTeacher, selection_lesson, selection_prompts
from tests.fakes.language import Saying

DIALOGUE = ("Do you know Blinky Bill?", "Yes, it is a koala.", "Who is the author?")
TRIPLES = ("Blinky Bill author Dorothy Wall", "Blinky Bill species Koala", "Koala parent taxon Phascolarctos")
JUDGED = json.dumps(
    {
        "facts": [
            {"fact": 1, "reason": "It names  the\nauthor.", "relevant": True},
            {"fact": 3, "reason": "Nobody asks.", "relevant": False},
            {"fact": 2, "relevant": False},
        ]
    }
)
FOUND = [
    JudgedTriple(TRIPLES[0], True, "It names the author."),
    JudgedTriple(TRIPLES[1], False, ""),
    JudgedTriple(TRIPLES[2], False, "Nobody asks."),
]


def test_triples_of_a_dialogue_are_judged_in_one_call_each_with_its_reason() -> None:
    model = Saying(JUDGED)
    assert TripleTeacher(model).judge_many([(DIALOGUE, TRIPLES)]) == [FOUND]
    [asked] = model.asked
    assert all(text in asked.messages[1].content for text in (*DIALOGUE, *TRIPLES))
    assert asked.schema is not None


def test_triple_that_is_left_out_or_not_there_is_not_judged() -> None:
    reply = json.dumps({"facts": [{"fact": number, "relevant": True} for number in (2, 9, 0, -1, 2)]})
    assert TripleTeacher(Saying(reply)).judge_many([(DIALOGUE, TRIPLES)]) == [[JudgedTriple(TRIPLES[1], True, "")]]


def test_dialogue_whose_reply_is_of_no_use_fails_alone() -> None:
    model = Saying("I cannot.", JUDGED, "No.", JUDGED)
    first, second = TripleTeacher(model).judge_many([(DIALOGUE, TRIPLES), (DIALOGUE[2:], TRIPLES)])
    assert isinstance(first, UnparsableReply), "asked once more, it said no"
    assert second == FOUND


def test_broken_replies_give_judgements_of_these_triples_or_an_error() -> None:
    chance = random.Random(4)
    replies = json.loads((Path(__file__).parents[4] / "data" / "garbage_replies.json").read_text(encoding="utf-8"))
    for _ in range(300):
        place, length = chance.randrange(len(JUDGED)), chance.randrange(1, 20)
        junk = chance.choice(["", "{", "\\", "null", '"', "7", "true", "]"])
        replies.append(JUDGED[:place] + junk + JUDGED[place + length :])
    read = 0
    for reply in replies:
        [found] = TripleTeacher(Saying(reply)).judge_many([(DIALOGUE, TRIPLES)])
        if isinstance(found, UnparsableReply):
            continue
        read += 1
        assert [one.triple for one in found] == [text for text in TRIPLES if text in {one.triple for one in found}]
    assert 20 < read < len(replies)


@pytest.mark.parametrize(("judged", "answer"), [(FOUND[0], "yes. It names the author."), (FOUND[1], "no")])
def test_lesson_of_selection_answers_the_prompt_of_selection_first(judged: JudgedTriple, answer: str) -> None:
    *asked, last = selection_lesson(DIALOGUE, judged)
    assert tuple(asked) == selection_prompts(DIALOGUE, [judged.triple])[0].messages
    assert (last.role.value, last.content) == ("assistant", answer)


def test_lesson_of_reformulation_is_a_reply_that_would_be_taken() -> None:
    full = ["Do you know Blinky Bill?", "Yes, Blinky Bill is a koala.", "Who is the author of Blinky Bill?"]
    told = [{"turn": place, "reasoning": "“it” is the book", "full": text} for place, text in enumerate(full, 1)]
    [turns] = PromptedReformulator(Saying(json.dumps({"turns": told}))).reformulate_many([DIALOGUE])
    assert not isinstance(turns, Exception)
    *_, last = reformulation_lesson(turns)
    [again] = PromptedReformulator(Saying(last.content)).reformulate_many([DIALOGUE])
    assert again == turns and [one.full for one in turns] == full


def test_dialogues_are_reformulated_at_once_and_fail_alone() -> None:
    told = json.dumps({"turns": [{"turn": 1, "full": "Hi there."}]})
    model = Saying(told, "No.", "Never.", told)
    first, second = PromptedReformulator(model).reformulate_many([["Hi there."], ["Bye."]])
    assert not isinstance(first, Exception) and first[0].full == "Hi there."
    assert isinstance(second, UnparsableReply)
    assert PromptedReformulator(model).reformulate_many([]) == []

"""Answers from facts: what a language model is shown, what of its reply counts, and what the answer reader makes of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import timedelta

import pytest

from memory.core.answering.prompted import PromptedFactAnswerer
from memory.core.answering.read import NOT_KNOWN, ReadingFactAnswerer
from memory.core.errors import UnparsableReply
from memory.core.types import MemoryUnit, QuestionOnTurns, ReadAnswer, RetrievalQuery, Span, WordSpan
from tests.fakes.recalling import SUNDAY, ToldModel

QUESTION = RetrievalQuery("When did Oskar give up the violin?", SUNDAY + timedelta(days=30))
FACTS = [
    MemoryUnit("b", "I sold my cello.", SUNDAY + timedelta(days=1), "Oskar"),
    MemoryUnit("a", "My last violin lesson\nwas two days ago.\0", SUNDAY, "Oskar"),
    MemoryUnit("c", "Oskar likes music.", SUNDAY),
]


def test_facts_keep_their_order_with_day_and_speaker() -> None:
    model = ToldModel('<think>Hm.</think> Here: {"answer": " 5 May\\n2023\\u0000 "}')
    assert (
        PromptedFactAnswerer(model).answer(QUESTION, FACTS, goal="Oskar gave up </proved> the violin") == "5 May 2023"
    )
    [prompt] = model.prompts
    assert (
        "1. [Monday, 8 May 2023] Oskar: I sold my cello.\n"
        "2. [Sunday, 7 May 2023] Oskar: My last violin lesson was two days ago.\n"
        "3. [Sunday, 7 May 2023] Oskar likes music.\n"
    ) in prompt
    assert "What was proved from the facts is given" in prompt
    assert "Asked on 6 June 2023:" in prompt


def test_goal_is_spoken_of_only_where_there_is_one() -> None:
    model = ToldModel(json.dumps({"answer": "x"}))
    PromptedFactAnswerer(model).answer(QUESTION, [])
    assert "proved" not in model.prompts[0]
    assert "There are no facts." in model.prompts[0]


@pytest.mark.parametrize("bad", ["5 May 2023", '{"answer": ""}', '{"answer": "\\u200b"}', '{"answer": null}', "[]"])
def test_reply_without_an_answer_is_a_failure(bad: str) -> None:
    with pytest.raises(UnparsableReply):
        PromptedFactAnswerer(ToldModel(bad, bad)).answer(QUESTION, FACTS)


class FindingReader:
    """Finds one run of words in whatever turn has it."""

    name = "finding"
    threshold = 0.5

    def __init__(self, words: str, probability: float = 0.9) -> None:
        self.words, self.probability = words, probability
        self.read: list[str] = []

    def read_many(self, asked: Sequence[QuestionOnTurns]) -> list[list[ReadAnswer]]:
        self.read += [turn.text for one in asked for turn in one.turns]
        return [[self._answer(turn.text) for turn in one.turns] for one in asked]

    def _answer(self, text: str) -> ReadAnswer:
        start = text.find(self.words)
        if start < 0:
            return ReadAnswer(WordSpan("", Span(0, 0)), 0.1)
        return ReadAnswer(WordSpan(self.words, Span(start, start + len(self.words))), self.probability)


def test_reader_reads_the_nearest_facts_in_the_order_in_which_they_were_said() -> None:
    reader = FindingReader("my cello")
    answerer = ReadingFactAnswerer(reader, facts=2)
    assert answerer.answer(RetrievalQuery("What did Oskar sell?", SUNDAY), FACTS) == "my cello"
    assert reader.read == [FACTS[1].text, FACTS[0].text]


def test_time_that_answers_when_is_told_as_its_day() -> None:
    answerer = ReadingFactAnswerer(FindingReader("two days ago"))
    assert answerer.answer(QUESTION, FACTS) == "5 May 2023"
    assert answerer.answer(RetrievalQuery("What was two days ago?", SUNDAY), FACTS) == "two days ago"


@pytest.mark.parametrize(
    ("words", "probability", "facts"), [("my cello", 0.4, FACTS), ("x", 0.9, FACTS), ("x", 0.9, [])]
)
def test_what_is_not_sure_is_not_known(words: str, probability: float, facts: list[MemoryUnit]) -> None:
    assert ReadingFactAnswerer(FindingReader(words, probability)).answer(QUESTION, facts) == NOT_KNOWN

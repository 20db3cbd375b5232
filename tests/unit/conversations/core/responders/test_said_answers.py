"""Answers from what was said: which passage counts, whose words it is, and which day its words mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import pytest

from conversations.core.responders.answers import Answer
from conversations.core.responders.recall import Recollection
from conversations.core.responders.said_answers import SaidAnswers, as_told, holds_for, is_refuted, said_turn
from conversations.core.responders.subjects import Subject
from conversations.core.types import Query, Retrieved, Stage
from memory.core.knowledge_graph.matching import Given
from memory.core.knowledge_graph.question import GraphQuestion
from memory.core.knowledge_graph.question_reader import read_questions
from memory.core.types import (
    Entity,
    Passage,
    Polarity,
    QuestionOnTurns,
    ReadAnswer,
    SaidTurn,
    Span,
    Unit,
    WordSpan,
)
from tests.fakes.language import real_questions
from tests.fakes.memory import FakeMemory
from tests.fakes.said import said_passages, spoken

SPRING = datetime(2024, 4, 6, 12, 0, tzinfo=UTC)
AUTUMN = datetime(2024, 10, 5, 12, 0, tzinfo=UTC)
NOW = datetime(2024, 12, 1, 12, 0, tzinfo=UTC)


class WordsReader:
    """An answer reader that finds given words, each with a probability, and keeps what it was asked."""

    name = "words"
    threshold = 0.5
    verdict_threshold = 0.9

    def __init__(self, words: Mapping[str, float], *, yes: float = 0.5) -> None:
        self._words = words
        self._yes = yes
        self.asked: list[SaidTurn] = []

    def read_many(self, asked: Sequence[QuestionOnTurns]) -> list[list[ReadAnswer]]:
        self.asked += [turn for one in asked for turn in one.turns]
        return [[self._read(turn.text) for turn in one.turns] for one in asked]

    def _read(self, text: str) -> ReadAnswer:
        for words, probability in self._words.items():
            start = text.find(words)
            if start >= 0:
                return ReadAnswer(WordSpan(words, Span(start, start + len(words))), probability, self._yes)
        return ReadAnswer(WordSpan("", Span(0, 0)), 0.0)


DIALOGUE = (
    spoken(
        SPRING, ("Ana", "The company has sent me to Kisumu now."), ("Bo", "My sister lives in Kisumu with her dog.")
    ),
    spoken(
        AUTUMN,
        ("Assistant", "Where does work take you next?"),
        ("Ana", "Off to Mombasa since last week, my third city for this company."),
    ),
)


def recalled(question: GraphQuestion, *meant: Entity) -> Recollection:
    return Recollection(question, Subject(meant), Given())


def answered(question: str, words: Mapping[str, float]) -> tuple[Answer | None, WordsReader]:
    reader = WordsReader(words)
    answers = SaidAnswers(passages=said_passages(*DIALOGUE), reader=reader)
    [read] = read_questions([question], reader=real_questions())
    return answers.answer(recalled(read), Query(question, "Ana", NOW)).answer, reader


def test_surest_words_answer_with_their_sentence() -> None:
    answer, _ = answered("Which city does the company have me in?", {"Kisumu": 0.8, "Mombasa": 0.85})
    assert answer is not None
    assert answer.text == "Mombasa."
    assert [ground.sentence.text for ground in answer.grounds.sentences] == [
        "Off to Mombasa since last week, my third city for this company."
    ]


def test_question_is_no_answer_to_itself() -> None:
    asked = "What should I tell Hina not to put in?"
    dialogue = (spoken(SPRING, ("Ana", f"Hina wants to cook for us in Edinburgh, {asked}")),)
    [read] = read_questions([asked], reader=real_questions())
    for words, expected in (("What should I tell Hina not to put in", None), ("in Edinburgh", "In Edinburgh.")):
        answers = SaidAnswers(passages=said_passages(*dialogue), reader=WordsReader({words: 0.9}))
        told = answers.answer(recalled(read), Query(asked, "Ana", NOW)).answer
        assert (told and told.text) == expected


def test_list_has_all_that_is_sure() -> None:
    answer, _ = answered("Which cities does the company have me in?", {"Kisumu": 0.7, "Mombasa": 0.8})
    assert answer is not None
    assert answer.text == "Mombasa, Kisumu."


def test_all_that_is_no_list_has_one_answer() -> None:
    answer, _ = answered("Where did the company have me before it all went wrong?", {"Kisumu": 0.7, "Mombasa": 0.8})
    assert answer is not None
    assert answer.text == "Mombasa."


@pytest.mark.parametrize("words", [{"Kisumu": 0.9}, {}])
def test_what_was_read_is_a_step_whether_it_answers_or_not(words: Mapping[str, float]) -> None:
    question = "Which city does the company have me in?"
    answers = SaidAnswers(passages=said_passages(*DIALOGUE), reader=WordsReader(words))
    [read] = read_questions([question], reader=real_questions())
    stage, retrieved = answers.answer(recalled(read), Query(question, "Ana", NOW)).steps
    assert stage == Stage("retrieve", "read what was said")
    assert isinstance(retrieved, Retrieved)
    assert len(retrieved.retrieval.chunks[Unit.TURN]) == 3


def test_unsure_answer_is_none() -> None:
    assert answered("Which city does the company have me in?", {"Kisumu": 0.4})[0] is None


def test_what_a_run_of_words_cannot_answer_is_not_read() -> None:
    answer, reader = answered("What do you know about me?", {"Kisumu": 0.99})
    assert (answer, reader.asked) == (None, [])


def test_day_is_told_for_words_that_mean_it() -> None:
    answer, _ = answered("When did I go to Mombasa for the company?", {"last week": 0.9})
    assert answer is not None
    assert answer.text == "Since the week before 5 October 2024."


@pytest.mark.parametrize(("words", "told"), [("my third city", "Your third city."), ("My sister", "Their sister.")])
def test_words_are_told_to_the_asker(words: str, told: str) -> None:
    answer, _ = answered("What is Mombasa or who lives in Kisumu for the company?", {words: 0.9})
    assert answer is not None
    assert answer.text == told


@pytest.mark.parametrize(
    ("speaker", "told"), [("ana", "since you're at your mum's"), ("Bo", "since they're at their mum's")]
)
def test_verbs_agree_with_whom_the_words_are_told_to(speaker: str, told: str) -> None:
    assert as_told("since  I'm at my mum's", speaker, Query("Since when?", "Ana", NOW)) == told


def test_reader_sees_turns_as_they_were_said_and_the_asker_as_user() -> None:
    _, reader = answered("Which city does the company have me in?", {})
    assert reader.asked == [
        SaidTurn("The company has sent me to Kisumu now.", "user"),
        SaidTurn("My sister lives in Kisumu with her dog.", "Bo", "The company has sent me to Kisumu now.", "user"),
        SaidTurn(
            "Off to Mombasa since last week, my third city for this company.",
            "user",
            "Where does work take you next?",
            "Assistant",
        ),
    ]


def test_turn_before_is_that_of_the_window() -> None:
    turn = Passage(Unit.TURN, 1, "I moved.", SPRING, "Ana")
    query = Query("Where?", "Bo", NOW)
    assert said_turn(turn, "Ana: I moved.", query) == SaidTurn("I moved.", "Ana")
    assert said_turn(turn, "Bo: News?\nAna: I moved.", query) == SaidTurn("I moved.", "Ana", "News?", "user")


@pytest.mark.parametrize(
    ("question", "words", "text"),
    [
        ("What does Bo have in Kisumu?", {"her dog": 0.8, "The company": 0.7}, "Her dog."),
        ("What does Bo have in Kisumu?", {"The company": 0.8, "her dog": 0.7}, None),
        ("Where is my company?", {"Mombasa": 0.8, "My sister": 0.7}, "Mombasa."),
        ("Where is my company?", {"Mombasa": 0.7, "My sister": 0.8}, None),
    ],
)
def test_nothing_answers_where_another_speaks_of_it_best(
    question: str, words: Mapping[str, float], text: str | None
) -> None:
    answer, _ = answered(question, words)
    assert (answer.text if answer is not None else None) == text


def test_whoever_tells_best_answers_what_is_asked_of_nobody() -> None:
    answer, _ = answered("Which city is it that the company chose?", {"My sister": 0.8, "Mombasa": 0.7})
    assert answer is not None
    assert answer.text == "Their sister."


def test_words_that_were_read_as_a_fact_answer_for_whom_it_is_about() -> None:
    memory = FakeMemory()
    [question] = read_questions(["What do I hate?"], reader=real_questions())
    me, mother = memory.entity("Ana", is_speaker=True), memory.entity("Ana's mother")
    jazz = memory.learn("Ana's mother", "dislikes", "jazz", said="My mother hates jazz.")
    rain = memory.learn("Ana", "dislikes", "rain", said="I hate rain.", polarity=Polarity.NEGATIVE)
    olives = memory.learn("Ana", "dislikes", "olives", said="I hate olives.", superseded_at=NOW)
    assert holds_for(recalled(question, mother), "Jazz", [jazz])
    assert not holds_for(recalled(question, me), "jazz", [jazz])
    assert not holds_for(recalled(question, me), "rain", [rain])
    assert not holds_for(recalled(question, me), "olives", [olives])


def test_words_that_were_read_as_no_fact_are_left_to_the_reader() -> None:
    memory = FakeMemory()
    [question] = read_questions(["What do I hate?"], reader=real_questions())
    jazz = memory.learn("Ana's mother", "dislikes", "jazz", said="My mother hates jazz, and I hate queues.")
    assert holds_for(recalled(question, memory.entity("Ana")), "queues", [jazz])
    assert holds_for(recalled(question), "jazz", [jazz])


@pytest.mark.parametrize(("yes", "probability", "begins"), [(0.8, 0.95, "Yes."), (0.2, 0.95, "No."), (0.99, 0.7, None)])
def test_whether_it_is_so_is_said_with_the_sentence_that_decides_it(
    yes: float, probability: float, begins: str | None
) -> None:
    reader = WordsReader({"sent me to Kisumu": probability}, yes=yes)
    answers = SaidAnswers(passages=said_passages(*DIALOGUE), reader=reader)
    [read] = read_questions(["Do I work in Kisumu?"], reader=real_questions())
    answer = answers.answer(recalled(read), Query(read.text, "Ana", NOW)).answer
    expected = begins and f'{begins} On 6 April 2024 you said: "The company has sent me to Kisumu now."'
    assert (answer and answer.text) == expected


def test_sentence_of_which_what_was_read_is_over_decides_nothing_now() -> None:
    memory = FakeMemory()
    over = memory.learn("Ana", "worksIn", "Kisumu", said="Sent to Kisumu.", superseded_at=NOW)
    [now, once] = read_questions(["Do I work in Kisumu?", "Did I work in Kisumu?"], reader=real_questions())
    assert is_refuted(recalled(now), [over])
    assert not is_refuted(recalled(once), [over])
    assert not is_refuted(recalled(now), [])

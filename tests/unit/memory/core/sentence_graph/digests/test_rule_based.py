"""Digests by rule: the central sentences of a session, told facts with their places, and what recurs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import numpy as np

from memory.core.sentence_graph.digests.rule_based import (
    RuleBasedFactWriter,
    RuleBasedInsightConfig,
    RuleBasedInsightWriter,
    RuleBasedSummaryConfig,
    RuleBasedSummaryWriter,
)
from memory.core.sentence_graph.digests.types import DatedFact, RoundWords, SessionWords
from memory.core.types import Role, Topic, TopicKind, Utterance

MORNING = datetime(2024, 5, 3, 9, 0, tzinfo=UTC)


def said(text: str, *, speaker: str = "Ana", role: Role = Role.USER) -> Utterance:
    return Utterance(speaker, role, text, MORNING)


class TopicsByWord:
    """The topics of a fact are its words in capitals; "LIKES" and "DOES" before one say of what kind it is."""

    def read_many(self, facts: Sequence[str]) -> list[list[Topic]]:
        return [self._topics(fact.split()) for fact in facts]

    def _topics(self, words: list[str]) -> list[Topic]:
        kinds = {"LIKES": TopicKind.LIKED, "DOES": TopicKind.DONE}
        found = []
        for before, word in zip(["", *words], words, strict=False):
            if word.isupper() and word not in kinds:
                kind = kinds.get(before, TopicKind.NAMED)
                told = f"plays {word.lower()}" if kind is TopicKind.DONE else word.lower()
                found.append(Topic(words[0], word, told, kind))
        return found


def insights(*facts: tuple[int, str], most: int = 8) -> list[str]:
    dated = [DatedFact(text, MORNING + timedelta(days=day)) for day, text in facts]
    config = RuleBasedInsightConfig(insights=most)
    [found] = RuleBasedInsightWriter(topics=TopicsByWord(), config=config).write_many([dated])
    return [one.text for one in found]


def test_a_summary_quotes_the_central_sentences_in_order_with_their_speakers() -> None:
    sentences = (
        said("The bakery hired me last week."),
        said("Completely beside the point today, really."),
        said("The bakery is near my new flat.", speaker="Ben"),
        said("Bread from the bakery is the best.", speaker="Ben"),
    )
    vectors = np.array([[1, 0, 0], [0, 0, 1], [0.6, 0.8, 0], [0.7, -0.7, 0.14]], np.float32)
    writer = RuleBasedSummaryWriter(config=RuleBasedSummaryConfig(sentences=3))
    [summary] = writer.write_many([SessionWords(sentences, vectors)])
    assert summary.text == (
        "Ana: The bakery hired me last week. Ben: The bakery is near my new flat. Bread from the bakery is the best."
    )
    assert (summary.sources, summary.goes_on) == ((0, 2, 3), False)


def test_a_summary_leaves_out_greetings_questions_praise_repetitions_and_the_assistant() -> None:
    sentences = (
        said("Hello there!"),
        said("Is the bakery open on Sundays, by the way?"),
        said("You bake the very best bread in town."),
        said("The bakery hired me last week."),
        said("The bakery has hired me last week."),
        said("Bakeries bake bread for many people.", role=Role.ASSISTANT, speaker="Bot"),
    )
    [summary] = RuleBasedSummaryWriter().write_many([SessionWords(sentences, np.ones((6, 2), np.float32) / 2**0.5)])
    assert summary.text == "Ana: The bakery hired me last week."


def test_a_session_of_praise_alone_is_summed_up_by_it_and_an_empty_one_by_nothing() -> None:
    praise = SessionWords((said("You bake the very best bread in town."),), np.ones((1, 1), np.float32))
    empty = SessionWords((said("Hello there!"),), np.ones((1, 1), np.float32))
    assert [one.text for one in RuleBasedSummaryWriter().write_many([praise, empty])] == [
        "Ana: You bake the very best bread in town.",
        "",
    ]


def test_facts_keep_the_place_of_the_sentence_that_says_them_first() -> None:
    class Telling:
        def tell_many(self, sentences: Sequence[Utterance], *, context: Sequence[Utterance] = ()) -> list[list[str]]:
            assert [one.text for one in context] == ["Before."]
            return [[], ["Ana bakes.", "Ana sings."], ["Ana bakes."]]

    writer = RuleBasedFactWriter(teller=Telling())
    [facts] = writer.write_many([RoundWords((said("Hi."), said("I bake."), said("I do bake.")), (said("Before."),))])
    assert {(fact.text, fact.source) for fact in facts} == {("Ana bakes.", 1), ("Ana sings.", 1)}


def test_what_is_done_or_liked_on_two_days_is_an_insight() -> None:
    assert insights((0, "Ana DOES CHESS"), (3, "Ana DOES CHESS")) == [
        "Ana plays chess time and again: told on 2 days between 3 May 2024 and 6 May 2024."
    ]
    assert insights((0, "Ana LIKES CHESS"), (3, "Ana saw CHESS")) == [
        "Ana likes chess and keeps coming back to it: told on 2 days between 3 May 2024 and 6 May 2024."
    ]


def test_what_is_only_named_needs_three_days() -> None:
    twice = ((0, "Ana saw CHESS"), (3, "Ana saw CHESS"))
    assert insights(*twice) == []
    assert insights(*twice, (9, "Ana heard CHESS")) == [
        "Ana often speaks of chess: told on 3 days between 3 May 2024 and 12 May 2024."
    ]


def test_one_day_or_two_people_make_no_pattern() -> None:
    assert insights((0, "Ana DOES CHESS"), (0, "Ana DOES CHESS")) == []
    assert insights((0, "Ana DOES CHESS"), (3, "Ben DOES CHESS")) == []


def test_topics_of_the_same_facts_are_one_insight_and_their_number_is_bounded() -> None:
    assert len(insights((0, "Ana DOES CHESS LIKES TEA"), (3, "Ana DOES CHESS LIKES TEA"))) == 1
    many = [(day, f"Ana DOES {'CHESSGOPOKER'[number : number + 2]}") for day in (0, 3) for number in range(8)]
    assert len(insights(*many, most=3)) == 3


def test_an_insight_names_its_facts_and_has_their_latest_time() -> None:
    facts = [
        DatedFact(text, MORNING - timedelta(days=day))
        for day, text in ((0, "Ana DOES GO"), (1, "Ben is"), (2, "Ana DOES GO"))
    ]
    [[insight]] = RuleBasedInsightWriter(topics=TopicsByWord()).write_many([facts])
    assert (insight.merges, insight.said_at) == ((0, 2), MORNING)

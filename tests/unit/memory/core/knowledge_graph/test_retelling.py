"""What people said, told as facts: in the third person, with names and dates, nothing that leans on other sentences."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.core.knowledge_graph.retelling.teller import RuleBasedFactTeller, with_dates
from memory.core.knowledge_graph.retelling.topics import RuleBasedTopicReader
from memory.core.types import Role, TopicKind, Utterance
from tests.fakes.language import real_parser
from tests.hypothesis_profiles import examples

MAY = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)  # a Monday


def told(
    text: str, *, before: tuple[tuple[str, str], ...] = (), role: Role = Role.USER, at: datetime = MAY
) -> list[str]:
    teller = RuleBasedFactTeller(parser=real_parser())
    context = [Utterance(who, Role.USER, words, at) for who, words in before]
    [facts] = teller.tell_many([Utterance("Nora", role, text, at)], context=context)
    return facts


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I went to a support group yesterday and it was so powerful.", "Nora went to a support group on 7 May 2023."),
        ("Yeah, I painted a lake sunrise last year!", "Nora painted a lake sunrise in 2022."),
        ("We're thinking about going camping next month.", "Nora is thinking about going camping in June 2023."),
        ("I ran a race for charity last Saturday – it was rewarding.", "Nora ran a race for charity on 6 May 2023."),
        ("I'm leaving the day after tomorrow evening.", "Nora is leaving on the evening of 10 May 2023."),
        ("I started playing the guitar about five years ago.", "Nora started playing the guitar around 2018."),
        ("We went hiking two weekends ago.", "Nora went hiking two weekends before 8 May 2023."),
        ("My kids are excited about the summer break!", "Nora's kids are excited about the summer break."),
        ("I'll meet my sister on Friday.", "Nora will meet Nora's sister on 12 May 2023."),
        ("I've lived in Lyon since 2019.", "Nora has lived in Lyon since 2019."),
        ("Just got some new shoes.", "Nora just got some new shoes."),
        (
            "I'm a vegetarian and I'm looking for some new recipes.",
            "Nora is a vegetarian and Nora is looking for some new recipes.",
        ),
        ("Painting's a fun way to express my feelings.", "Painting is a fun way to express Nora's feelings."),
    ],
)
def test_a_fact_stands_alone(text: str, expected: str) -> None:
    assert told(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "Hey Mel!",
        "Good to see you!",
        "What's up with you?",
        "You'd be a great counselor!",
        "It was awesome!",
        "That's really cool.",
        "I'm lucky to have them.",
        "I enjoyed that.",
        "I'm super thankful.",
        "Family is everything.",
        "We all have unique paths.",
        "Let's spread love!",
        "If I had a boat, I would sail.",
        "I need help choosing a synonym.",
        "I'm looking for advice on privacy.",
        "Write me a story in which I own a castle.",
        "Taking care of ourselves is so important.",
        "",
        "...",
        "\x00",
        "I " * 300,
    ],
)
def test_what_tells_nothing_of_its_speaker_is_no_fact(text: str) -> None:
    assert told(text) == []


def test_an_answer_is_told_with_its_question() -> None:
    assert told("In Porto.", before=(("Mel", "Where do you live?"),)) == ["Nora lives in Porto."]


def test_an_assistants_words_are_no_facts_of_anybody() -> None:
    assert told("I went to Paris yesterday.", role=Role.ASSISTANT) == []


def test_the_name_of_the_other_is_not_taken_for_a_part_of_the_fact() -> None:
    assert told("Mel, I moved to Porto in 2020, Mel.", before=(("Mel", "Hi."),)) == ["Nora moved to Porto in 2020."]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I moved in 2019.", "I moved in 2019."),
        ("I was here since last week.", "I was here since the week before 8 May 2023."),
        ("yesterday's news", "Yesterday's news"),
        ("I left on 3 May.", "I left on 3 May 2023."),
        ("Some day I go.", "Some day I go."),
    ],
)
def test_dates_are_put_only_where_they_are_lacking(text: str, expected: str) -> None:
    assert with_dates(text, said_at=MAY) == expected


@settings(max_examples=examples(150))
@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=80))
def test_any_text_is_told_or_left_in_peace(text: str) -> None:
    for fact in told(text):
        assert "Nora" in fact
        assert fact[-1] in ".!?\"'”’)"


def topics(fact: str) -> list[tuple[str, str, TopicKind]]:
    [found] = RuleBasedTopicReader(parser=real_parser()).read_many([fact])
    return [(topic.person, topic.words, topic.kind) for topic in found]


@pytest.mark.parametrize(
    ("fact", "expected"),
    [
        ("Nora went camping with friends in 2022.", ("Nora", "goes camping", TopicKind.DONE)),
        ("Nora plays the clarinet on Sundays.", ("Nora", "plays a clarinet", TopicKind.DONE)),
        ("Nora went to a pride parade on 11 August 2023.", ("Nora", "goes to a pride parade", TopicKind.DONE)),
        ("Nora loves live music.", ("Nora", "live music", TopicKind.LIKED)),
        ("Nora is a big fan of pottery.", ("Nora", "pottery", TopicKind.LIKED)),
        ("Nora's group talked about adoption.", ("Nora", "adoption", TopicKind.NAMED)),
    ],
)
def test_topics_of_a_fact(fact: str, expected: tuple[str, str, TopicKind]) -> None:
    assert expected in topics(fact)


@pytest.mark.parametrize("fact", ["The weather was fine.", "Nora did not play chess.", "", "Nora."])
def test_a_fact_without_a_person_or_that_denies_has_nothing_done(fact: str) -> None:
    assert [topic for topic in topics(fact) if topic[2] is not TopicKind.NAMED] == []

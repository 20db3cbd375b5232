"""Whose word a fact is: reports, evidence at second hand, suppositions, answers to the other's questions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from memory.core.knowledge_graph.extraction.rule_based import RuleBasedExtractor
from memory.core.types import Fact, Modality, Role, Utterance
from tests.unit.memory.core.knowledge_graph.conftest import SAID_AT, Read, asserted

Talk = Callable[..., set[str]]


@pytest.fixture
def talk(extractor: RuleBasedExtractor) -> Talk:
    """Return what the last of several turns asserts; "A:" opens one of the assistant's, "Ana:" another person's."""

    def facts(*turns: str) -> set[str]:
        said = [_turn(text, minute) for minute, text in enumerate(turns)]
        return asserted(extractor.extract_many(said[-1:], context=said[:-1])[0].facts)

    return facts


def _turn(text: str, minute: int) -> Utterance:
    at = SAID_AT.replace(minute=minute)
    if text.startswith("A: "):
        return Utterance("Assistant", Role.ASSISTANT, text[3:], at)
    if text.startswith("Ana: "):
        return Utterance("Ana", Role.USER, text[5:], at)
    return Utterance("Sam", Role.USER, text, at)


def reported(facts: Sequence[Fact]) -> set[str]:
    return {
        f"{fact.attributed_to}: {fact.subject.label} {fact.predicate} {fact.object.label}"
        for fact in facts
        if fact.modality is Modality.REPORTED
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Tom says that Maya lives in Rome.", "Tom: Maya livesIn Rome"),
        ("Tom claims he works for NASA.", "Tom: Tom worksFor NASA"),
        ("my boss thinks I'm lazy", "Sam's boss: Sam hasQuality lazy"),
        ("My mom believes I live in Madrid.", "Sam's mother: Sam livesIn Madrid"),
        ("Everyone thinks I work for Google.", "everyone: Sam worksFor Google"),
        ("My ex told everyone I'm an alcoholic.", "Sam's ex: Sam hasQuality alcoholic"),
        ("The article says that Angela Merkel was born in Hamburg.", "the article: Angela Merkel bornIn Hamburg"),
        ("Maya lives in Rome, according to Tom.", "Tom: Maya livesIn Rome"),
        ("Maya lives in Rome, Tom told me.", "Tom: Maya livesIn Rome"),
        ("I heard that Maya moved to Berlin.", "somebody: Maya livesIn Berlin"),
        ("I was told that Maya lives in Rome.", "somebody: Maya livesIn Rome"),
        ("You told me I work for Nokia.", "you: Sam worksFor Nokia"),
        ("Rumour has it that I work for Airbus.", "Rumour: Sam worksFor Airbus"),
    ],
)
def test_report_keeps_whose_word_it_is_and_is_not_believed(read: Read, text: str, expected: str) -> None:
    facts = read(text)
    assert expected in reported(facts)
    assert {fact.predicate for fact in facts if fact.modality is Modality.ASSERTED} <= {
        "hasBoss", "hasMother", "hasEx", "hasNeighbor",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("My sister told me she's moved to Oslo.", "Sam's sister livesIn Oslo; Sam hasSister Sam's sister"),
        (
            "My dad mentioned that he works for Siemens now.",
            "Sam's father worksFor Siemens; Sam hasFather Sam's father; not Sam's father worksFor anything",
        ),
        (
            "My sister just texted me that she has moved to Oslo.",
            "Sam's sister livesIn Oslo; Sam hasSister Sam's sister",
        ),
        (
            "My sister said her dog is called Rex.",
            "Sam's sister hasDog Rex; Rex isA dog; Sam hasSister Sam's sister",
        ),
    ],
)
def test_person_is_believed_of_themself(read: Read, text: str, expected: str) -> None:
    assert set(expected.split("; ")) == asserted(read(text))


def test_pronoun_of_a_known_person_is_believed_of_themself(talk: Talk) -> None:
    assert talk("My sister Maya lives in Rome.", "She told me she moved to Oslo.") == {"Maya livesIn Oslo"}


@pytest.mark.parametrize(
    "text",
    [
        "I told my boss that I live in Rome.",
        "I think I live in Rome.",
        "I should mention that I live in Rome.",
        "I must admit I live in Rome.",
        "I'm happy to say that I live in Rome.",
        "I forgot to mention that I live in Rome.",
        "Note that I live in Rome.",
        "If you're wondering, I live in Rome.",
        "I live in Rome, if that helps.",
        "I hope you are well, I live in Rome.",
        "I live in Rome, how cool is that?",
        "Guess what, I live in Rome!",
    ],
)
def test_own_word_is_believed_whatever_introduces_it(read: Read, text: str) -> None:
    assert "Sam livesIn Rome" in asserted(read(text))


def test_denial_after_nothing_reported_denies_nothing(talk: Talk) -> None:
    assert talk("I live in Rome.", "I don't.") == set()


SUPPOSED = [
    "I nearly moved to Rome.",
    "I almost moved to Rome last year.",
    "I was going to move to Rome.",
    "I was planning to move to Rome.",
    "I would have moved to Rome.",
    "I wish I lived in Rome.",
    "If only I lived in Rome!",
    "If I won, I'd quit and move to Rome.",
    "I could sell the car and move to Rome.",
    "I feel like I live in Rome.",
    "He talks as if I lived in Rome.",
    "I'm not sure I live in Rome.",
    "I thought I lived in Rome, but no.",
    "I used to think I lived in Rome.",
    "I dreamed that I lived in Rome.",
    "I never said I live in Rome.",
    "I will probably move to Rome.",
    "I doubt I'm allergic to nuts.",
    "I'm practically a doctor by now lol",
]


@pytest.mark.parametrize("text", SUPPOSED)
def test_supposition_is_not_believed(read: Read, text: str) -> None:
    assert asserted(read(text)) == set()


@pytest.mark.parametrize(
    "text",
    [
        "When did I stop playing the piano?",
        "Why did my sister move to Rome?",
        "Tell me when I moved to Rome.",
        "Remind me why I moved to Rome.",
        "Who told you I live in Rome?",
        "I live in Rome, don't I?",
        "I live in Rome, right?",
        "So I live in Rome?",
        "Did you know that I live in Rome?",
        "Who doesn't love pizza?",
    ],
)
def test_question_teaches_nothing_of_what_it_takes_for_granted(read: Read, text: str) -> None:
    assert asserted(read(text)) == set()


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("Where would you like to live?", "Rome"),
        ("Shall I book a table in Rome?", "Yes please"),
        ("Do you want me to book it?", "Yes"),
        ("Do you live in Paris?", "Maybe"),
        ("Do you live in Paris?", "Why do you ask?"),
        ("Where do you live?", "I'd rather not say."),
        ("Who does your cousin work for?", "no idea, he won't tell me"),
        ("Does that help?", "Yes"),
        ("How are you?", "Fine"),
        ("You live in Dakar and I like your wife.", "ok"),
        ("How about learning the guitar?", "hmm, not sure. I'll think about it"),
        ("You should move to Rome.", "Great idea!"),
    ],
)
def test_answer_that_tells_nothing_teaches_nothing(talk: Talk, asked: str, answer: str) -> None:
    assert talk("hi", f"A: {asked}", answer) == set()


def test_answer_belongs_to_the_question_right_before_it(talk: Talk) -> None:
    assert talk("A: Where do you live?", "Good question.", "A: I am listening.", "Lyon.") == set()


@pytest.mark.parametrize(
    "answer", ["Hmm, not sure.", "Thanks!", "I'd rather call her Mimi?", "What else?", "Mimi or Luna?"]
)
def test_name_that_nobody_accepted_is_no_fact(talk: Talk, answer: str) -> None:
    assert talk("I got a new kitten!", "A: How about Luna or Mimi?", answer) == set()


def test_two_people_talk_of_themselves_only(talk: Talk) -> None:
    assert talk("I live in Lyon.", "Ana: You moved to Rome, right?") == set()
    assert talk("I have news.", "Ana: Congrats on your new job at Nokia!") == set()

"""Clipped questions of the assistant and clipped answers to them."""

from __future__ import annotations

import pytest

from memory.core.knowledge_graph.extraction.rule_based import RuleBasedExtractor
from memory.core.types import Role, Utterance
from tests.unit.memory.core.knowledge_graph.conftest import SAID_AT, asserted


def answered(extractor: RuleBasedExtractor, asked: str, answer: str, *before: str) -> set[str]:
    """Return what an answer to the assistant's question asserts, after what the user said before that."""
    said = [Utterance("Sam", Role.USER, text, SAID_AT.replace(minute=place)) for place, text in enumerate(before)]
    said.append(Utterance("Assistant", Role.ASSISTANT, asked, SAID_AT.replace(minute=30)))
    turn = Utterance("Sam", Role.USER, answer, SAID_AT.replace(minute=31))
    return asserted(extractor.extract_many([turn], context=said)[0].facts)


TOLD = [
    ("Any allergies?", "Peanuts and shellfish.", {"Sam allergicTo peanuts", "Sam allergicTo shellfish"}),
    ("Allergies?", "Penicillin.", {"Sam allergicTo penicillin"}),
    ("Do you have any food allergies?", "Yes, sesame.", {"Sam allergicTo sesame"}),
    ("Any pets?", "A cat named Zora.", {"Sam hasCat Zora", "Zora isA cat"}),
    ("Any siblings?", "Two brothers.", {"Sam hasNumberOfBrothers 2"}),
    ("And your job?", "Plumber.", {"Sam worksAs plumber"}),
    ("Your name?", "Ottavia.", {"Sam hasName Ottavia"}),
    ("What should I call you?", "Just Mo.", {"Sam hasName Mo"}),
    ("Where did you grow up?", "In Cork.", {"Sam grewUpIn Cork"}),
    ("Do you prefer tea or coffee?", "Coffee.", {"Sam likes coffee"}),
    ("Do you prefer cats or dogs?", "Dogs, definitely.", {"Sam likes dogs"}),
    ("Are you married?", "Divorced.", {"Sam maritalStatus divorced"}),
    ("Are you from Spain?", "Portugal.", {"Sam comesFrom Portugal"}),
    ("Do you live in Rome?", "Milan.", {"Sam livesIn Milan"}),
    ("How long have you lived in Perth?", "Six years.", {"Sam livesIn Perth"}),
    ("How long have you worked at Shell?", "Since 2015.", {"Sam worksFor Shell"}),
    ("Do you drink coffee?", "Every morning!", {"Sam drinks coffee"}),
    ("Do you speak German?", "A little.", {"Sam speaks German"}),
    ("Do you like jazz?", "A lot!", {"Sam likes jazz"}),
    ("Do you have a dog?", "Yes, Wanda.", {"Sam hasDog Wanda"}),
    ("Is Ana your sister?", "No, my cousin.", {"Sam hasCousin Ana"}),
]


@pytest.mark.parametrize(("asked", "answer", "expected"), TOLD)
def test_a_clipped_answer_says_what_was_asked(
    asked: str, answer: str, expected: set[str], extractor: RuleBasedExtractor
) -> None:
    assert expected <= answered(extractor, asked, answer)


ENDED = [
    ("Do you smoke?", "I quit in March.", "not Sam hasHabit smoking"),
    ("Do you still play the violin?", "I quit.", "not Sam plays violin"),
    ("Do you play chess?", "I gave it up years ago.", "not Sam plays chess"),
    ("Do you still work at Shell?", "I quit in May.", "not Sam worksFor Shell"),
]


@pytest.mark.parametrize(("asked", "answer", "expected"), ENDED)
def test_quitting_ends_what_was_asked_about(
    asked: str, answer: str, expected: str, extractor: RuleBasedExtractor
) -> None:
    assert answered(extractor, asked, answer) == {expected}


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("Do you live in Rome?", "Sometimes."),
        ("Do you live in Rome?", "Lol why"),
        ("Do you have a dog?", "Thanks"),
        ("Do you have a dog?", "Maybe."),
        ("Any allergies?", "Not that I know of."),
        ("Any questions?", "Yes."),
        ("Do you want me to remind you?", "Every day."),
        ("Can you see it?", "A little."),
        ("Do you prefer tea or coffee?", "Neither."),
        ("How long will it take?", "Ten minutes."),
        ("What should I call you?", "Whatever you like."),
        ("Are you from Spain?", "Great question!"),
    ],
)
def test_an_answer_that_says_nothing_teaches_nothing(asked: str, answer: str, extractor: RuleBasedExtractor) -> None:
    assert answered(extractor, asked, answer) == set()


def test_what_is_asked_of_a_relative_is_told_of_them(extractor: RuleBasedExtractor) -> None:
    said = answered(extractor, "Does she have any allergies?", "Yes, peanuts.", "My sister visits tomorrow.")
    assert said == {"Sam's sister allergicTo peanuts"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I'm in Harrogate myself, I've lived here all my life.", "Sam livesIn Harrogate"),
        ("I'm from Ghent and I still live there.", "Sam livesIn Ghent"),
        ("I'm in Almaty, I live here with my parents.", "Sam livesIn Almaty"),
        ("My sister was born in Turku and she still lives there.", "Sam's sister livesIn Turku"),
        ("I'm in Oslo, but I don't live here.", "not Sam livesIn Oslo"),
        ("Hamza is a friend of mine from school.", "Sam hasFriend Hamza"),
        ("Leila is a colleague of mine.", "Sam hasColleague Leila"),
    ],
)
def test_here_is_where_somebody_was_said_to_be(text: str, expected: str, extractor: RuleBasedExtractor) -> None:
    assert expected in asserted(extractor.extract_many([Utterance("Sam", Role.USER, text, SAID_AT)])[0].facts)


def test_there_is_no_place_that_was_only_visited(extractor: RuleBasedExtractor) -> None:
    said = [Utterance("Sam", Role.USER, text, SAID_AT) for text in ("I visited Rome.", "My cousin lives there.")]
    facts = [fact for fragment in extractor.extract_many(said) for fact in fragment.facts]
    assert not any(fact.predicate == "livesIn" for fact in facts)


@pytest.mark.parametrize(
    ("before", "text", "expected"),
    [
        ("I'd like a gift for my nephew.", "His name is Benício.", "Sam hasNephew Benício"),
        ("My dog is ill.", "Her name is Wanda.", "Sam hasDog Wanda"),
    ],
)
def test_a_name_told_of_a_pronoun_names_the_relative(
    before: str, text: str, expected: str, extractor: RuleBasedExtractor
) -> None:
    said = [Utterance("Sam", Role.USER, one, SAID_AT.replace(minute=place)) for place, one in enumerate((before, text))]
    assert expected in asserted(extractor.extract_many(said[1:], context=said[:1])[0].facts)

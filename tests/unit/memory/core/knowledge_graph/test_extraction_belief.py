"""What the built-in engine, message reader and clauses together, believes of words that are not meant, sure or told."""

from __future__ import annotations

from pathlib import Path

import pytest

import memory
from memory.adapters.readers.message_reader import OnnxMessageReader
from memory.adapters.segmenter import SyntokSegmenter
from memory.core.knowledge_graph.extraction.learned.extractor import LearnedExtractor
from memory.core.knowledge_graph.extraction.rule_based import RuleBasedExtractor
from memory.core.types import Role, Utterance
from tests.fakes.language import real_parser
from tests.unit.memory.core.knowledge_graph.conftest import SAID_AT, asserted

WEIGHTS = Path(memory.__file__).parent / "pretrained" / "message_reader"


@pytest.fixture(scope="module")
def built_in() -> LearnedExtractor:
    parser = real_parser()
    clauses = RuleBasedExtractor(parser=parser, replaces=True)
    return LearnedExtractor(reader=OnnxMessageReader(WEIGHTS), parser=parser, clauses=clauses)


def believed(built_in: LearnedExtractor, text: str) -> set[str]:
    """Return what the sentences of a message assert."""
    said = [Utterance("Sam", Role.USER, one.text, SAID_AT) for one in SyntokSegmenter().segment_many([text])[0]]
    return {line for fragment in built_in.extract_many(said) for line in asserted(fragment.facts)}


SAID = (
    # Dreams, wishes, guesses, conditions, other worlds.
    ("I dreamt that I had a daughter named Lea.", ""),
    ("Last night I dreamed we were living in a castle in Wales.", ""),
    ("My daughter pretends that she is a doctor.", ""),
    ("I nearly moved to Rome.", ""),
    ("I almost moved to Rome last year.", ""),
    ("I was going to move to Rome.", "not Sam plansTo move to Rome"),
    ("Can't stand aubergine.", "Sam dislikes aubergine"),
    ("I would have moved to Rome.", ""),
    ("I wish I lived in Rome.", ""),
    ("I wish my sister lived in Rome.", ""),
    ("If only I lived in Rome!", ""),
    ("If I won, I'd quit and move to Rome.", ""),
    ("If I had a boat, Tom sails it, and Ana cooks, would you come?", ""),
    ("Unless it rains I'll be in Bergen.", ""),
    ("I feel like I live in Rome.", ""),
    ("He talks as if I lived in Rome.", ""),
    ("I'm not sure I live in Rome.", ""),
    ("I used to think I lived in Rome.", ""),
    ("I never said I live in Rome.", ""),
    ("I doubt I'm allergic to nuts.", ""),
    ("I will probably move to Rome.", ""),
    ("Someday I'll live in Rome.", ""),
    ("In an ideal world I live in Rome.", ""),
    ("In another life I lived in Rome.", ""),
    ("In a perfect world I'd work for Pixar.", ""),
    ("Breakfast is in Paris, I hope.", ""),
    # What is said of nothing that anybody could ask for.
    ("It's like a nudge to stay true to myself and embrace my womanhood.", ""),
    ("I have a dog called Rex. It was a blast!", "Sam hasDog Rex; Rex isA dog"),
    # Irony.
    ("Yeah right, and I'm the king of Spain.", ""),
    ("I live in Rome /s", ""),
    ("I'm practically a doctor by now lol", ""),
    # Hearsay.
    ("According to my doctor I have diabetes.", ""),
    ("According to Tom, Maya lives in Rome.", ""),
    ("I heard from Tom that Maya lives in Rome.", ""),
    ("Allegedly, Tom lives in Rome.", ""),
    ("Rumour has it that Maya is married to Paul.", ""),
    ("Everyone thinks I work for Google.", ""),
    ("My mum told my teacher I'm allergic to cats.", ""),
    ("My uncle told his friends that I own a castle.", ""),
    ("My mum thinks I'm a vegetarian, but I'm not.", "not Sam hasQuality vegetarian"),
    ("It's not true that I live in Rome.", "not Sam livesIn Rome"),
    # Quotations, and what only speaks of words.
    ('My friend wrote: "I live in Rome"', ""),
    ('My boss texted me: "I live in Rome now"', ""),
    ("The song goes: I live in a yellow submarine", ""),
    ("As Einstein said, 'I live in a house of dreams.'", ""),
    ("How do you say 'I live in Berlin' in German?", ""),
    ("Write a story about a nurse: I am a nurse named Ann.", ""),
    ("Let's play a game, I'm a pirate named Jack.", ""),
    ("Explain bitcoin like I'm 10", ""),
    # Exercises.
    ("John has 3 apples. He gives 2 to Mary. How many does he have?", ""),
    ("I have 12 apples and I give 5 to Tom. How many are left?", ""),
    ("You have 10 coins. One is fake. How can you find out which?", ""),
    ("Ravi drives 60 km per hour for 3 hours. How far does he travel?", ""),
    ("Anna has 5 brothers and each brother has a sister. How many sisters are there?", ""),
    ("Mary is Tom's mother, John is Tom's grandfather, so what is John to Mary?", ""),
    # Questions.
    ("Who told you I live in Rome?", ""),
    ("Did you know that I live in Rome?", ""),
    ("I live in Rome, right?", ""),
    ("I live in Rome, don't I?", ""),
    ("Why did my sister move to Rome?", ""),
    # What is told all the same.
    ("I live in Rome, any tips?", "Sam livesIn Rome"),
    ("In real life I'm married to Pekka.", "Sam spouse Pekka"),
    ("I planted three cherry trees.", "was Sam plant three cherry trees"),
    (
        "I live in Bogotá and my best friend Catalina lives in Medellín.",
        "Sam livesIn Bogotá; Catalina livesIn Medellín; Sam hasFriend Catalina",
    ),
    ("I live in Cluj and my friend Rob lives in Oslo.", "Sam livesIn Cluj; Rob livesIn Oslo; Sam hasFriend Rob"),
    ("You know me, I hate flying.", "Sam dislikes flying"),
    ("Believe me, I've been a paramedic for ten years.", "Sam worksAs paramedic"),
    ("I'd like a training plan, I live in Turku.", "Sam livesIn Turku"),
    ("I have 3 kids. How much does a family ticket cost?", "Sam hasNumberOfChildren 3"),
    ("I have two cats. How many times a day should I feed them?", "Sam hasNumberOfCats 2"),
    (
        "My sister is head of sales at IBM.",
        "Sam's sister worksFor IBM; Sam hasSister Sam's sister; Sam's sister worksAs head of sales",
    ),
)


@pytest.mark.parametrize(("text", "expected"), SAID)
def test_only_what_is_meant_is_believed(built_in: LearnedExtractor, text: str, expected: str) -> None:
    assert believed(built_in, text) == set(filter(None, expected.split("; ")))

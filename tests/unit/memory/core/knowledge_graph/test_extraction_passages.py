"""Where a pasted passage ends, which sentences are fiction, and what assurances a speaker opens with."""

from __future__ import annotations

import pytest

from memory.adapters.segmenter import SyntokSegmenter
from memory.core.knowledge_graph.extraction.rule_based import RuleBasedExtractor
from memory.core.types import Role, Utterance
from tests.unit.memory.core.knowledge_graph.conftest import SAID_AT, asserted


def believed(extractor: RuleBasedExtractor, text: str) -> set[str]:
    """Return what the sentences of a message assert, each with the line breaks before it."""
    said, end = [], 0
    for one in SyntokSegmenter().segment_many([text])[0]:
        breaks = text[end : one.span.start].count("\n")
        said.append(Utterance("Sam", Role.USER, one.text, SAID_AT, breaks=breaks))
        end = one.span.end
    return {line for fragment in extractor.extract_many(said) for line in asserted(fragment.facts)}


RETURNED = [
    ('```\nname = "Bob"\n```\n\nI live in Quebec.', {"Sam livesIn Quebec"}),
    ("What does this recipe need?\n\nI'm a vegan.", {"Sam hasQuality vegan"}),
    ("Can you improve this text for me? I'm a nurse.", {"Sam worksAs nurse"}),
]


@pytest.mark.parametrize(("text", "expected"), RETURNED)
def test_own_words_beside_a_text_are_read(text: str, expected: set[str], extractor: RuleBasedExtractor) -> None:
    assert believed(extractor, text) == expected


STILL_FOREIGN = [
    # What follows a text that has no mark at its end stays unread with it.
    "Translate this article:\n\nThe mayor of Oslo opened a bridge. She lives in Drammen.\n\nI live in Bergen.",
    "Write a reply to this message.\n\nHey, I broke my leg, I live in Kiel.\n\nCan you make it warm? I live in Bonn.",
    "Bob: I live in Paris\nAna: I have a cold\n\nThanks, what do you think? I'm a doctor.",
    "Here is the poem:\n\nI am a river\nI live in the hills\n\nI live in a stone, I am a stone",
    "Translate this letter:\n\nDear Ana,\n\nI live in Kiel.\n\nI work for Siemens.",
    "Can you proofread this paragraph?\n\nI work at Nokia and I live in Espoo.",
    "Can you proofread this?\nI have five brothers and a cat.",
    "Fix the grammar in these sentences.\n\n1. I has a dog.\n2. My sister lives in Rome.",
    "Bob: I live in Paris\n\nAna: I live in Lyon",
    "My friend's email: I'm moving to Peru with my dog.",
    "Dad's text: I bought a boat.",
    "Here's what my sister posted: I've finally moved to Malta!",
    "This is what the tenant wrote: I have a baby and a cat.",
    "My journal from 2010: I love horses.",
    "I'm writing a thriller: Kara, 35, lives in Minsk and has two sons.",
    "The protagonist is called Vera. Her husband works at a mine.",
    "My main character is a baker named Otis. He lives in Leeds.",
]


@pytest.mark.parametrize("text", STILL_FOREIGN)
def test_a_passage_goes_on_over_a_blank_line_in_its_own_voice(text: str, extractor: RuleBasedExtractor) -> None:
    assert {line for line in believed(extractor, text) if "'s " not in line} == set()


OWN_WORD = [
    ("You know I love live music.", "Sam likes live music"),
    (
        "To be perfectly honest with you, my sister is a lawyer.",
        "Sam's sister worksAs lawyer; Sam hasSister Sam's sister",
    ),
    ("Like I said, I live in Turku.", "Sam livesIn Turku"),
    ("As I mentioned earlier, I work for Renault.", "Sam worksFor Renault"),
    ("As you know, I work for Renault.", "Sam worksFor Renault"),
    ("I swear my dog is called Otto.", "Sam hasDog Otto; Otto isA dog"),
    ("Not gonna lie, I love karaoke.", "Sam likes karaoke"),
    ("I should mention that I'm a nurse.", "Sam worksAs nurse"),
    ("You know what, I'm a nurse.", "Sam worksAs nurse"),
]


@pytest.mark.parametrize(("text", "expected"), OWN_WORD)
def test_an_assurance_is_the_speakers_own_word(text: str, expected: str, extractor: RuleBasedExtractor) -> None:
    assert set(expected.split("; ")) == believed(extractor, text)


@pytest.mark.parametrize(
    "text",
    [
        "You know that I live in Rome, right?",
        "Do you remember that I live in Rome?",
        "You know how I live with my parents?",
        "Remember to buy milk.",
        "Let me tell you about Rome.",
        "Honestly, Tom claims that Maya lives in Rome.",
    ],
)
def test_what_only_looks_like_an_assurance_teaches_nothing(text: str, extractor: RuleBasedExtractor) -> None:
    assert believed(extractor, text) == set()


HANGING = [
    ("I told my boss that I'm moving to Vienna in May.", "Sam livesIn Vienna"),
    ("I told my landlord I have a cat.", "Sam hasCat Sam's cat"),
    ("I warned my flatmate that I'm allergic to nuts.", "Sam allergicTo nuts"),
    ("I have a guinea pig named Truffle.", "Sam hasGuineaPig Truffle; Truffle isA guinea pig"),
    ("My guinea pig is called Nori.", "Sam hasGuineaPig Nori; Nori isA guinea pig"),
]


@pytest.mark.parametrize(("text", "expected"), HANGING)
def test_what_the_parse_hangs_on_the_wrong_word_is_read(
    text: str, expected: str, extractor: RuleBasedExtractor
) -> None:
    assert set(expected.split("; ")) == {line.removeprefix("will ") for line in believed(extractor, text)}


@pytest.mark.parametrize(
    "text",
    [
        "My mum told my teacher I'm allergic to cats.",
        "My boss told the client I speak Mandarin.",
        "My uncle told his friends that I own a castle.",
        "I'm the head of a small family.",
    ],
)
def test_what_others_told_somebody_stays_reported(text: str, extractor: RuleBasedExtractor) -> None:
    assert {line for line in believed(extractor, text) if " has" not in line} == set()


@pytest.mark.parametrize(
    "text",
    [
        "Explain bitcoin like I'm 10",
        "Explain it like I am a lawyer.",
        "Talk to me as if I were a nurse.",
        "Help me study so that I can become a nurse.",
    ],
)
def test_what_something_is_like_or_for_is_no_fact(text: str, extractor: RuleBasedExtractor) -> None:
    assert believed(extractor, text) == set()

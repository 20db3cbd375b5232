"""Whether a remembered sentence may stand behind an answer."""

from __future__ import annotations

import pytest

from conversations.core.responders.kinds import may_hold_value
from conversations.core.responders.support import is_said_of_speaker, own_part
from memory.core.knowledge_graph.question import GraphQuestion, Wanted
from memory.core.knowledge_graph.stems import content_stems


@pytest.mark.parametrize(
    ("text", "asked", "expected"),
    [
        ("I have had a parrot for years.", "parrot", True),
        ("We've always wanted to sail, and we sail now.", "sail", True),
        ("My neighbour is away; I feed her parrot.", "parrot", True),
        ("She has a parrot and two cats that I must feed.", "parrot", False),
        ("My nephew Jannik, who is diabetic, stays with us.", "diabetic", False),
        ("Today Sandrine said that she keeps a snake, and I nearly fainted.", "snake", False),
        ("Parrots are loud.", "parrot", False),
        ("I like tea.", "parrot", False),
    ],
)
def test_only_what_the_speaker_is_the_nearest_subject_of_is_said_of_them(text: str, asked: str, expected: bool) -> None:
    assert is_said_of_speaker(text, content_stems(asked)) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('Today Sandrine said "I have a snake" and I fainted.', "Today Sandrine said   and I fainted."),
        ("Grandpa used to say “I am a sailor” every evening.", "Grandpa used to say   every evening."),
        ('I read "The Left Hand of Darkness" twice.', 'I read "The Left Hand of Darkness" twice.'),
        ("My cat's name is Mio, it's old.", "My cat's name is Mio, it's old."),
        ('My TV is 50" wide and I love it.', 'My TV is 50" wide and I love it.'),
    ],
)
def test_words_put_into_somebodys_mouth_are_not_the_speakers_own(text: str, expected: str) -> None:
    question = GraphQuestion(text="Do I have a snake?", wanted=Wanted.TRUTH, verb="have")
    assert own_part(question, text) == expected


def test_what_was_said_is_found_in_quotation_marks() -> None:
    question = GraphQuestion(text="What did Sandrine say?", wanted=Wanted.VALUE, verb="say")
    assert own_part(question, 'She said "I have a snake".') == 'She said "I have a snake".'


@pytest.mark.parametrize(
    ("wanted", "noun", "preposition", "text", "expected"),
    [
        (Wanted.PERSON, "", "for", "My cousin Raúl got a new job.", False),
        (Wanted.PERSON, "", "for", "My cousin Raúl works for a bank now.", True),
        (Wanted.PERSON, "", "for", "Raúl joined Iberia last week.", True),
        (Wanted.PERSON, "", "with", "I went hiking at the weekend.", False),
        (Wanted.PERSON, "", "with", "I went hiking with my neighbours.", True),
        (Wanted.PERSON, "", "", "I met my sister at the station.", True),
        (Wanted.PERSON, "", "", "It was a lovely party in the garden.", False),
        (Wanted.VALUE, "colour", "", "I painted the kitchen last year.", False),
        (Wanted.VALUE, "colour", "", "I painted the kitchen green last year.", True),
        (Wanted.VALUE, "phone number", "", "I got a new phone number.", False),
        (Wanted.VALUE, "phone number", "", "My new phone number is 0170 55.", True),
        (Wanted.VALUE, "book", "", "I read a lot.", True),
    ],
)
def test_a_sentence_answers_only_with_a_value_of_the_kind_asked_for(
    wanted: Wanted, noun: str, preposition: str, text: str, expected: bool
) -> None:
    question = GraphQuestion(text="Who does Raúl go for?", wanted=wanted, noun=noun, preposition=preposition)
    assert may_hold_value(question, text) is expected

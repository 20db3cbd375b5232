"""What one speaker said, in another person: as it is told to them, of them, or by the one whom it was said to."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.core.english.grammatical_person import (
    as_the_other_says,
    pronoun_for_name,
    told_to_another,
    told_to_its_speaker,
    verb_for_name,
)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("I moved to Porto.", "You moved to Porto."),
        ("i'm allergic to nuts", "you're allergic to nuts"),
        ("I’m Ana and I've got a cat of mine.", "You’re Ana and you've got a cat of yours."),
        ("My sister and I were there.", "Your sister and you were there."),
        ("I was late, I wasn't sick.", "You were late, you weren't sick."),
        ("I cut myself.", "You cut yourself."),
        ("You told me that my dog is here.", "I told you that your dog is here."),
        ("I told you about my dog.", "You told me about your dog."),
        ("I'd go with you to Rome", "You'd go with me to Rome"),
        ("Can you help me?", "Can I help you?"),
        ("Are you sure? You're right.", "Am I sure? I'm right."),
        ("Do I know your name, am I wrong?", "Do you know my name, are you wrong?"),
        ("I think you are right.", "You think I am right."),
        ("as you know, I live in Paris", "as I know, you live in Paris"),
        ("What is it to you?", "What is it to me?"),
        ('He said "I love you" to me.', 'He said "I love you" to you.'),
        ("We went home and it was us.", "We went home and it was us."),
        ("and you've seen me", "and I've seen you"),
        ("im off, youre not", "you're off, I'm not"),
        ("Maya likes Ireland and iMac.", "Maya likes Ireland and iMac."),
        ("I am at my house.", "You are at your house."),
        ("I was told that it is mine.", "You were told that it is yours."),
        ("I've hurt myself, and I'd know.", "You've hurt yourself, and you'd know."),
        ("My sister likes me.", "Your sister likes you."),
    ],
)
def test_persons_are_exchanged(said, expected):
    assert as_the_other_says(said) == expected


@pytest.mark.parametrize(
    ("said", "to_speaker", "to_another"),
    [
        ("I'm at my mum's", "You're at your mum's", "They're at their mum's"),
        ("Since I’m back", "Since you’re back", "Since they’re back"),
        ("I've moved, ive said so", "You've moved, you've said so", "They've moved, they've said so"),
        ("I'd go, I'll see, I am sure", "You'd go, you'll see, you are sure", "They'd go, they'll see, they are sure"),
        ("I was late, I wasn't sick", "You were late, you weren't sick", "They were late, they weren't sick"),
        ("am I right? wasn't I?", "are you right? weren't you?", "are they right? weren't they?"),
        ("what I did myself is mine", "what you did yourself is yours", "what they did themselves is theirs"),
        ("We hurt ourselves", "You hurt yourselves", "They hurt themselves"),
        ("we're in our flat, it is ours", "you're in your flat, it is yours", "they're in their flat, it is theirs"),
        ("we were with us", "you were with you", "they were with them"),
        ("a cousin of mine", "a cousin of yours", "a cousin of theirs"),
        ("My sister", "Your sister", "Their sister"),
        ("my sister and I", "your sister and you", "their sister and they"),
        ("the US and us", "the US and you", "the US and them"),
        ("a coal mine, the old mine", "a coal mine, the old mine", "a coal mine, the old mine"),
        ("World War I", "World War I", "World War I"),
        ("He said “I’m late” to me", "He said “I’m late” to you", "He said “I’m late” to them"),
        ("your dog likes you", "your dog likes you", "your dog likes you"),
        ("Mimi was in Miami", "Mimi was in Miami", "Mimi was in Miami"),
        ("", "", ""),
    ],
)
def test_words_are_told_to_their_speaker_and_to_another(said: str, to_speaker: str, to_another: str) -> None:
    assert (told_to_its_speaker(said), told_to_another(said)) == (to_speaker, to_another)


def test_a_name_takes_the_place_of_the_first_person() -> None:
    assert [pronoun_for_name(word, "Ana") for word in ("I", "me", "myself", "My", "mine", "we", "cat")] == [
        "Ana", "Ana", "Ana", "Ana's", "Ana's", "", "",
    ]  # fmt: skip


def test_verbs_agree_with_a_name() -> None:
    verbs = ("am", "’m", "have", "'ve", "do", "were", "work", "carry", "moved", "working")
    assert [verb_for_name(verb, is_plain=True) for verb in verbs] == [
        "is", " is", "has", " has", "does", "was", "works", "carries", "", "",
    ]  # fmt: skip
    assert verb_for_name("work", is_plain=False) == ""


@pytest.mark.parametrize(
    "said", ["I live in Porto.", "My name is Ana.", "You were late.", "I am here and you are there."]
)
def test_turned_twice_it_is_what_was_said(said):
    assert as_the_other_says(as_the_other_says(said)) == said


@given(st.text(alphabet="abcxz .,;!?-\n0123456789", max_size=80))
def test_without_persons_nothing_changes(text):
    assert as_the_other_says(text) == text


@given(st.text(max_size=200))
def test_any_text_is_turned_without_an_error_and_says_as_much(text):
    turned = as_the_other_says(text)
    assert len(turned.split()) >= len(text.split()) - text.lower().count("i") - text.lower().count("y")


def test_long_turn_without_stops_is_turned_in_no_time():
    began = time.process_time()
    turned = as_the_other_says("you " * 10_000)
    assert time.process_time() - began < 3
    assert turned.split()[1:-1] == ["I"] * 9_998

"""What one speaker said, in the words of the one whom it was said to."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.core.turn_consistency.perspective import as_the_other_says


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("I moved to Porto.", "You moved to Porto."),
        ("i'm allergic to nuts", "You are allergic to nuts"),
        ("I’m Ana and I've got a cat of mine.", "You are Ana and you've got a cat of yours."),
        ("My sister and I were there.", "Your sister and you were there."),
        ("I was late, I wasn't sick.", "You were late, you weren't sick."),
        ("I cut myself.", "You cut yourself."),
        ("You told me that my dog is here.", "I told you that your dog is here."),
        ("I told you about my dog.", "You told me about your dog."),
        ("I'd go with you to Rome", "You'd go with me to Rome"),
        ("Can you help me?", "Can I help you?"),
        ("Are you sure? You're right.", "Am I sure? I am right."),
        ("Do I know your name, am I wrong?", "Do you know my name, are you wrong?"),
        ("I think you are right.", "You think I am right."),
        ("as you know, I live in Paris", "as I know, you live in Paris"),
        ("What is it to you?", "What is it to me?"),
        ('He said "I love you" to me.', 'He said "I love you" to you.'),
        ("We went home and it was us.", "We went home and it was us."),
        ("Maya likes Ireland and iMac.", "Maya likes Ireland and iMac."),
    ],
)
def test_persons_are_exchanged(said, expected):
    assert as_the_other_says(said) == expected


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

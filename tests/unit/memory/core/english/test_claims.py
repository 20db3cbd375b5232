"""Which sentences claim something."""

from __future__ import annotations

import pytest

from memory.core.english.claims import is_claim, is_premise, plain


@pytest.mark.parametrize(
    "sentence",
    [
        "You moved to Porto.",
        "- Job Loss: AI can automate tasks.",
        "1. Room 1 is occupied.",
        "**Paris** is the capital of France.",
        "Therefore, Room 2 must not be occupied.",
        "You might like the new museum.",
        "your appointment is at 6pm",
        "Yes, you live in Lyon.",
    ],
)
def test_what_can_be_true_or_false_is_a_claim(sentence):
    assert is_claim(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "How do you like it?",
        "what city do you want to know the forecast for",
        "Do you want the address",
        "Thank you very much!",
        "You're welcome.",
        "Let me know if there is anything else.",
        "I hope this helps.",
        "I'm sorry for the confusion.",
        "I don't know.",
        "I have no information about that.",
        "Noted.",
        "Here are the main concerns:",
        "## Summary",
        "```python",
        "| a | b |",
        "26 + 33 = 59",
        "...",
        "",
    ],
)
def test_questions_courtesies_offers_and_marks_are_none(sentence):
    assert not is_claim(sentence)


def test_question_may_speak_for_a_claim_and_a_courtesy_may_not():
    assert is_premise("When is my appointment with Dr. Lee?")
    assert not is_premise("Thanks a lot!")
    assert not is_premise("```")


def test_plain_words_lose_marks_and_connectives():
    assert plain("  2) **Therefore**, Room 2  is *free*.") == "Room 2 is free."

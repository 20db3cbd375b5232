"""What questions take for granted: named only where no word of it was ever said."""

from __future__ import annotations

import pytest

from conversations.core.responders.premises import is_unsaid_name
from tests.unit.conversations.core.responders.conftest import Ask

NEVER = {"Google", "Prague", "Zelda", "Italian", "Monday", "Whereabouts", "kitchen", "ceremonies", "Baker", "Street"}


@pytest.mark.parametrize(
    ("name", "question", "is_unsaid"),
    [
        ("Zelda", "Where does Zelda live?", True),
        ("kitchen", "What colour is my kitchen?", True),
        ("kitchen", "What colour is the kitchen?", False),
        ("kitchen", "What colour is my sister's kitchen?", False),
        ("Whereabouts", "Whereabouts is it?", False),
        ("one", "Which of the ceremonies's one was it?", False),
        ("Maya", "Where does Maya live?", False),
    ],
)
def test_only_a_name_or_a_thing_of_ones_own_is_named(name: str, question: str, is_unsaid: bool) -> None:
    assert is_unsaid_name(name, question, NEVER) is is_unsaid


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        ("Where does Zelda live?", "I don't know that yet. Nobody has told me about Zelda so far."),
        ("What colour is my kitchen?", "I don't know that yet. Nobody has told me about your kitchen so far."),
        ("Where is my bakery?", "I don't know that yet. Tell me, and I will remember it."),
        ("Whereabouts is the ceremony?", "I don't know that yet. Tell me, and I will remember it."),
    ],
)
def test_what_is_not_known_is_named_only_where_no_word_of_it_was_said(ask: Ask, question: str, reply: str) -> None:
    assert ask(question).text == reply

"""Telling somebody what was written about them: verbs agree, what is theirs is theirs, and other words stay."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.core.english.address import addressed

CASES = [
    ("owner", "owner lives in Lyon.", "You live in Lyon."),
    ("owner", "Owner is a nurse. Owner has a dog.", "You are a nurse. You have a dog."),
    ("owner", "owner no longer works for Airbus.", "You no longer work for Airbus."),
    ("owner", "Owner's sister is Maya.", "Your sister is Maya."),
    ("owner", "Maya is owner's sister.", "Maya is your sister."),
    ("owner", "The owner's dog met the owner of the shop.", "The owner's dog met the owner of the shop."),
    ("owner", "Now “owner lives in Lyon”, not “owner sold it”.", "Now “You live in Lyon”, not “You sold it”."),
    ("owner", "owner: “I like rain.” Tom: “So does owner.”", "You: “I like rain.” Tom: “So does owner.”"),
    ("Ana", "Tom knows Ana, and Anabel knows Ana Maria's dog.", "Tom knows you, and Anabel knows Ana Maria's dog."),
    ("Ana", "Ana doesn't pass exams.", "You don't pass exams."),
    ("Ana", "Anabel lives in Lyon.", "Anabel lives in Lyon."),
    ("ana-1", "ana-1 visited Oslo. ana-12 goes there.", "You visited Oslo. ana-12 goes there."),
    ("a.b*", "a.b* misses the sea.", "You miss the sea."),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "told"), CASES)
def test_third_person_becomes_second(name, text, told):
    assert addressed(text, names=(name,)) == told


def test_each_of_the_names_is_meant_and_an_empty_one_nobody():
    assert addressed("owner lives in Lyon. Ana sails.", names=("Ana", "owner", "")) == "You live in Lyon. You sail."


@given(st.text(max_size=80))
def test_text_without_the_name_stays(text):
    assert addressed(text.replace("Zarathustra", ""), names=("Zarathustra",)) == text.replace("Zarathustra", "")

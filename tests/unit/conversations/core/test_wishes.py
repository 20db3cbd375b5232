"""Wishes about the memory: which messages are one, and which facts they mean."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conversations.core.wishes import Wish, WishKind, meant, meant_sentences, wish_of, with_value
from memory.core.types import Polarity
from tests.fakes.memory import FakeMemory

NOW = datetime(2026, 11, 1, 12, 0, tzinfo=UTC)
FORGET, WRONG, INSTEAD = WishKind.FORGET, WishKind.WRONG, WishKind.INSTEAD


@pytest.mark.parametrize(
    ("text", "wish"),
    [
        ("forget that I have a landlord", Wish(FORGET, "I have a landlord")),
        ("Please forget what I said about Tom.", Wish(FORGET, "Tom")),
        ("Could you forget about my landlord, please?", Wish(FORGET, "my landlord")),
        ("I'd like you to forget where I live", Wish(FORGET, "where I live")),
        ("Forget everything I told you about Tom!", Wish(FORGET, "Tom")),
        ("delete everything you know about my sister", Wish(FORGET, "my sister")),
        ("forget everything", Wish(FORGET, "")),
        ("that's wrong", Wish(WRONG)),
        ("No, that's not true.", Wish(WRONG)),
        ("That’s wrong, I never worked at Airbus", Wish(WRONG, "I never worked at Airbus")),
        ("this is incorrect: I don't have a landlord.", Wish(WRONG, "I don't have a landlord")),
        ("actually it's Milan, not Rome", Wish(INSTEAD, "Rome", "Milan")),
        ("It's in Milan not in Rome.", Wish(INSTEAD, "Rome", "Milan")),
        ("Sorry, I meant Anna, not Hanna", Wish(INSTEAD, "Hanna", "Anna")),
        ("it's not Rome, it's Milan", Wish(INSTEAD, "Rome", "Milan")),
        ("Not Rome but Milan!", Wish(INSTEAD, "Rome", "Milan")),
        ("that's wrong, it's Milan, not Rome", Wish(INSTEAD, "Rome", "Milan")),
        ("forget it", None),
        ("Forget about it.", None),
        ("I forgot my keys", None),
        ("don't forget that I have a landlord", None),
        ("I will never forget Tom", None),
        ("delete the last paragraph", None),
        ("that's wrong, I live in Milan", None),
        ("I never worked at Airbus.", None),
        ("It's a long story, not one that I would tell to anybody who is not my friend", None),
        ("What did I say about Tom?", None),
        ("", None),
        ("Dear all,\nforget everything I told you about Tom", None),
        ("forget that " + "very " * 60 + "old landlord", None),
    ],
)
def test_only_a_short_message_of_one_sentence_is_a_wish(text: str, wish: Wish | None) -> None:
    assert wish_of(text) == wish


@given(st.text(max_size=250))
def test_any_text_is_read(text: str) -> None:
    wish = wish_of(text)
    assert wish is None or len(wish.words) <= 200


@pytest.fixture
def memory() -> FakeMemory:
    memory = FakeMemory()
    memory.learn("Ana", "hasLandlord", "Piet", said="My landlord is called Piet.", kind="Person")
    memory.learn("Piet", "livesIn", "Delft", said="My landlord Piet lives in Delft.", kind="Place")
    memory.learn("Ana", "worksFor", "Airbus", said="I work at Airbus.", kind="Organization")
    memory.learn("Ben", "hasLandlord", "Olga", said="My landlord is Olga.", speaker="Ben", kind="Person")
    memory.learn("Ana", "livesIn", "Rome", said="I live in Rome.", kind="Place")
    memory.learn("Ana", "visited", "Rome", said="I never went to Rome.", polarity=Polarity.NEGATIVE, kind="Place")
    return memory


def values(words: str, memory: FakeMemory) -> list[str]:
    return [one.object for one in meant(words, memory.triples, speaker="Ana", at=NOW)]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("I have a landlord", ["Piet"]),
        ("I never worked at Airbus", ["Airbus"]),
        ("Piet", ["Piet", "Delft"]),
        ("Piet lives in Delft", ["Delft"]),
        ("the landlord in Delft", ["Delft"]),
        ("landlord", ["Piet", "Olga"]),
        ("I have a boat", []),
    ],
)
def test_facts_are_meant_by_their_words(words: str, found: list[str], memory: FakeMemory) -> None:
    assert values(words, memory) == found


def test_sentences_are_meant_that_hold_all_the_words(memory: FakeMemory) -> None:
    said = [triple.source for triple in memory.triples]
    assert [one.text for one in meant_sentences("my landlord", said, speaker="Ana")] == [
        "My landlord is called Piet.",
        "My landlord Piet lives in Delft.",
    ]
    assert meant_sentences("my landlord in Rome", said, speaker="Ana") == []


def test_what_has_a_value_is_a_fact_that_holds(memory: FakeMemory) -> None:
    assert [one.predicate for one in with_value("rome", memory.triples)] == ["livesIn"]
    assert with_value("Milan", memory.triples) == []

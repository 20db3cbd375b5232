"""Sentences from triples: persons, tenses, lists, and never the name of a predicate."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.core.knowledge_graph.ontology import PREDICATES, minted
from memory.core.knowledge_graph.verbalisation import Assertion, sentence, sentences, what_is
from memory.core.types import Polarity, Tense
from tests.fakes.memory import EARLY, FakeMemory

NO = Polarity.NEGATIVE
CASES = [
    (Assertion("Ana", "livesIn", "Lyon"), "You live in Lyon."),
    (Assertion("Maya", "worksFor", "Airbus"), "Maya works for Airbus."),
    (Assertion("Ana's sister", "worksAs", "nurse"), "Your sister works as a nurse."),
    (Assertion("Ana", "worksAs", "engineer"), "You work as an engineer."),
    (Assertion("Ana", "hasSister", "Maya"), "Your sister is Maya."),
    (Assertion("Ana", "hasSister", "Ana's sister"), "You have a sister."),
    (Assertion("Tom", "hasFriend", "Ana"), "You are Tom's friend."),
    (Assertion("Ana", "likes", "olives", NO), "You do not like olives."),
    (Assertion("Tom", "likes", "olives", NO), "Tom does not like olives."),
    (Assertion("Ana", "livesIn", "Paris", is_former=True), "You lived in Paris."),
    (Assertion("Ana", "hasBoss", "Olga", is_former=True), "Your boss was Olga."),
    (Assertion("Ana", "livesIn", "Lyon", is_perfect=True), "You have lived in Lyon."),
    (Assertion("Ana", "spouse", "Tom"), "You are married to Tom."),
    (Assertion("Ana", "worksFor", "", NO, is_any=True), "You do not work for anyone."),
    (Assertion("Ana", "hasDog", "", NO, is_any=True), "You do not have a dog."),
    (Assertion("Leo", "age", "4"), "Leo is 4 years old."),
    (Assertion("Leo", "birthDate", "3 March"), "Leo's birthday is 3 March."),
    (Assertion("Ana", "bornIn", "Leeds"), "You were born in Leeds."),
    (Assertion("Ana", "hasName", "Ana"), "Your name is Ana."),
    (Assertion("Ana", "appointment", "8:30"), "Your appointment is 8:30."),
    (Assertion("Maya", "deadline", "Friday"), "Maya's deadline is Friday."),
    (Assertion("Ana", "budget", "600 euros"), "Your budget is 600 euros."),
    (Assertion("Ana", "mustHave", "a balcony"), "You must have a balcony."),
    (Assertion("Ana", "hasFavoriteIceCream", "vanilla"), "Your favourite ice cream is vanilla."),
    (Assertion("Ana", "graduatedFrom", "MIT", tense=Tense.PAST), "You graduated from MIT."),
    (Assertion("Ana", "wentTo", "Rome", tense=Tense.PAST), "You went to Rome."),
    (Assertion("Ana", "signUpFor", "a pottery class", tense=Tense.PAST), "You signed up for a pottery class."),
    (Assertion("Maya", "traveledTo", "Japan", tense=Tense.FUTURE), "Maya will travel to Japan."),
    (Assertion("Maya", "practiseWith", "Ana"), "Maya practises with you."),
    (Assertion("Ana", "beProudOf", "Leo"), "You are proud of Leo."),
    (Assertion("Ana", "hasHobby", "bake"), "You enjoy baking."),
    (Assertion("Ana", "hasHobby", "chess"), "You enjoy chess."),
    (Assertion("Ana", "plansTo", "going to Oban"), "You plan to go to Oban."),
    (Assertion("Ana", "plansTo", "visit Rome"), "You plan to visit Rome."),
    (Assertion("Ana", "plansTo", "a week in Seahouses"), "You plan a week in Seahouses."),
    (Assertion("Ana", "wants", "becoming a nurse"), "You want to become a nurse."),
    (Assertion("Ana", "wants", "adopt a greyhound"), "You want to adopt a greyhound."),
    (Assertion("Ana", "wants", "help"), "You want help."),
]


@pytest.mark.parametrize(("assertion", "said"), CASES)
def test_assertion_is_said_to_the_asker(assertion: Assertion, said: str) -> None:
    assert sentence(assertion, asker="Ana") == said


def test_assertion_is_said_in_the_third_person_to_others() -> None:
    assert sentence(Assertion("Ana", "livesIn", "Lyon"), asker="Tom") == "Ana lives in Lyon."


def test_values_of_one_slot_are_listed_in_one_sentence() -> None:
    triples = [
        Assertion("Ana", "likes", "olives"),
        Assertion("Ana", "livesIn", "Lyon"),
        Assertion("Ana", "likes", "cheese"),
        Assertion("Ana", "hasBrother", "Ben"),
        Assertion("Ana", "hasBrother", "Tim"),
    ]
    assert sentences(triples, asker="ana") == [
        "You like olives and cheese.",
        "You live in Lyon.",
        "Your brothers are Ben and Tim.",
    ]


NAMES = st.one_of(
    st.sampled_from(sorted(PREDICATES)),
    st.lists(
        st.sampled_from("play with visit go to have be proud of paint study under sing".split()), min_size=1, max_size=4
    ).map(lambda words: minted(" ".join(words))),
)


@given(
    name=NAMES,
    subject=st.sampled_from(["Ana", "Maya", "Ana's sister"]),
    polarity=st.sampled_from(list(Polarity)),
    tense=st.sampled_from(list(Tense)),
    is_any=st.booleans(),
    is_former=st.booleans(),
)
def test_sentence_never_shows_the_name_of_a_predicate(
    name: str, subject: str, polarity: Polarity, tense: Tense, is_any: bool, is_former: bool
) -> None:
    said = sentence(Assertion(subject, name, "Rome", polarity, tense, is_any, is_former), asker="Ana")
    assert not re.search(r"[a-z][A-Z]", said)
    assert said.endswith(".")
    assert said[0].isupper()


def test_an_entity_is_what_it_is_to_the_asker_else_of_a_kind() -> None:
    memory = FakeMemory()
    memory.learn("Ana", "hasBrother", "Idris", kind="Person")
    memory.learn("Idris", "hasDog", "Rex", kind="Animal")
    memory.learn("Ana", "worksFor", "Airbus", kind="WorkPlace")
    memory.learn("Ana", "hasBoss", "Olga", kind="", valid_to=EARLY)
    memory.learn("Ana", "hasSister", "Maya", kind="Person", polarity=NO)
    told = [
        what_is(memory.entity(name), memory.triples, asker="Ana", at=EARLY)
        for name in ("Ana", "Idris", "Rex", "Airbus", "Olga", "Maya", "tea")
    ]
    assert told == ["you", "your brother", "Idris's dog", "work place", "", "person", ""]

"""Facts about named things: offices, owners, authors, makers, places; and names that open sentences."""

from __future__ import annotations

import pytest

from tests.unit.memory.core.knowledge_graph.conftest import Read, asserted


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("Airbus has its office in Toulouse.", {"Airbus officeIn Toulouse"}),
        ("Logitech has its headquarters in Lausanne.", {"Logitech headquartersIn Lausanne"}),
        ("Munich is in Germany.", {"Munich locatedIn Germany"}),
        ("Petal is on Bridge Road.", {"Petal locatedOn Bridge Road"}),
        ("The owner of Kornblume is Mr. Weber.", {"Kornblume hasOwner Mr. Weber"}),
        ("Mr. Weber is the owner of Kornblume.", {"Kornblume hasOwner Mr. Weber"}),
        ("The owner of Café Mirabel is a man called Anselm.", {"Café Mirabel hasOwner Anselm"}),
        ("The capital of France is Paris.", {"France hasCapital Paris"}),
        ("The head teacher of Parkside Academy is Mr Obi.", {"Parkside Academy hasHeadTeacher Mr Obi"}),
        ("Momo was written by Michael Ende.", {"was Michael Ende write Momo"}),
        ("The Larks are directed by Oksana.", {"Oksana direct Larks"}),
        ("Brightleaf makes electric bikes.", {"Brightleaf make electric bikes"}),
        ("Nantes is a city in France.", {"Nantes locatedIn France"}),
    ],
)
def test_named_things_have_facts(read: Read, text: str, facts: set[str]) -> None:
    assert asserted(read(text)) == facts


def test_a_role_with_of_is_a_relation(read: Read) -> None:
    found = asserted(read("Gwen is the mother of my friend Alun."))
    assert {"Sam hasFriend Alun", "Alun hasMother Gwen"} <= found


def test_it_is_the_thing_that_was_just_spoken_of(read: Read) -> None:
    assert asserted(read("It's on Castle Street.", "We finally went to Papermoon.")) == {
        "Papermoon locatedOn Castle Street"
    }
    assert not asserted(read("It's on Castle Street."))


def test_a_name_that_follows_names_what_was_founded(read: Read) -> None:
    assert "was Lionel founded Ferncastle" in asserted(
        read("It's called Ferncastle.", "My uncle Lionel founded a company.")
    )


@pytest.mark.parametrize(
    ("text", "before", "expected"),
    [
        ("Paolo speaks Italian.", "My assistant is Paolo.", "Paolo speaks Italian"),
        ("Lars is not a vegetarian.", "My sister's boyfriend is Lars.", "not Lars hasQuality vegetarian"),
        ("Noor has a sister called Farah.", "", "Noor hasSister Farah"),
        (
            "Night Ferry was written by Paul Desmond.",
            "My favourite book is Night Ferry.",
            "was Paul Desmond write Night Ferry",
        ),
    ],
)
def test_names_that_open_a_sentence_are_names(read: Read, text: str, before: str, expected: str) -> None:
    assert set(expected.split("; ")) == asserted(read(text, *([before] if before else [])))


@pytest.mark.parametrize(
    "text",
    [
        "Work is in the morning.",
        "If Airbus had its office in Toulouse, I would move.",
        "Tom says that Airbus has its office in Toulouse.",
        "Is the owner of Kornblume Mr. Weber?",
        "The end of March is Easter.",
        "The problem is that Maya was hit by Tom's idea.",
    ],
)
def test_what_is_no_fact_about_a_thing_is_left(read: Read, text: str) -> None:
    predicates = {fact.split()[-2] for fact in asserted(read(text))}
    assert not predicates & {"officeIn", "hasOwner", "hasEnd", "locatedIn", "hit"}

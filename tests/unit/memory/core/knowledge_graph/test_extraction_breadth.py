"""What the extractor reads of several people at once, of chat without capitals, and of days that move."""

from __future__ import annotations

import pytest

from memory.core.types import Polarity
from tests.unit.memory.core.knowledge_graph.conftest import Read

PEOPLE = (
    ("I have two brothers: Olu is a barrister and Femi drives a taxi.", "Sam hasBrother Olu; Olu worksAs barrister"),
    ("I have two brothers: Olu is a barrister and Femi drives a taxi.", "Sam hasBrother Femi; Femi drives taxi"),
    ("My two aunts, Rosa and Pina, live in Bari.", "Sam hasAunt Rosa; Sam hasAunt Pina; Pina livesIn Bari"),
    ("Emma, my niece, studies law in Lyon.", "Sam hasNiece Emma; Emma studies law"),
    ("There is another sister too, Thembi, who is a nurse.", "Sam hasSister Thembi; Thembi worksAs nurse"),
    ("Grandma Sigrún lives in Akureyri.", "Sam hasGrandmother Sigrún; Sigrún livesIn Akureyri"),
    ("Aunt Rosa is a baker and Uncle Bo drives a bus.", "Sam hasAunt Rosa; Sam hasUncle Bo; Bo drives bus"),
    ("My cousin Isla drives a Mini.", "Sam hasCousin Isla; Isla drives Mini"),
    ("My other brother, Will, lives in York.", "Sam hasBrother Will; Will livesIn York"),
    ("My kids are Ana (12) and Cleo (4).", "Ana age 12; Cleo age 4"),
    ("flatmates: priya (nurse), lou (chef)", "Sam hasRoommate Priya; Priya worksAs nurse; Lou worksAs chef"),
    ("bro lives in leeds", "Sam's brother livesIn Leeds"),
    ("jo is in cardiff, em in hull", "Jo locatedIn Cardiff; Em locatedIn Hull"),
    ("my nans called betty", "Sam hasGrandmother Betty"),
)
MOVED = (
    ("My driving lesson's on 14 February.", "It's on the 21st now.", "hasDrivingLessonDate 21 February"),
    ("My flight to Lima is on 3 May.", "The flight was moved to 8 May.", "hasFlightDate 8 May"),
    ("My interview is on 3 June.", "They've pushed it back to 10 June.", "hasInterviewDate 10 June"),
    ("gig on the 12th", "ffs gig moved to 26 april", "hasGigDate 26 April"),
    ("chem resit 2 june", "they brought my chem resit fwd to 28 may??", "hasChemResitDate 28 May"),
)
SILENT = (
    "Is my exam on 3 May?",
    "They might move my exam to 3 May.",
    "I met Tom at the party on 3 May.",
    "We had dinner on 3 May.",
)


def told(read: Read, text: str, *before: str) -> set[str]:
    return {
        f"{fact.subject.label} {fact.predicate} {fact.object.label}"
        for fact in read(text, *before)
        if fact.polarity is Polarity.POSITIVE
    }


@pytest.mark.parametrize(("text", "expected"), PEOPLE)
def test_each_person_keeps_what_is_said_of_them(read: Read, text: str, expected: str) -> None:
    assert set(expected.split("; ")) <= told(read, text)


@pytest.mark.parametrize(("before", "text", "expected"), MOVED)
def test_a_new_day_is_that_of_the_occasion_told_before(read: Read, before: str, text: str, expected: str) -> None:
    assert f"Sam {expected}" in told(read, text, before)


@pytest.mark.parametrize("text", SILENT)
def test_no_day_is_read_where_none_is_told(read: Read, text: str) -> None:
    assert not any(fact.endswith("3 May") for fact in told(read, text))


def test_a_period_keeps_both_its_ends(read: Read) -> None:
    [lived] = [fact for fact in read("I lived in Rome from 2015 to 2018.") if fact.predicate == "livesIn"]
    assert (lived.valid_from.year, lived.valid_to.year) == (2015, 2018)  # type: ignore[union-attr]


def test_clauses_under_a_condition_are_not_parted(read: Read) -> None:
    assert not told(read, "If I had a boat, Tom sails it, and Ana cooks, would you come?")

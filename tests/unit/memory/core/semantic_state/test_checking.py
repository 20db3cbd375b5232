"""What code can tell of a requirement by words alone: certain breaks, certain fits, and for all else nothing."""

from __future__ import annotations

import pytest

from memory.core.semantic_state.checking import check_text
from memory.core.semantic_state.elements import Constraint, Status

BROKEN = (
    ("Nothing with nuts.", "A cake with nuts would do."),
    ("Nothing with nuts.", "How about a nut cake? It has nuts in the base."),
    ("no nuts please", "I would bake a tart with chopped nuts."),
    ("No peanuts or shellfish", "Start with grilled shellfish on toast."),
    ("No peanuts or shellfish", "Satay needs peanuts and coconut milk."),
    ("without raisins", "Fold in the raisins at the end."),
    ("avoid motorways", "Take the motorway to Lyon."),
    ("never mention my ex", "You could call your ex first."),
    ("no flights", "Book the flight on Friday."),
    ("please don't use emojis", "Use emojis in every line."),
    ("nothing spicy", "It is a spicy curry."),
    ("under 40 euros", "The menu is 55 euros a head."),
    ("under 40 euros", "It comes to €40 exactly."),
    ("at most 6 people", "The table is for 8 people."),
    ("max. 300 dollars", "That would be $450 in all."),
    ("no more than two hours", "The film takes 3 hours."),
    ("no more than two hours", "The film takes 150 minutes."),
    ("at least 3 bedrooms", "It has two bedrooms and a garden."),
    ("between 2 and 4 hours", "The walk takes five hours."),
    ("between 2 and 4 hours", "The walk takes 90 minutes."),
    ("my budget is 1,200 euros", "The flat costs 1,450 euros a month."),
    ("up to 5 km", "It is a run of 12 km."),
    ("more than 10 pages", "You get 8 pages."),
    ("less than 500 words", "Here are 620 words on it."),
)
KEPT = (
    ("under 40 euros", "The menu is 32 euros a head."),
    ("at most 6 people", "The table is for six people."),
    ("no more than two hours", "It takes 110 minutes."),
    ("at least 3 bedrooms", "It has four bedrooms."),
    ("between 2 and 4 hours", "It takes 3 hours."),
    ("must include the price", "The price is fine."),
    ("has to have a garden", "There is a garden behind it."),
)
UNTOLD = (
    ("Nothing with nuts.", "A cake without nuts would do."),
    ("Nothing with nuts.", "I left out the nuts."),
    ("Nothing with nuts.", "It is nut-free."),
    ("Nothing with nuts.", "Since nothing with nuts may be in it, take almond-style syrup."),
    ("Nothing with nuts.", "It has no nuts."),
    ("Nothing with nuts.", "There are not any nuts in it."),
    ("Nothing with nuts.", "Are seeds fine instead of nuts?"),
    ("Nothing with nuts.", "Use seeds instead of nuts."),
    ("Nothing with nuts.", "Should I put nuts aside?"),
    ("Nothing with nuts.", "A satay with rice."),
    ("Nothing with nuts.", "A donut would do."),
    ("Nothing with nuts.", "You said nuts are off the table, so a lemon tart."),
    ("No peanuts or shellfish", "Neither peanuts nor shellfish are in it."),
    ("avoid motorways", "This way avoids the motorway."),
    ("avoid motorways", "Unless you take the motorway, it is 40 minutes."),
    ("no flights", "By train rather than by flight."),
    ("never mention my ex", "I will not mention your ex."),
    ("nothing spicy", "It isn't spicy at all."),
    ("under 40 euros", "A menu for 32 euros, or one for 55 euros."),
    ("under 40 euros", "It lies 40 km from here."),
    ("under 40 euros", "The menu is cheap."),
    ("at most 6 people", "The table is by the window."),
    ("at least 3 bedrooms", "It has two bathrooms."),
    ("it should be quiet", "It has a lovely view."),
    ("must include the price", "It is a fine flat."),
    ("somewhere by the sea", "A cabin in the hills."),
    ("", "A cake with nuts would do."),
    ("Nothing with nuts.", ""),
    ("no", "No."),
    ("at most", "The table is for 8 people."),
    ("no more than 1e999 people", "The table is for 8 people."),
)


def status_of(requirement: str, text: str) -> Status | None:
    return check_text(Constraint(id="c1", description=requirement, turn=1, words=requirement), text)


@pytest.mark.parametrize(("requirement", "text"), BROKEN)
def test_certain_breaks(requirement: str, text: str) -> None:
    assert status_of(requirement, text) is Status.VIOLATED


@pytest.mark.parametrize(("requirement", "text"), KEPT)
def test_certain_fits(requirement: str, text: str) -> None:
    assert status_of(requirement, text) is Status.SATISFIED


@pytest.mark.parametrize(("requirement", "text"), UNTOLD)
def test_what_code_cannot_tell(requirement: str, text: str) -> None:
    assert status_of(requirement, text) is None


# Said on Tuesday, 3 June 2025; the second is said on Wednesday, 4 June.
DAYS_BROKEN = (
    ("It has to be ready by Friday.", "The dress is ready on Saturday."),
    ("the report must be in by 12 June", "The report will be in on 13 June."),
    ("I need the tyres changed before Saturday", "I need you to know: the tyres are changed on Saturday."),
    ("the paint must arrive no later than Thursday", "The paint arrives on Friday."),
    ("the guests must not arrive before 10 June", "The guests arrive on 9 June."),
    ("delivery after 1 July please", "Delivery is on 30 June."),
)
DAYS_UNTOLD = (
    ("It has to be ready by Friday.", "On Saturday you can rest."),
    ("It has to be ready by Friday.", "It will not be ready on Saturday."),
    ("It has to be ready by Friday.", "Shall it be ready on Saturday?"),
    ("It has to be ready by Friday.", "It is ready soon."),
    ("ready on Mondays", "It is ready on Saturday."),
    ("by Friday", "The dress is ready on Saturday."),
)


def status_by_day(requirement: str, text: str, *, said_on: str = "2025-06-03") -> Status | None:
    constraint = Constraint(id="c1", description=requirement, turn=1, words=requirement, said_on=said_on)
    return check_text(constraint, text, said_on="2025-06-04" if said_on else "")


@pytest.mark.parametrize(("requirement", "text"), DAYS_BROKEN)
def test_day_that_is_out_of_bounds_breaks_a_requirement(requirement: str, text: str):
    assert status_by_day(requirement, text) is Status.VIOLATED


def test_day_within_bounds_keeps_a_requirement():
    assert status_by_day("It has to be ready by Friday.", "It is ready on Thursday.") is Status.SATISFIED


@pytest.mark.parametrize(("requirement", "text"), DAYS_UNTOLD)
def test_day_of_something_else_tells_nothing(requirement: str, text: str):
    assert status_by_day(requirement, text) is None


def test_without_the_day_of_the_words_no_day_is_judged():
    assert status_by_day("It has to be ready by Friday.", "It is ready on Saturday.", said_on="") is None

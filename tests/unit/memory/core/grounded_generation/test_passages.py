"""Evidence for a fact: by the titles that it names, by those that the dialogue names, by words."""

from __future__ import annotations

from memory.core.grounded_generation.knowledge import PassageIndex
from memory.core.grounded_generation.verification import Ground

BILL = Ground("A koala in a children's book.", title="Blinky Bill")
WALL = Ground("She wrote and drew books about a koala.", title="Dorothy Wall")
KOALA = Ground("An animal of Australia that eats eucalyptus.", title="Koala (animal)")
TRAMS = Ground("Trams run in Melbourne.", title="Trams in Melbourne")
INDEX = PassageIndex([TRAMS, KOALA, WALL, BILL])


def titles(fact: str, *dialogue: str, limit: int = 4) -> list[str]:
    return [one.title for one in INDEX.evidence_for(fact, dialogue, limit=limit)]


def test_titles_come_before_words_and_those_of_the_fact_first():
    assert titles("Dorothy Wall drew animals.", "do you know Blinky Bill?")[:2] == ["Dorothy Wall", "Blinky Bill"]


def test_name_with_a_note_in_brackets_is_named_without_it():
    assert titles("A koala sleeps all day.", limit=1) == ["Koala (animal)"]


def test_dialogue_takes_half_at_most():
    assert titles("Trams run everywhere.", "Dorothy Wall, Blinky Bill, koala", limit=2)[-1] == "Trams in Melbourne"


def test_words_alone_and_nothing_at_all():
    assert titles("Something runs in Melbourne.")[0] == "Trams in Melbourne"
    assert PassageIndex([]).evidence_for("Anything.", ["at all"], limit=5) == []

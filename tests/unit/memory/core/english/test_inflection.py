"""Word forms by rule."""

from __future__ import annotations

import pytest

from memory.core.english.inflection import (
    base_form,
    gerund,
    past,
    past_participle,
    plural,
    singular,
    third_person,
    words_of_name,
)


@pytest.mark.parametrize(
    ("base", "third", "simple_past", "ing"),
    [
        ("work", "works", "worked", "working"),
        ("live", "lives", "lived", "living"),
        ("study", "studies", "studied", "studying"),
        ("play", "plays", "played", "playing"),
        ("watch", "watches", "watched", "watching"),
        ("stop", "stops", "stopped", "stopping"),
        ("go", "goes", "went", "going"),
        ("die", "dies", "died", "dying"),
        ("visit", "visits", "visited", "visiting"),
        ("have", "has", "had", "having"),
    ],
)
def test_forms_of_a_verb_lead_back_to_its_base(base: str, third: str, simple_past: str, ing: str) -> None:
    assert (third_person(base), past(base), gerund(base)) == (third, simple_past, ing)
    assert {base_form(form) for form in (base, third, simple_past, ing)} == {base}


def test_participle_of_an_irregular_verb_differs_from_its_past() -> None:
    assert (past("drive"), past_participle("drive"), past_participle("work")) == ("drove", "driven", "worked")


@pytest.mark.parametrize(
    ("one", "many"), [("hobby", "hobbies"), ("child", "children"), ("dog", "dogs"), ("person", "people")]
)
def test_number_of_a_noun_goes_both_ways(one: str, many: str) -> None:
    assert (plural(one), singular(many), singular(one)) == (many, one, one)


def test_name_of_a_predicate_is_taken_apart() -> None:
    assert words_of_name("hasFavoriteTVShow") == ["has", "favorite", "tv", "show"]

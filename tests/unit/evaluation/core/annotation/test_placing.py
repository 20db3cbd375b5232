"""Which items come first: drawn for a seed, by turns of strata, or the least certain before the others."""

from __future__ import annotations

from collections import Counter

import pytest

from evaluation.core.annotation.drafts import ItemDraft, first_of, places_of


def drafts(*strata: str, **degrees: list[float]) -> list[ItemDraft]:
    return [
        ItemDraft(f"k{number}", {}, stratum=stratum, **{name: given[number] for name, given in degrees.items()})
        for number, stratum in enumerate(strata)
    ]


def keys(found: list[ItemDraft]) -> list[str]:
    return [one.key for one in found]


def test_random_places_depend_on_seed_and_key_alone():
    some = drafts(*["a"] * 50)
    places = places_of(some, order="random", seed=1, begun=Counter())
    assert places == places_of(some, order="random", seed=1, begun=Counter({"a": 9}))
    assert places != places_of(some, order="random", seed=2, begun=Counter())
    assert places[7:] == places_of(some[7:], order="random", seed=1, begun=Counter())
    assert all(0 <= place < 1 for place in places) and len(set(places)) == 50
    assert keys(first_of(some, order="random", seed=1, limit=50)) != keys(some)


def test_strata_take_turns_and_those_that_came_before_count():
    some = drafts("a", "a", "a", "a", "b", "b", "c")
    strata = [one.stratum for one in first_of(some, order="stratified", seed=3, limit=7)]
    assert [set(strata[:3]), set(strata[3:5]), strata[5:]] == [{"a", "b", "c"}, {"a", "b"}, ["a", "a"]]
    begun = Counter({"b": 5})
    places = places_of(some, order="stratified", seed=3, begun=begun)
    assert sorted(int(place) for place in places[4:6]) == [5, 6]
    assert begun == {"a": 4, "b": 7, "c": 1}


@pytest.mark.parametrize(("order", "degree"), [("uncertain", "uncertainty"), ("disagreement", "disagreement")])
def test_highest_degree_comes_first_and_equals_are_drawn(order, degree):
    some = drafts(*["a"] * 40, **{degree: [0.0, 1.0, 0.3, *[0.5] * 37]})
    found = keys(first_of(some, order=order, seed=1, limit=40))
    assert (found[0], found[-2:]) == ("k1", ["k2", "k0"])
    assert found[1:38] != sorted(found[1:38], key=lambda key: int(key[1:]))
    assert found != keys(first_of(some, order=order, seed=2, limit=40))
    assert keys(first_of(some, order=order, seed=1, limit=3)) == found[:3]

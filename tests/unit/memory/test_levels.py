"""Which facts of a thing are shown one by one: never more than there is room for, never less than can be, none lost."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memory.selectors.neighbourhoods import STEP, Group, SeenFact, folded, level

FACTS = st.lists(st.tuples(st.sampled_from(["likes", "knows", "visited", "owns"]), st.booleans()), max_size=60)


def seen(kinds: list[tuple[str, bool]]) -> list[SeenFact]:
    """Return facts of thing 1, outward or inward, with others than it at the other ends."""
    return [
        SeenFact(number, predicate, 1 if is_outward else 100 + number, 100 + number if is_outward else 1, "holds")
        for number, (predicate, is_outward) in enumerate(kinds)
    ]


@given(st.lists(st.integers(1, 50), min_size=1, max_size=12), st.integers(12, 80))
def test_level_fills_the_room_and_no_more(sizes, room):
    most = level(sizes, room)
    assert sum(min(size, most) for size in sizes) <= room
    assert most == max(sizes) or most >= max(sizes) or sum(min(size, most + 1) for size in sizes) > room


@given(FACTS, st.integers(1, 40))
def test_every_fact_is_shown_or_counted_once(kinds, room):
    facts = seen(kinds)
    result = folded(1, facts, room=room, opened={})
    held = [pk for ids in result.held_back.values() for pk in ids]
    assert sorted([*result.shown, *held]) == [fact.pk for fact in facts]
    # A group is not folded for the sake of one fact: each may go one over.
    assert len(result.shown) <= room + min(room, len({(fact.predicate, fact.subject_id == 1) for fact in facts}))


def test_groups_show_as_many_as_each_other_the_first_of_each():
    facts = seen([("likes", True)] * 9 + [("knows", False)] * 5 + [("owns", True)])
    result = folded(1, facts, room=7, opened={})
    assert result.shown == (0, 1, 2, 9, 10, 11, 14)
    assert result.held_back == {Group(1, "likes"): [3, 4, 5, 6, 7, 8], Group(1, "knows", is_outward=False): [12, 13]}


def test_group_that_was_opened_shows_a_step_more_and_the_last_one_with_it():
    facts = seen([("likes", True)] * (STEP + 6) + [("knows", True)] * 9)
    group = Group(1, "likes")
    before = folded(1, facts, room=8, opened={})
    once = folded(1, facts, room=8, opened={group: 1})
    assert (len(before.held_back[group]), len(once.held_back[group])) == (STEP + 2, 2)
    assert group not in folded(1, facts[1:], room=8, opened={group: 1}).held_back
    assert group not in folded(1, facts, room=8, opened={group: 2}).held_back


def test_more_kinds_than_room_are_held_back_together():
    facts = seen([(f"knows{number}", True) for number in range(5)])
    assert folded(1, facts, room=3, opened={}).held_back == {Group(1, ""): [3, 4]}

"""Rounds, read off the order of the speakers."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from evaluation.core.types import CaseTurn, group_rounds
from memory.core.types import Role


def turns(names: str) -> list[CaseTurn]:
    """One turn a letter; lower-case letters are users, upper-case ones assistants."""
    return [
        CaseTurn(
            role=Role.ASSISTANT if name.isupper() else Role.USER,
            speaker=name,
            text=f"{name}{index}",
            said_at=datetime(2024, 1, 1, tzinfo=UTC),
            key=str(index),
        )
        for index, name in enumerate(names)
    ]


def shape(names: str) -> list[str]:
    return ["".join(turn.speaker for turn in group) for group in group_rounds(turns(names))]


def test_a_round_opens_when_the_opener_speaks_again() -> None:
    assert shape("uAuAuA") == ["uA", "uA", "uA"]
    assert shape("abab") == ["ab", "ab"]


def test_several_turns_in_a_row_stay_in_one_round() -> None:
    assert shape("uuAAuA") == ["uuAA", "uA"]


def test_the_replies_of_several_others_stay_in_one_round() -> None:
    assert shape("abcabc") == ["abc", "abc"]
    assert shape("abcbabb") == ["abcb", "abb"]


def test_a_session_may_begin_with_the_assistant() -> None:
    assert shape("AuAu") == ["Au", "Au"]


def test_no_turns_make_no_rounds() -> None:
    assert group_rounds([]) == []


@given(st.text(alphabet="abAB", max_size=40))
def test_rounds_keep_every_turn_in_order(names: str) -> None:
    groups = group_rounds(turns(names))
    assert [turn for group in groups for turn in group] == turns(names)
    assert all(group[0].speaker == names[0] for group in groups)

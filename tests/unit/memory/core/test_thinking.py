"""What a reasoning model thinks aloud stays out of its reply."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.core.thinking import UnfinishedThinking, stream_without_thinking, without_thinking


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Lyon.", "Lyon."),
        ("<think>hm</think>Lyon.", "Lyon."),
        ("\n<think>\nhm\n</think>\n\nLyon.", "Lyon."),
        ("hm, where</think>\nLyon.", "Lyon."),
        ("Write <think> like this.", "Write <think> like this."),
        ("A block is <think>...</think> here.", "A block is <think>...</think> here."),
        ("<thinker> is no tag.", "<thinker> is no tag."),
        ("", ""),
        ("<thi", "<thi"),
    ],
)
def test_thinking_is_left_out(text: str, said: str) -> None:
    assert without_thinking(text) == said


def cut(text: str, places: list[int]) -> list[str]:
    ends = sorted({min(place, len(text)) for place in places} | {0, len(text)})
    return [text[start:end] for start, end in pairwise(ends)]


@given(
    st.sampled_from(
        ["Lyon <b> it is.", "<think>is < it </thi Lyon?</think>\n\nLyon.", " <think></think>x</think>y", "<thi", ""]
    ),
    st.lists(st.integers(0, 50)),
)
def test_stream_says_the_same_wherever_it_is_cut(text: str, places: list[int]) -> None:
    assert "".join(stream_without_thinking(cut(text, places))) == without_thinking(text)


def test_stream_holds_back_nothing_that_cannot_be_thinking() -> None:
    pieces = iter(["Ly", "on"])
    said = stream_without_thinking(pieces)
    assert next(said) == "Ly"
    assert next(pieces) == "on"


def test_stream_that_begins_inside_its_thinking() -> None:
    assert list(stream_without_thinking(["hm", "</think> L", "yon"], is_thinking=True)) == ["L", "yon"]


@pytest.mark.parametrize("text", ["<think>", "<think>hm", "<think>hm</think"])
def test_thinking_without_an_end_is_an_error(text: str) -> None:
    with pytest.raises(UnfinishedThinking):
        without_thinking(text)
    with pytest.raises(UnfinishedThinking):
        list(stream_without_thinking([text]))

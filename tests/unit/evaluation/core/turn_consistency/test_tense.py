"""Which sentences tell what was, and which what is."""

from __future__ import annotations

import pytest

from evaluation.core.turn_consistency.types import tells_what_is, tells_what_was
from tests.fakes.language import real_parser


@pytest.mark.parametrize(
    ("sentence", "was", "is_now"),
    [
        ("You lived in Porto before.", True, False),
        ("Porto was your home.", True, False),
        ("You did not work for Airbus.", True, False),
        ("You live in Lisbon.", False, True),
        ("Lisbon is your home.", False, True),
        ("You have moved to Lisbon.", False, True),
        ("You said that you live in Rome.", False, False),
        ("You will move to Lisbon.", False, False),
    ],
)
def test_tense_of_a_sentence(sentence: str, was: bool, is_now: bool) -> None:
    [parsed] = real_parser().parse_many([sentence])
    assert (tells_what_was(parsed), tells_what_is(parsed)) == (was, is_now)

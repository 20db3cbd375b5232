"""Whether a remembered sentence may stand behind an answer."""

from __future__ import annotations

import pytest

from conversations.core.responders.support import is_said_of_speaker
from memory.core.knowledge_graph.stems import content_stems


@pytest.mark.parametrize(
    ("text", "asked", "expected"),
    [
        ("I have had a parrot for years.", "parrot", True),
        ("We've always wanted to sail, and we sail now.", "sail", True),
        ("My neighbour is away; I feed her parrot.", "parrot", True),
        ("She has a parrot and two cats that I must feed.", "parrot", False),
        ("My nephew Jannik, who is diabetic, stays with us.", "diabetic", False),
        ("Today Sandrine said that she keeps a snake, and I nearly fainted.", "snake", False),
        ("Parrots are loud.", "parrot", False),
        ("I like tea.", "parrot", False),
    ],
)
def test_only_what_the_speaker_is_the_nearest_subject_of_is_said_of_them(text: str, asked: str, expected: bool) -> None:
    assert is_said_of_speaker(text, content_stems(asked)) is expected

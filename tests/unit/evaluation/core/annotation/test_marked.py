"""The words of a headline in another text."""

from __future__ import annotations

import pytest

from evaluation.core.annotation.content import marked


@pytest.mark.parametrize(
    ("headline", "text", "pieces"),
    [
        ("She moves to Porto", "They moved to Porto.", [("They ", False), ("moved to Porto", True), (".", False)]),
        (
            "Manhattan covers 14,700 acres.",
            "Manhattan's parks. It covers 14,700 acres",
            [("Manhattan's", True), (" parks. It ", False), ("covers 14,700 acres", True)],
        ),
        ("The tower is old", "An OLD tower. Towers!", [
            ("An ", False), ("OLD tower", True), (". ", False), ("Towers", True), ("!", False)
        ]),
        ("Rome", "Rome. Rome", [("Rome", True), (". ", False), ("Rome", True)]),
        ("Is it so?", "It is so.", [("It is so.", False)]),
        ("", "Words.", [("Words.", False)]),
        ("Words", "", []),
    ],
)  # fmt: skip
def test_words_of_the_headline_are_marked_by_their_stems(headline, text, pieces):
    found = marked(text, headline=headline)
    assert found == pieces
    assert "".join(piece for piece, _ in found) == text

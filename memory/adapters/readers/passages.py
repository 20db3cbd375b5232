"""How the answer reader sees a passage: the turn before, then the turn, with a mark between."""

from __future__ import annotations

MARK = " || "
BEFORE_CHARACTERS = 240


def passage_text(before: str, turn: str) -> tuple[str, int]:
    """Return the text that is read of a turn and the one before it, and where the turn begins in it.

    Of a long turn before, the end is kept: ("Bo: Any news?", "Ana: I moved.") -> ("Bo: Any news? || Ana: I moved.", 17).
    """
    if not before:
        return turn, 0
    head = before[-BEFORE_CHARACTERS:] + MARK
    return head + turn, len(head)

"""How the answer reader sees a passage: the turn before, then the turn, each with who said it, and a mark between."""

from __future__ import annotations

from memory.core.types import QuestionOnTurn

MARK = " || "
BEFORE_CHARACTERS = 240


def passage_text(asked: QuestionOnTurn) -> tuple[str, int]:
    """Return the text that is read of a turn and the one before it, and where the words of the turn begin in it.

    Of a long turn before, the end is kept: "Any news?" by Bo, "I moved." by Ana -> ("Bo: Any news? || Ana: I moved.", 22).
    """
    before = _line(asked.before_speaker, asked.before)[-BEFORE_CHARACTERS:]
    head = before + MARK if before else ""
    turn = _line(asked.speaker, asked.text)
    return head + turn, len(head) + len(turn) - len(asked.text)


def _line(speaker: str, text: str) -> str:
    return f"{speaker}: {text}" if text and speaker else text

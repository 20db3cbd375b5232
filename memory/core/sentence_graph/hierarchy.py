"""The text of each kind of unit (session, round, turn, sentence) for embeddings and BM25 (SGMem, sections 3.1 and 3.3).

Every index uses these texts. Departures from the paper:

- The paper does not say what the text of a session, a round or a turn is. A turn is its speaker and their words ("Ann: I
  moved"), since questions ask who said it; a round is its turns, a session its date and its turns. Sentences are cut out of
  that text for their vectors, so that a turn's first sentence carries its speaker.
- A window is ours: a turn after the end of the turn before it, so that an answer is found by the question that it answers.
- A sentence that only asks is not found by itself, and nothing that the product replied is found at all. Of a reply only the
  question at its end is used, in the window of the answer to it.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime

from memory.core.english.questions import closing_question

WINDOW_CHARACTERS = 200


def turn_text(speaker: str, text: str) -> str:
    return f"{speaker}: {text}" if speaker else text


def sentence_texts(speaker: str, sentences: Sequence[str]) -> list[str]:
    """Return the texts of a turn's sentences for their vectors."""
    return [turn_text(speaker, sentence) for sentence in sentences[:1]] + list(sentences[1:])


def context_text(speaker: str, text: str, *, is_generated: bool) -> str:
    """Return what a turn gives to the window of the next one; `is_generated` says that the product wrote it."""
    said = closing_question(text) if is_generated else text
    return turn_text(speaker, said) if said else ""


def window_text(previous: str, turn: str) -> str:
    """Return the text of a turn's window: what the turn before it in its session gives (`previous`), then the turn."""
    return f"{previous[-WINDOW_CHARACTERS:]}\n{turn}" if previous else turn


def round_text(turns: Iterable[str]) -> str:
    return "\n".join(turns)


def session_text(started_at: datetime, turns: Iterable[str]) -> str:
    """Return the text of a session from when it was held and the texts of its turns."""
    return "\n".join([f"{started_at:%A}, {started_at.day} {started_at:%B %Y, %H:%M}", *turns])

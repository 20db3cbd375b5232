"""Which sentences are the user's own words: not code, markup, pasted documents, other voices, imitated prompts, fiction.

A passage of foreign words begins where something announces it ("Summarize this e-mail:", "Dear Mr. Lee", "Bob: ...", a
fence, a quotation mark) and ends with its turn, or earlier where the words say so: a closing mark, "End of mail", a signature
followed by words to the assistant, "btw" after a text that is no letter. A role that the user plays goes on over turns until
they stop it. What is in doubt stays unread: a fact that was missed can be said again, a wrong one is believed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from memory.core.knowledge_graph.extraction.foreign_words import (
    ABOUT_LANGUAGE,
    ASIDE,
    CASTING,
    CLOSING,
    CODE,
    DATA,
    END,
    FICTION,
    FICTION_OPENING,
    HEADER,
    HEADINGS,
    IMITATION,
    LABEL,
    MARKUP,
    PART,
    PASTE,
    ROLE,
    SALUTATION,
    SPOKEN_LINE,
    STOP,
    TO_THE_ASSISTANT,
    WRITING,
)
from memory.core.types import Role, Utterance

_NUMBER = re.compile(r"\W{0,3}\+?\d[\d ./:-]{0,18}\W{0,3}")
_MOST_WORDS = 90


class _Kind(StrEnum):
    """What a passage of foreign words is; only letters and talk have asides of their own."""

    TEXT = "text"
    LETTER = "letter"
    TALK = "talk"
    FICTION = "fiction"
    FENCE = "fence"
    QUOTE = "quote"
    PROMPT = "prompt"


@dataclass(frozen=True)
class _State:
    """Where the reading stands: the passage that goes on, whether it was signed, and whether a role is played."""

    passage: _Kind | None = None
    is_signed: bool = False
    is_played: bool = False
    is_game: bool = False


def own_words(said: Sequence[Utterance]) -> list[bool]:
    """Return of each utterance, in order, whether it is a user's own speech; an utterance may be a sentence or a turn."""
    states: dict[str, _State] = {}
    turns: dict[str, Utterance] = {}
    own = []
    for utterance in said:
        if utterance.role is not Role.USER:
            own.append(False)
            continue
        last, state = turns.get(utterance.speaker), states.get(utterance.speaker, _State())
        if last is None or last.said_at != utterance.said_at:
            state = _State(is_played=state.is_played)
        is_own = True
        for piece in _pieces(utterance.text):
            state, is_piece_own = _after(state, piece, utterance.speaker)
            is_own = is_own and is_piece_own
        own.append(is_own and is_speech(utterance.text))
        states[utterance.speaker], turns[utterance.speaker] = state, utterance
    return own


def is_speech(text: str) -> bool:
    """Return whether a sentence, for itself, may state facts in the speaker's own voice."""
    if _NUMBER.fullmatch(text):
        # A bare number says something only as an answer.
        return True
    letters = sum(character.isalpha() for character in text)
    readable = sum(character.isalnum() for character in text)
    if letters < 2 or readable < 0.5 * len(text.replace(" ", "")):
        return False
    if len(text.split()) > _MOST_WORDS:
        return False
    return not any(
        pattern.search(text) for pattern in (CODE, DATA, MARKUP, IMITATION, CASTING, FICTION, ABOUT_LANGUAGE)
    )


def _pieces(text: str) -> list[str]:
    return [piece for piece in re.split(r"(?<=[.!?])[ \t]+(?=[A-Z\"“'])|[\r\n]+", text[:20_000]) if piece.strip()] or [
        text
    ]


def _after(state: _State, piece: str, speaker: str) -> tuple[_State, bool]:
    """Return the state after a sentence, and whether the sentence is the speaker's own."""
    if state.is_played:
        if not STOP.search(piece):
            return state, False
        return _State(), not re.match(r"^\W*(?:\w+\W+){0,4}$", piece) and not ROLE.search(piece)
    if state.passage is _Kind.FICTION and state.is_game and PART.match(piece):
        return replace(state, is_played=True), False
    if state.passage is not None:
        return _within(state, state.passage, piece)
    if ROLE.search(piece):
        return replace(state, is_played=True, passage=_Kind.FICTION), False
    opened = _opened(piece, speaker)
    if opened is not None:
        # The sentence that announces a passage is the speaker's own.
        is_announced = piece.rstrip().endswith(":") and opened is not _Kind.TALK
        return replace(state, passage=opened, is_signed=False, is_game="play" in piece.lower()), is_announced
    return state, not _quotes(piece) % 2


def _opened(piece: str, speaker: str) -> _Kind | None:
    """Return the passage that a sentence opens, by announcing it or by being its first, or None."""
    if piece.count("```") % 2:
        return _Kind.FENCE
    if IMITATION.search(piece):
        return _Kind.PROMPT
    if FICTION_OPENING.search(piece):
        # "Write an e-mail to my boss.", "Suppose I were rich, what then?" are done when they are said; a story goes on.
        is_whole = WRITING.search(piece) is not None and ":" not in piece or piece.rstrip().endswith("?")
        return None if is_whole else _Kind.FICTION
    if HEADER.match(piece) or SALUTATION.match(piece):
        return _Kind.LETTER
    if PASTE.search(piece) or LABEL.match(piece):
        return (
            _Kind.LETTER
            if re.search(r"\b(?:e-?mail|mail|letter|message|note|chat|sms|texted|wrote)\b", piece, re.I)
            else _Kind.TEXT
        )
    line = SPOKEN_LINE.match(piece)
    if line is not None and not _is_heading(line["who"]) and line["who"].casefold() != speaker.casefold():
        return _Kind.TALK
    return _Kind.QUOTE if _quotes(piece) % 2 else None


def _within(state: _State, kind: _Kind, piece: str) -> tuple[_State, bool]:
    """Return what becomes of a passage at its next sentence."""
    if kind is _Kind.FENCE:
        return (_State() if piece.count("```") % 2 else state), False
    if kind is _Kind.QUOTE:
        return (_State() if _quotes(piece) % 2 else state), False
    if END.search(piece):
        return _State(), False
    if CLOSING.match(piece):
        return replace(state, is_signed=True), False
    is_turning = ASIDE.match(piece) is not None
    if state.is_signed and (is_turning or TO_THE_ASSISTANT.match(piece)):
        return _State(), True
    if is_turning and kind in (_Kind.TEXT, _Kind.FICTION) or kind is _Kind.FICTION and STOP.search(piece):
        return _State(), True
    return state, False


def _is_heading(label: str) -> bool:
    return any(word.casefold().strip(".'’") in HEADINGS for word in label.split())


def _quotes(text: str) -> int:
    """Return how many quotation marks open or close something; the mark of inches does not."""
    return len(re.findall(r"(?<!\d)[\"“”]", text))

"""Which sentences are the user's own words: not code, markup, pasted documents, other voices, imitated prompts, fiction.

A passage of foreign words begins where something announces it ("Summarize this e-mail:", "Dear Mr. Lee", "Bob: ...", a
fence, a quotation mark) and ends with its mark, where it has one, else with its turn. A role that the user plays goes on over
turns until they stop it. What is in doubt stays unread: a fact that was missed can be said again, a wrong one is believed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial

from memory.core.knowledge_graph.extraction.patterns import pattern
from memory.core.types import Role, Utterance

sign = partial(pattern, "foreign_words")
_MOST_WORDS = 90
# What opens somebody else's words for the rest of the turn.
_OPENINGS = ("imitation", "header", "salutation", "paste", "label")
# What no sentence of the speaker's own voice has.
_FOREIGN = ("code", "data", "markup", "imitation", "irony", "casting", "fiction", "about_language")


class _Kind(StrEnum):
    """What a passage of foreign words is, so far as its end hangs on it."""

    TEXT = "text"
    FICTION = "fiction"
    FENCE = "fence"
    QUOTE = "quote"


@dataclass(frozen=True)
class _State:
    """Where the reading stands: the passage that goes on, and whether a role is played."""

    passage: _Kind | None = None
    is_played: bool = False
    is_game: bool = False
    # Whether a line break will open a text, and whether fiction was just spoken of.
    is_awaited: bool = False
    is_of_fiction: bool = False


def own_words(said: Sequence[Utterance]) -> list[bool]:
    """Return of each utterance, in order, whether it is a user's own speech; an utterance may be a sentence or a turn."""
    states: dict[str, _State] = {}
    turns: dict[str, Utterance] = {}
    own: list[bool] = []
    for utterance in said:
        if utterance.role is not Role.USER:
            own.append(False)
            continue
        last, state = turns.get(utterance.speaker), states.get(utterance.speaker, _State())
        if last is None or last.said_at != utterance.said_at:
            state = _State(is_played=state.is_played)
        is_own = True
        for piece, breaks in _pieces(utterance):
            state, is_piece_own = _after(state, piece, utterance.speaker, breaks)
            is_own = is_own and is_piece_own
        own.append(is_own and is_speech(utterance.text))
        states[utterance.speaker], turns[utterance.speaker] = state, utterance
    return own


def is_speech(text: str) -> bool:
    """Return whether a sentence, for itself, may state facts in the speaker's own voice."""
    if sign("number").fullmatch(text):
        # A bare number says something only as an answer.
        return True
    letters = sum(character.isalpha() for character in text)
    readable = sum(character.isalnum() for character in text)
    if letters < 2 or readable < 0.5 * len(text.replace(" ", "")):
        return False
    if len(text.split()) > _MOST_WORDS:
        return False
    return not any(sign(name).search(text) for name in _FOREIGN)


def _pieces(utterance: Utterance) -> list[tuple[str, int]]:
    """Return the sentences of an utterance, each with the line breaks before it."""
    text, found, breaks = utterance.text[:20_000], [], utterance.breaks
    for part in re.split(r"([\r\n]+|(?<=[.!?])[ \t]+(?=[A-Z\"“']))", text):
        if part.strip():
            found.append((part, breaks))
            breaks = 0
        else:
            breaks += part.count("\n")
    return found or [(utterance.text, utterance.breaks)]


def _after(state: _State, piece: str, speaker: str, breaks: int) -> tuple[_State, bool]:
    """Return the state after a sentence with so many line breaks before it, and whether it is the speaker's own."""
    if state.is_played:
        if not sign("stop").search(piece):
            return state, False
        return _State(), not re.match(r"^\W*(?:\w+\W+){0,4}$", piece) and not sign("role").search(piece)
    if state.passage is _Kind.FICTION and state.is_game and sign("part").match(piece):
        return replace(state, is_played=True), False
    if state.is_awaited:
        is_text = breaks and not sign("to_the_assistant").match(piece)
        state = replace(state, is_awaited=False, passage=_Kind.TEXT if is_text else None)
    if state.passage is not None:
        is_over = _ends(state.passage, piece)
        return (_State() if is_over else state), is_over and state.passage is _Kind.FICTION
    if sign("role").search(piece):
        return replace(state, is_played=True, passage=_Kind.FICTION), False
    opened = _opened(piece, speaker)
    if opened is not None:
        # The sentence that announces a passage is the speaker's own.
        is_announced = piece.rstrip().endswith(":") and not sign("spoken_line").match(piece)
        return _State(passage=opened, is_game="play" in piece.lower()), is_announced
    if sign("about_a_text").match(piece):
        return replace(state, is_awaited=True), True
    is_of_fiction = (sign("author").search(piece) or sign("fiction").search(piece)) is not None
    if state.is_of_fiction and not is_of_fiction and sign("third_person").match(piece):
        return state, False
    return replace(state, is_of_fiction=is_of_fiction), not _quotes(piece) % 2


def _ends(passage: _Kind, piece: str) -> bool:
    """Return whether a sentence is the last of a passage."""
    if passage is _Kind.FENCE:
        return bool(piece.count("```") % 2)
    if passage is _Kind.QUOTE:
        return bool(_quotes(piece) % 2)
    return passage is _Kind.FICTION and sign("stop").search(piece) is not None


def _opened(piece: str, speaker: str) -> _Kind | None:
    """Return the passage that a sentence opens, by announcing it or by being its first, or None."""
    if piece.count("```") % 2:
        return _Kind.FENCE
    if sign("fiction_opening").search(piece):
        # "Write an e-mail to my boss.", "Suppose I were rich, what then?" are done when they are said; a story goes on.
        is_whole = sign("writing").search(piece) is not None and ":" not in piece or piece.rstrip().endswith("?")
        return None if is_whole else _Kind.FICTION
    author = sign("author").search(piece)
    if author is not None and re.match(r"[^.!?]{0,40}:\s*\S", piece[author.end() :]):
        return _Kind.FICTION
    if any(sign(name).search(piece) for name in _OPENINGS):
        return _Kind.TEXT
    line = sign("spoken_line").match(piece)
    if line is not None and not _is_heading(line["who"]) and line["who"].casefold() != speaker.casefold():
        return _Kind.TEXT
    return _Kind.QUOTE if _quotes(piece) % 2 else None


def _is_heading(label: str) -> bool:
    return any(sign("heading").fullmatch(word.casefold().strip(".'’")) for word in label.split())


def _quotes(text: str) -> int:
    """Return how many quotation marks open or close something; the mark of inches does not."""
    return len(re.findall(r"(?<!\d)[\"“”]", text))

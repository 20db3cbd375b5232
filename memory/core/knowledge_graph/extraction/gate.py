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
from functools import partial

from memory.core.knowledge_graph.extraction.patterns import pattern
from memory.core.types import Role, Utterance

sign = partial(pattern, "foreign_words")
_MOST_WORDS = 90
# What no sentence of the speaker's own voice has.
_FOREIGN = ("code", "data", "markup", "imitation", "irony", "casting", "fiction", "about_language")


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
    # Of a passage: how many of its sentences were read, and whether one of them speaks in the first person.
    length: int = 0
    has_first_person: bool = False
    # What a line break will open, and whether fiction was just spoken of.
    awaited: _Kind | None = None
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
    if state.awaited is not None:
        state = replace(state, awaited=None, passage=state.awaited if breaks and not _is_to_assistant(piece) else None)
    kind = state.passage
    if kind is not None:
        if breaks > 1 and state.length and _returns(state, kind, piece):
            return _State(), True
        state = replace(
            state,
            length=state.length + 1,
            has_first_person=state.has_first_person or sign("first_person").search(piece) is not None,
        )
        return _within(state, kind, piece)
    if sign("role").search(piece):
        return replace(state, is_played=True, passage=_Kind.FICTION), False
    opened = _opened(piece, speaker)
    if opened is not None:
        # The sentence that announces a passage is the speaker's own.
        is_announced = piece.rstrip().endswith(":") and opened is not _Kind.TALK
        return _State(passage=opened, is_game="play" in piece.lower()), is_announced
    if sign("about_a_text").match(piece):
        return replace(state, awaited=_Kind.LETTER if sign("letters").search(piece) else _Kind.TEXT), True
    is_of_fiction = (sign("author").search(piece) or sign("fiction").search(piece)) is not None
    if state.is_of_fiction and not is_of_fiction and sign("third_person").match(piece):
        return state, False
    return replace(state, is_of_fiction=is_of_fiction), not _quotes(piece) % 2


def _is_to_assistant(piece: str) -> bool:
    return bool(sign("aside").match(piece) or sign("thanks").match(piece) or sign("to_the_assistant").match(piece))


def _returns(state: _State, kind: _Kind, piece: str) -> bool:
    """Return whether the user speaks again after a blank line below what they pasted.

    The paragraphs of a letter, and verses and stories told by an "I", have blank lines of their own.
    """
    if kind in (_Kind.FENCE, _Kind.QUOTE, _Kind.PROMPT, _Kind.FICTION):
        return False
    if kind is _Kind.LETTER and not state.is_signed:
        return sign("aside").match(piece) is not None or sign("asks_about_text").match(piece) is not None
    is_own = sign("first_person").search(piece) is not None and not state.has_first_person and kind is _Kind.TEXT
    return is_own or _is_to_assistant(piece) or state.is_signed and sign("first_person").search(piece) is not None


def _opened(piece: str, speaker: str) -> _Kind | None:
    """Return the passage that a sentence opens, by announcing it or by being its first, or None."""
    if piece.count("```") % 2:
        return _Kind.FENCE
    if sign("imitation").search(piece):
        return _Kind.PROMPT
    if sign("fiction_opening").search(piece):
        # "Write an e-mail to my boss.", "Suppose I were rich, what then?" are done when they are said; a story goes on.
        is_whole = sign("writing").search(piece) is not None and ":" not in piece or piece.rstrip().endswith("?")
        return None if is_whole else _Kind.FICTION
    author = sign("author").search(piece)
    if author is not None and re.match(r"[^.!?]{0,40}:\s*\S", piece[author.end() :]):
        return _Kind.FICTION
    if sign("header").match(piece) or sign("salutation").match(piece):
        return _Kind.LETTER
    if sign("paste").search(piece) or sign("label").match(piece):
        return _Kind.LETTER if sign("letters").search(piece) else _Kind.TEXT
    line = sign("spoken_line").match(piece)
    if line is not None and not _is_heading(line["who"]) and line["who"].casefold() != speaker.casefold():
        return _Kind.TALK
    return _Kind.QUOTE if _quotes(piece) % 2 else None


def _within(state: _State, kind: _Kind, piece: str) -> tuple[_State, bool]:
    """Return what becomes of a passage at its next sentence."""
    if kind is _Kind.FENCE:
        return (_State() if piece.count("```") % 2 else state), False
    if kind is _Kind.QUOTE:
        return (_State() if _quotes(piece) % 2 else state), False
    if sign("end").search(piece):
        return _State(), False
    if sign("closing").match(piece):
        return replace(state, is_signed=True), False
    is_turning = sign("aside").match(piece) is not None
    if state.is_signed and (is_turning or sign("to_the_assistant").match(piece)):
        return _State(), True
    if is_turning and kind in (_Kind.TEXT, _Kind.FICTION) or kind is _Kind.FICTION and sign("stop").search(piece):
        return _State(), True
    return state, False


def _is_heading(label: str) -> bool:
    return any(sign("heading").fullmatch(word.casefold().strip(".'’")) for word in label.split())


def _quotes(text: str) -> int:
    """Return how many quotation marks open or close something; the mark of inches does not."""
    return len(re.findall(r"(?<!\d)[\"“”]", text))

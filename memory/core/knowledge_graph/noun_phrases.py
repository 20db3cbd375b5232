"""Noun phrases of questions as mentions: names, "my sister", "my sister Maya", "my sister's boss", "the name of my dog"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memory.core.english.grammatical_person import FIRST_PERSONS, FIRST_POSSESSIVES
from memory.core.knowledge_graph.question import SPEAKER, QuestionTerm
from memory.core.knowledge_graph.vocabulary import RELATIONS
from memory.core.types import Token

THIRD_PERSONS = frozenset({"he", "she", "it", "they", "him", "her", "them", "you"})
THIRD_POSSESSIVES = frozenset({"his", "her", "its", "their", "your"})
DETERMINERS = frozenset("a an the this that these those any some no all both every each another other either".split())
BREAKS = frozenset(
    "and or but not n't still ever also already really currently now often usually always never before anymore any "
    "actually ago today yesterday tomorrow recently too again when while because if since until where".split()
)
_NOMINAL = frozenset({"NOUN", "PROPN", "NUM", "ADJ", "X", "SYM"})


def noun_phrase(tokens: Sequence[Token], start: int, end: int | None = None) -> tuple[QuestionTerm | None, int]:
    """Return the mention that starts at a token, before `end`, and the index after it; None where none starts there."""
    stop = len(tokens) if end is None else end
    if start >= stop:
        return None, start
    mention, index = _simple_phrase(tokens, start, stop, is_bounded=end is not None)
    while mention is not None and index + 1 < stop and tokens[index].text.lower() == "of":
        whole, after = _simple_phrase(tokens, index + 1, stop, is_bounded=end is not None)
        if whole is None:
            break
        if mention.owner is None and not mention.is_speaker:
            mention = replace(mention, owner=whole)
        index = after
    return mention, index


def _simple_phrase(
    tokens: Sequence[Token], start: int, stop: int, *, is_bounded: bool
) -> tuple[QuestionTerm | None, int]:
    first = tokens[start].text.lower()
    if first in FIRST_PERSONS:
        return SPEAKER, start + 1
    index, owner = start, None
    has_determiner = False
    if first in FIRST_POSSESSIVES:
        owner, index, has_determiner = SPEAKER, start + 1, True
    elif first in THIRD_POSSESSIVES and start + 1 < stop and tokens[start + 1].pos in _NOMINAL:
        owner, index, has_determiner = QuestionTerm(first, is_pronoun=True), start + 1, True
    elif first in THIRD_PERSONS:
        return QuestionTerm(first, is_pronoun=True), start + 1
    elif first in DETERMINERS:
        index, has_determiner = start + 1, True
    words: list[Token] = []
    while index < stop:
        token = tokens[index]
        low = token.text.lower()
        if low in {"'s", "'", "’s", "’"} and words:
            owner, words, has_determiner = _mention(words, owner), [], True
        elif low in BREAKS or not _belongs(token, words, has_determiner, is_bounded=is_bounded):
            break
        else:
            words.append(token)
        index += 1
    if not words:
        return (owner, index) if owner is not None and index > start + 1 else (None, start)
    return _mention(words, owner), index


def _belongs(token: Token, words: list[Token], has_determiner: bool, *, is_bounded: bool) -> bool:
    low = token.text.lower()
    if low in DETERMINERS or low in FIRST_POSSESSIVES or low in FIRST_PERSONS or token.pos in {"ADP", "AUX", "PUNCT"}:
        return False
    if is_bounded:
        return token.pos != "PRON"
    if not words:
        return token.pos in _NOMINAL or (has_determiner and token.pos in {"VERB", "ADV"}) or token.text[:1].isupper()
    if token.pos == "ADJ" and words[-1].pos in {"PROPN", "NOUN"}:
        return False
    if token.pos in {"VERB", "ADV"}:
        return words[-1].pos == "ADJ"
    return token.pos in _NOMINAL


def _mention(words: list[Token], owner: QuestionTerm | None) -> QuestionTerm:
    texts = [word.text for word in words]
    # "my sister Maya": the role stands before the name.
    if len(words) > 1 and owner is not None:
        for count in range(len(words) - 1, 0, -1):
            role = " ".join(texts[:count]).lower()
            if role.split()[-1] in RELATIONS and all(text[:1].isupper() for text in texts[count:]):
                return QuestionTerm(" ".join(texts[count:]), owner=owner, role=role)
    return QuestionTerm(" ".join(texts), owner=owner)

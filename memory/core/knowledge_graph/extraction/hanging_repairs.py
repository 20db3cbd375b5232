"""Repairs of what hangs on the wrong word: what somebody was told, "to" before a noun, a name set off by a comma."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memory.core.knowledge_graph.ontology import relation_of
from memory.core.types import Token

_TELLING = frozenset(
    {"tell", "inform", "warn", "remind", "assure", "promise", "convince", "text", "message", "email", "e-mail"}
)
_SUBJECTS = frozenset({"i", "we", "he", "she", "it", "they", "you"})
_TAKING_A_NOUN = frozenset({"allergic", "intolerant", "sensitive"})
_LIKING = frozenset({"love", "like", "hate", "enjoy", "adore", "dislike", "detest", "prefer", "loathe"})
_OWNED_BY = frozenset({"mine", "ours", "his", "hers", "theirs"})
_SET_OFF = frozenset({"vocative", "parataxis", "conj", "obl", "dep", "list", "discourse", "advmod", "obj"})
_CALLED = frozenset({"called", "named"})


def told_clauses(tokens: list[Token]) -> list[Token]:
    """Hang "I'm moving" on the telling in "I told my boss that I'm moving", where it was read as describing the boss."""
    fixed = list(tokens)
    for token in tokens:
        told = tokens[token.head]
        verb = tokens[told.head]
        if token.dep != "acl:relcl" or verb.lemma not in _TELLING or verb.index == told.index:
            continue
        if told.dep not in ("iobj", "obj", "obl") or told.index < verb.index:
            continue
        below = [other for other in tokens if other.head == token.index and other.index != token.index]
        subject = next((other for other in below if other.dep.startswith("nsubj")), None)
        between = [other for other in tokens[told.index + 1 : subject.index if subject else 0] if other.pos != "PUNCT"]
        is_own = subject is not None and (subject.text.lower() in _SUBJECTS or subject.pos in ("NOUN", "PROPN"))
        if not is_own or any(other.text.lower() not in ("that", *_leading(tokens, subject)) for other in between):
            continue
        fixed[token.index] = replace(token, dep="ccomp", head=verb.index)
        for other in between:
            if other.text.lower() == "that":
                fixed[other.index] = replace(other, dep="mark", pos="SCONJ", tag="IN")
    return fixed


def _leading(tokens: Sequence[Token], subject: Token | None) -> set[str]:
    return {other.text.lower() for other in tokens if subject is not None and other.head == subject.index}


def marked_nouns(tokens: list[Token]) -> list[Token]:
    """Read "to" as a preposition before a noun: "allergic to dust", where it was read as that of an infinitive."""
    fixed = list(tokens)
    for token in tokens:
        noun = tokens[token.head]
        if token.text.lower() != "to" or token.dep != "mark":
            continue
        if noun.pos == "VERB" and tokens[noun.head].lemma in _TAKING_A_NOUN and noun.head == token.index - 1:
            fixed[noun.index] = replace(noun, dep="obl", pos="NOUN", tag="NN")
            fixed[token.index] = replace(token, dep="case", pos="ADP")
            continue
        if noun.pos not in ("NOUN", "PROPN"):
            continue
        if noun.dep in ("obl", "nmod") and not any(t.head == noun.index and t.dep in ("cop", "aux") for t in tokens):
            fixed[token.index] = replace(token, dep="case", pos="ADP")
    return fixed


def owned_by_phrase(tokens: list[Token]) -> list[Token]:
    """Read "a friend of mine" as "my friend", and the capitalised word that is one as a name."""
    fixed = list(tokens)
    for token in tokens[2:]:
        of, noun = tokens[token.index - 1], tokens[token.head]
        if token.text.lower() not in _OWNED_BY or of.text.lower() != "of" or not relation_of(noun.lemma):
            continue
        if noun.index >= of.index or of.head != token.index:
            continue
        fixed[token.index] = replace(token, dep="nmod:poss", pos="PRON")
        subject = next((t for t in tokens if t.head == noun.index and t.dep == "nsubj" and t.pos == "NOUN"), None)
        if subject is not None and subject.index == 0 and subject.text[:1].isupper() and subject.tag == "NN":
            fixed[0] = replace(subject, pos="PROPN", tag="NNP")
    return fixed


def liked_words(tokens: list[Token]) -> list[Token]:
    """Read the last word of "I hate cilantro" as what is hated, where it was taken for an adjective."""
    fixed = list(tokens)
    for token in tokens:
        verb = tokens[token.head]
        is_last = all(other.pos == "PUNCT" for other in tokens[token.index + 1 :])
        if token.tag != "JJ" or token.dep not in ("advmod", "xcomp", "acomp") or not is_last:
            continue
        if verb.lemma in _LIKING and verb.index == token.index - 1 and verb.pos == "VERB":
            fixed[token.index] = replace(token, dep="obj", pos="NOUN", tag="NN")
    return fixed


def set_off_names(tokens: list[Token]) -> list[Token]:
    """Hang the name on the relative or pet in "We have a daughter already, Esi" and "one cat, called Ludo"."""
    fixed = list(tokens)
    for token in tokens:
        above = tokens[token.head]
        if above.lemma not in ("have", "get", "own", "adopt") or token.index < above.index:
            continue
        had = [t for t in tokens[: token.index] if t.head == above.index and t.dep == "obj" and relation_of(t.lemma)]
        if not had or not _follows_comma(tokens, token, had[-1]):
            continue
        is_called = token.text.lower() in _CALLED and token.dep in ("conj", "xcomp", "advcl", "parataxis", "ccomp")
        is_name = token.pos in ("PROPN", "NOUN") and token.text[:1].isupper() and token.dep in _SET_OFF
        if is_called:
            fixed[token.index] = replace(token, dep="acl", head=had[-1].index)
        elif is_name and not any(t.head == token.index and t.dep in ("cc", "case", "cop", "nsubj") for t in tokens):
            fixed[token.index] = replace(token, dep="appos", head=had[-1].index, pos="PROPN", tag="NNP")
    return fixed


def _follows_comma(tokens: Sequence[Token], token: Token, noun: Token) -> bool:
    """Return whether a comma, or a dash, is right before a word, and at most an adverb between that and the noun."""
    between = tokens[noun.index + 1 : token.index]
    stops = [t for t in between if t.pos == "PUNCT"]
    is_singular = noun.tag == "NN"
    return (
        is_singular
        and len(stops) == 1
        and between[-1] is stops[0]
        and stops[0].text in (",", "-", "–", "—", ":")
        and all(t.pos in ("ADV", "PUNCT", "PRON") for t in between)
        and len(between) <= 3
    )

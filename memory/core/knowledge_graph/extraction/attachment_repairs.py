"""Repairs of what hangs on the wrong word: phrases after a later verb, what somebody was told, names torn in two, denials."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

from memory.core.knowledge_graph.extraction.verb_repairs import VERB_FORMS
from memory.core.knowledge_graph.vocabulary import LANGUAGES, NATIONALITIES
from memory.core.types import Token

_NOMINAL = ("NOUN", "PROPN", "NUM", "SYM", "X")
_CLAUSAL = ("conj", "parataxis", "advcl", "ccomp", "acl")
_ADVERBIAL = frozenset({"ADV", "ADP", "DET", "PART"})
_TELLING = frozenset(
    {"tell", "inform", "warn", "remind", "assure", "promise", "convince", "text", "message", "email", "e-mail"}
)
_SUBJECTS = frozenset({"i", "we", "he", "she", "it", "they", "you"})


def late_phrases(tokens: list[Token]) -> list[Token]:
    """Hang "in Medellín" on "lives" in "I live in Bogotá and my friend lives in Medellín", where it was read as mine."""
    fixed = list(tokens)
    for token in tokens:
        if token.dep.split(":")[0] not in ("obl", "obj", "nmod", "advmod"):
            continue
        if token.dep.split(":")[0] == "advmod" and not _has_case(tokens, token):
            continue
        verb = _verb_right_before(tokens, token)
        above = tokens[token.head]
        if verb is None or verb.index in (token.index, above.index) or above.index > verb.index:
            continue
        has_subject = any(t.head == verb.index and t.dep.startswith("nsubj") for t in tokens)
        if verb.dep.split(":")[0] not in _CLAUSAL or not has_subject or not _leads_to(tokens, verb.index, above.index):
            continue
        dep = "obl" if _has_case(tokens, token) else "obj"
        fixed[token.index] = replace(token, head=verb.index, dep=dep)
    return fixed


def _verb_right_before(tokens: Sequence[Token], token: Token) -> Token | None:
    """Return the verb that nothing but the phrase's own small words parts from a phrase."""
    for index in range(token.index - 1, -1, -1):
        other = tokens[index]
        if other.pos == "VERB":
            return other
        is_own = other.head == token.index and other.dep.split(":")[0] in ("case", "det", "amod", "compound", "nmod")
        is_small = other.pos in _ADVERBIAL and other.text.lower() not in ("not", "n't")
        if not is_own and not is_small:
            return None
    return None


def _leads_to(tokens: Sequence[Token], start: int, goal: int) -> bool:
    while tokens[start].head != start:
        start = tokens[start].head
        if start == goal:
            return True
    return False


def _has_case(tokens: Sequence[Token], token: Token) -> bool:
    return any(t.head == token.index and t.dep == "case" and t.index < token.index for t in tokens)


def torn_compounds(tokens: list[Token]) -> list[Token]:
    """Read "York" in "lives in York and studies history" as where, where it was read as a part of "history"."""
    fixed = list(tokens)
    for token in tokens:
        above = tokens[token.head]
        between = tokens[token.index + 1 : above.index]
        is_torn = token.dep in ("compound", "amod", "nmod") and token.pos in ("PROPN", "NOUN")
        verb = next((t for t in between if t.tag in ("VBZ", "VBP", "VBD") or t.text in VERB_FORMS), None)
        link = next((t for t in between if t.pos == "CCONJ"), None)
        if not is_torn or verb is None or link is None or not _has_case(tokens, token):
            continue
        first = tokens[above.head]
        if first.pos != "VERB" or first.index > token.index:
            continue
        fixed[token.index] = replace(token, dep="obl", head=first.index)
        lemma = VERB_FORMS.get(verb.text, verb.lemma)
        tag = verb.tag if verb.pos == "VERB" else "VBZ"
        fixed[verb.index] = replace(verb, dep="conj", head=first.index, pos="VERB", tag=tag, lemma=lemma)
        fixed[above.index] = replace(above, dep="obj", head=verb.index)
        if link.head == verb.index or link.head == token.index:
            fixed[link.index] = replace(link, dep="cc", head=verb.index)
    return fixed


def clipped_perfects(tokens: list[Token]) -> list[Token]:
    """Read "Edmund's moved to Glasgow" as that he has, where he was read as its owner."""
    fixed = list(tokens)
    for owner, mark, verb in zip(tokens, tokens[1:], tokens[2:], strict=False):
        is_clip = mark.tag == "POS" and owner.dep == "nmod:poss" and owner.head == verb.index
        if is_clip and verb.tag in ("VBN", "VBD") and verb.pos == "VERB":
            fixed[mark.index] = replace(mark, pos="AUX", tag="VBZ", dep="aux", lemma="have", head=verb.index)
            fixed[owner.index] = replace(owner, dep="nsubj")
            fixed[verb.index] = replace(verb, tag="VBN")
    return fixed


def misread_names(tokens: list[Token]) -> list[Token]:
    """Return capitalised words inside a sentence that were read as verbs or adjectives as the names that they are."""
    fixed = list(tokens)
    if not any(token.text.islower() for token in tokens):
        return fixed
    for before, token in itertools.pairwise(tokens):
        word = token.text.lower()
        if not token.text[:1].isupper() or token.text.isupper() or token.pos in ("PROPN", "PRON", "PUNCT"):
            continue
        if word in NATIONALITIES or word in LANGUAGES or before.pos == "PUNCT" and before.text not in (",", "("):
            continue
        after = tokens[token.index + 1] if token.index + 1 < len(tokens) else None
        is_led = before.pos == "ADP" or before.lemma == "be" or before.text.lower() in ("not", "n't")
        is_last = after is None or after.pos in ("PUNCT", "CCONJ", "PRON", "ADV", "AUX")
        if (
            token.tag in ("NNP", "NNPS")
            or token.pos in ("VERB", "ADJ", "ADV", "AUX", "X", "INTJ")
            and is_led
            and is_last
        ):
            fixed[token.index] = replace(token, pos="PROPN", tag="NNP", lemma=word)
    return fixed


def continued_names(tokens: list[Token]) -> list[Token]:
    """Return "called Pain Doré" with the second word as a part of the name."""
    fixed = list(tokens)
    for first, second in itertools.pairwise(tokens):
        if first.pos != "PROPN" or not second.text[:1].isupper() or second.pos not in ("PROPN", "NOUN", "ADJ"):
            continue
        naming = tokens[first.head]
        is_name = first.dep in ("xcomp", "obj") and naming.text.lower() in ("called", "named")
        if is_name and second.head in (naming.index, naming.head) and second.index != naming.head:
            fixed[second.index] = replace(second, dep="flat", head=first.index, pos="PROPN", tag="NNP")
    return fixed


def compound_cases(tokens: list[Token]) -> list[Token]:
    """Hang "with" on the name in "with my daughter Aline", where it was hung on the daughter, a part of the name."""
    fixed = list(tokens)
    for token in tokens:
        above = tokens[token.head]
        if token.dep == "case" and above.dep == "compound" and token.index < above.index < above.head:
            fixed[token.index] = replace(token, head=above.head)
    return fixed


def clipped_verbs(tokens: list[Token]) -> list[Token]:
    """Read "quit" between two names as the verb: "Callum quit Tesco"."""
    fixed = list(tokens)
    for before, token in itertools.pairwise(tokens):
        is_quit = token.text in ("quit", "left", "sold", "lost") and token.pos in ("PROPN", "NOUN", "ADJ")
        is_subject = before.head == token.index and before.pos == "PROPN" and before.dep in ("compound", "amod", "flat")
        if is_quit and is_subject:
            lemma = {"quit": "quit", "left": "leave", "sold": "sell", "lost": "lose"}[token.text]
            fixed[before.index] = replace(before, dep="nsubj")
            fixed[token.index] = replace(token, pos="VERB", tag="VBD", lemma=lemma)
        elif token.text == "quit" and token.pos == "VERB" and token.index == 1:
            fixed[token.index] = replace(token, tag="VBD")
    if tokens and tokens[0].text.lower() == "quit" and tokens[0].pos == "VERB":
        fixed[0] = replace(fixed[0], tag="VBD", lemma="quit")
    return fixed


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


def nominal_items(tokens: list[Token]) -> list[Token]:
    """Hang "coffee" beside "tea" in "I drink tea, coffee or wine", where it was hung beside the drinking."""
    fixed = list(tokens)
    for token in tokens:
        above = tokens[token.head]
        if token.pos not in _NOMINAL or token.index == above.index or above.pos not in ("VERB", "ADJ"):
            continue
        below = [other for other in tokens if other.head == token.index and other.index != token.index]
        is_denied = any(other.text.lower() in ("not", "n't") for other in below)
        if token.dep != "conj" and not (token.dep in ("parataxis", "appos", "list", "dep") and is_denied):
            continue
        if any(other.dep.split(":")[0] in ("nsubj", "cop", "aux", "acl", "obl") for other in below):
            continue
        beside = _parallel(tokens, token, above)
        if beside is not None:
            fixed[token.index] = replace(token, head=beside.index, dep="conj")
    return fixed


def _parallel(tokens: Sequence[Token], token: Token, verb: Token) -> Token | None:
    """Return the last object before an item, or the last phrase with the preposition that the item has too."""
    case = _case(tokens, token)
    before = [t for t in tokens[: token.index] if t.head == verb.index and t.index > verb.index and t.pos in _NOMINAL]
    if case:
        return next((t for t in reversed(before) if _case(tokens, t) == case), None)
    objects = [t for t in before if t.dep == "obj"]
    phrases = [t for t in before if t.dep.startswith("obl") and _case(tokens, t)]
    return next(iter(reversed(objects or phrases)), None)


def _case(tokens: Sequence[Token], token: Token) -> str:
    return next((t.text.lower() for t in tokens if t.head == token.index and t.dep == "case"), "")


def neither_nor(tokens: list[Token]) -> list[Token]:
    """Return "I eat neither meat nor fish" with the denial on the verb, where the rules look for it."""
    fixed = list(tokens)
    for token in tokens:
        if token.text.lower() not in ("neither", "none") or token.text.lower() == "none" and token.dep != "nsubj":
            continue
        verb = tokens[token.head]
        while verb.head != verb.index and verb.pos in ("NOUN", "PROPN", "PRON", "DET"):
            verb = tokens[verb.head]
        if verb.index != token.index and token.text.lower() == "neither" and verb.pos in ("VERB", "ADJ", "NOUN", "AUX"):
            fixed[token.index] = replace(token, dep="advmod", head=verb.index, pos="ADV")
    for before, token in itertools.pairwise(tokens):
        # "I like not tea but coffee": the denial is of the tea alone.
        if before.text.lower() == "not" and before.head == token.index and token.dep in ("obj", "obl"):
            fixed[before.index] = replace(before, head=token.head) if _has_but(tokens, token) else fixed[before.index]
    return fixed


def _has_but(tokens: Sequence[Token], token: Token) -> bool:
    items = {token.index} | {t.index for t in tokens if t.head == token.index and t.dep == "conj"}
    return any(t.text.lower() == "but" and t.head in items for t in tokens)

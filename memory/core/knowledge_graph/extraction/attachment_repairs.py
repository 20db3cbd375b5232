"""Repairs of what hangs on the wrong word: phrases after a later verb, names torn in two, clipped "has"."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

from memory.core.knowledge_graph.extraction.verb_repairs import VERB_FORMS
from memory.core.knowledge_graph.vocabulary import LANGUAGES, NATIONALITIES
from memory.core.types import Token

_CLAUSAL = ("conj", "parataxis", "advcl", "ccomp", "acl")
_ADVERBIAL = frozenset({"ADV", "ADP", "DET", "PART"})


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

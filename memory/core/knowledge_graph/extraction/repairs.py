"""Repairs of parses that are wrong in ways that the words themselves show."""

from __future__ import annotations

import itertools
from dataclasses import replace

from memory.core.knowledge_graph.vocabulary import LANGUAGES
from memory.core.types import ParsedSentence, Token

# Third persons that the tagger takes for plurals after a name: "My friend Julia lives in Vienna".
_VERB_FORMS = {
    "lives": "live",
    "works": "work",
    "loves": "love",
    "plays": "play",
    "studies": "study",
    "speaks": "speak",
    "likes": "like",
    "hates": "hate",
    "moves": "move",
    "owns": "own",
    "drives": "drive",
    "teaches": "teach",
    "runs": "run",
    "work": "work",
    "live": "live",
    "love": "love",
    "hate": "hate",
    "like": "like",
    "study": "study",
    "drinks": "drink",
    "eats": "eat",
}
_ACTIVITY_NOUNS = frozenset(
    "hobby hobbies passion pastime sport sports activity activities job favorite favourite interest "
    "interests exercise".split()
)


def repaired(sentence: ParsedSentence) -> ParsedSentence:
    """Return the parse with the repairs; tokens keep their places."""
    tokens = list(sentence.tokens)
    for repair in (
        _clipped_copula,
        _having,
        _owners,
        _named_subjects,
        _participles,
        _conjoined_verbs,
        _proper_nouns,
        _languages,
        _verbs_as_nouns,
        _gerund_predicates,
        _split_compounds,
    ):
        tokens = repair(tokens)
    return ParsedSentence(text=sentence.text, tokens=tuple(tokens))


def _clipped_copula(tokens: list[Token]) -> list[Token]:
    """Read "My name's Bob" as "My name is Bob" where the sentence has no verb of its own."""
    if any(token.pos in ("VERB", "AUX") for token in tokens):
        return tokens
    fixed = list(tokens)
    for token in tokens:
        owner = tokens[token.head]
        if (
            token.tag == "POS"
            and owner.dep == "nmod:poss"
            and tokens[owner.head].head == owner.head
            and token.index == owner.index + 1
        ):
            fixed[token.index] = replace(token, pos="AUX", tag="VBZ", dep="cop", lemma="be", head=owner.head)
            fixed[owner.index] = replace(owner, dep="nsubj")
    return fixed


def _having(tokens: list[Token]) -> list[Token]:
    """Read "I have diabetes" as having, where the parse took "have" for an auxiliary of the noun."""
    root = next((token for token in tokens if token.head == token.index), None)
    if root is None or root.pos not in ("NOUN", "PROPN"):
        return tokens
    below = [token for token in tokens if token.head == root.index and token.index != root.index]
    have = next((token for token in below if token.dep == "aux" and token.lemma == "have"), None)
    have = have or next((token for token in below if _is_liking(tokens, token)), None)
    if have is None or any(token.dep == "cop" for token in below):
        return tokens
    fixed = list(tokens)
    for token in below:
        hangs_on_verb = token.dep.split(":")[0] in ("nsubj", "aux", "advmod", "punct", "obl", "parataxis", "advcl")
        if hangs_on_verb or token.index < have.index:
            fixed[token.index] = replace(token, head=have.index)
    tag = "VBP" if have.tag == "IN" else have.tag
    fixed[have.index] = replace(have, pos="VERB", tag=tag, dep="root", head=have.index)
    fixed[root.index] = replace(root, dep="obj", head=have.index, tag="NN" if root.tag.startswith("V") else root.tag)
    return fixed


def _is_liking(tokens: list[Token], token: Token) -> bool:
    """Return whether "like" is the verb after all: "I no longer like sushi"."""
    before = tokens[token.index - 1].text.lower() if token.index else ""
    return token.text.lower() == "like" and token.dep == "case" and before in ("longer", "still", "also", "really", "i")


def _owners(tokens: list[Token]) -> list[Token]:
    """Hang a possessive that the parse gave to an adjective on the noun: "my favourite colour"."""
    return [
        replace(token, head=tokens[token.head].head)
        if token.dep == "nmod:poss" and tokens[token.head].dep == "amod"
        else token
        for token in tokens
    ]


def _named_subjects(tokens: list[Token]) -> list[Token]:
    """Join "our daughter" and "Emma" where each was read as a subject of the same verb."""
    fixed = list(tokens)
    for left, right in itertools.pairwise(tokens):
        both = left.dep.startswith("nsubj") and right.dep.startswith("nsubj") and left.head == right.head
        if both and left.pos == "NOUN" and right.pos == "PROPN":
            fixed[left.index] = replace(left, dep="compound", head=right.index)
    return fixed


_PARTICIPLES = {
    "laid": "lay",
    "fired": "fire",
    "hired": "hire",
    "promoted": "promote",
    "raised": "raise",
    "employed": "employ",
}


def _participles(tokens: list[Token]) -> list[Token]:
    return [
        replace(token, pos="VERB", tag="VBN", lemma=_PARTICIPLES[token.text.lower()])
        if token.pos == "ADJ" and token.text.lower() in _PARTICIPLES
        else token
        for token in tokens
    ]


def _conjoined_verbs(tokens: list[Token]) -> list[Token]:
    """Read "and lives in Porto" as a second predicate of the subject."""
    fixed = list(tokens)
    for token in tokens:
        above = tokens[token.head]
        is_form = (
            token.text.lower() in _VERB_FORMS and token.pos == "NOUN" and token.tag == "NNS" and token.dep == "conj"
        )
        follows_and = token.index > 0 and tokens[token.index - 1].text.lower() in ("and", "but", "who")
        if not is_form or not follows_and or above.pos not in ("VERB", "NOUN", "ADJ"):
            continue
        fixed[token.index] = replace(token, pos="VERB", tag="VBZ", lemma=_VERB_FORMS[token.text.lower()])
        for other in tokens[token.index + 1 :]:
            if other.dep in ("obl", "nmod", "obj") and other.head in (above.index, token.index):
                fixed[other.index] = replace(other, head=token.index, dep="obl" if other.dep == "nmod" else other.dep)
    return fixed


def _proper_nouns(tokens: list[Token]) -> list[Token]:
    """A capital inside a sentence that is not all capitals makes a name: "Leeds", "Biscuit"."""
    has_lower = any(token.text.islower() for token in tokens)
    return [
        replace(token, pos="PROPN", lemma=token.text.lower())
        if has_lower
        and token.index > 0
        and token.pos == "NOUN"
        and token.text[:1].isupper()
        and _is_inside(tokens, token)
        else token
        for token in tokens
    ]


def _is_inside(tokens: list[Token], token: Token) -> bool:
    return tokens[token.index - 1].text not in (":", ".", "!", "?", '"', "“", "-", "(", "*")


def _languages(tokens: list[Token]) -> list[Token]:
    objects = {"obj", "obl", "conj", "nsubj", "root", "xcomp", "amod"}
    return [
        replace(token, pos="PROPN", dep="obj" if token.dep == "xcomp" else token.dep)
        if token.text.lower() in LANGUAGES
        and token.pos == "ADJ"
        and token.dep in objects
        and _speaks_nearby(tokens, token)
        else token
        for token in tokens
    ]


def _speaks_nearby(tokens: list[Token], token: Token) -> bool:
    return any(
        other.lemma in ("speak", "learn", "study", "teach", "understand", "fluent", "know")
        for other in tokens[: token.index]
    )


def _verbs_as_nouns(tokens: list[Token]) -> list[Token]:
    """Return the tokens with a root like "lives" after a name as the verb that it is, and the name as its subject."""
    root = next((token for token in tokens if token.head == token.index), None)
    if root is None or root.pos != "NOUN" or root.text.lower() not in _VERB_FORMS or root.index == 0:
        return tokens
    below = [token for token in tokens if token.head == root.index and token.index != root.index]
    if any(token.dep in ("cop", "det") for token in below):
        return tokens
    tag = "VBZ" if root.text.lower().endswith("s") else "VBP"
    fixed = list(tokens)
    fixed[root.index] = replace(root, pos="VERB", tag=tag, lemma=_VERB_FORMS[root.text.lower()])
    before = [
        token
        for token in below
        if token.index < root.index and token.dep in ("compound", "nmod:poss", "amod", "flat", "nmod")
    ]
    has_subject = any(token.dep.startswith("nsubj") for token in below)
    nominal = [token for token in before if token.pos in ("NOUN", "PROPN")]
    if not has_subject:
        if not nominal or nominal[-1].index < root.index - 2:
            return tokens
        subject = nominal[-1]
        fixed[subject.index] = replace(subject, dep="nsubj", head=root.index)
        for token in before:
            if token.index != subject.index:
                fixed[token.index] = replace(token, head=subject.index)
    for token in below:
        if token.index > root.index and token.dep == "nmod":
            fixed[token.index] = replace(token, dep="obl")
    return fixed


def _gerund_predicates(tokens: list[Token]) -> list[Token]:
    """Read "my hobby is painting" as what the hobby is, not as what it is doing."""
    fixed = list(tokens)
    for token in tokens:
        if token.tag != "VBG":
            continue
        subjects = [other for other in tokens if other.head == token.index and other.dep == "nsubj"]
        is_activity = any(
            subject.text.lower() in _ACTIVITY_NOUNS
            or any(o.head == subject.index and o.text.lower() in ("favorite", "favourite") for o in tokens)
            for subject in subjects
        )
        if is_activity:
            for other in tokens:
                if other.head == token.index and other.dep == "aux" and other.lemma == "be":
                    fixed[other.index] = replace(other, dep="cop")
    return fixed


def _split_compounds(tokens: list[Token]) -> list[Token]:
    """Return two nouns side by side, both read as objects of one verb, as a compound: "a peanut allergy"."""
    fixed = list(tokens)
    for left, right in itertools.pairwise(tokens):
        both_objects = left.dep == right.dep == "obj" and left.head == right.head
        if both_objects and left.pos == "NOUN" and right.pos == "NOUN":
            fixed[left.index] = replace(left, dep="compound", head=right.index)
            for other in tokens:
                if other.head == left.index and other.dep == "det":
                    fixed[other.index] = replace(other, head=right.index)
    return fixed

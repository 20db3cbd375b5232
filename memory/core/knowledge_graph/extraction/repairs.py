"""Repairs of parses that are wrong in ways that the words themselves show."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from memory.core.knowledge_graph.extraction.merges import merged
from memory.core.knowledge_graph.extraction.rules import Repair
from memory.core.knowledge_graph.vocabulary import LANGUAGES
from memory.core.types import ParsedSentence, Token

# What is said in a round is read again as what came before the next ones.
_KEPT = 256
_ACTIVITY_NOUNS = frozenset(
    "hobby hobbies passion pastime sport sports activity activities job favorite favourite interest "
    "interests exercise".split()
)


@lru_cache(maxsize=_KEPT)
def repaired(sentence: ParsedSentence, repairs: tuple[Repair, ...]) -> ParsedSentence:
    """Return the parse with the repairs; hyphenated words become one token."""
    tokens = list(merged(sentence).tokens)
    for repair in repairs:
        # What two repairs make of a broken parse may be no tree any more; the parse before is better than none.
        fixed = repair(tokens)
        tokens = fixed if fixed == tokens or is_tree(fixed) else tokens
    return ParsedSentence(text=sentence.text, tokens=tuple(tokens))


def is_tree(tokens: Sequence[Token]) -> bool:
    """Return whether every token leads up to a root."""
    rooted: set[int] = set()
    for token in tokens:
        path, node = set(), token.index
        while node not in rooted and tokens[node].head != node:
            if node in path:
                return False
            path.add(node)
            node = tokens[node].head
        rooted |= path | {node}
    return True


def clipped_copula(tokens: list[Token]) -> list[Token]:
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


def having(tokens: list[Token]) -> list[Token]:
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


def owners(tokens: list[Token]) -> list[Token]:
    """Hang a possessive that the parse gave to an adjective on the noun: "my favourite colour"."""
    return [
        replace(token, head=tokens[token.head].head)
        if token.dep == "nmod:poss" and tokens[token.head].dep == "amod"
        else token
        for token in tokens
    ]


def proper_nouns(tokens: list[Token]) -> list[Token]:
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


def languages(tokens: list[Token]) -> list[Token]:
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


def gerund_predicates(tokens: list[Token]) -> list[Token]:
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


def split_compounds(tokens: list[Token]) -> list[Token]:
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


def attributes(tokens: list[Token]) -> list[Token]:
    """Return an adjective right before a noun, both read as items of one list, as that noun's: "and long walks"."""
    fixed = list(tokens)
    for left, right in itertools.pairwise(tokens):
        both_items = left.dep == right.dep == "conj" and left.head == right.head
        if both_items and left.pos == "ADJ" and right.pos in ("NOUN", "PROPN"):
            fixed[left.index] = replace(left, dep="amod", head=right.index)
            for other in tokens:
                if other.head == left.index and other.dep in ("cc", "punct"):
                    fixed[other.index] = replace(other, head=right.index)
    return fixed


# Adverbs that a preposition may govern and that are no names of things.
_PLACES_AND_TIMES = frozenset(
    "here there now then home abroad today tomorrow yesterday once ever far long always away inside outside".split()
)


def obliques(tokens: list[Token]) -> list[Token]:
    """Read a noun after a preposition as a noun: "to Oslo" as no clause, "with asthma" as no adverb."""
    fixed = list(tokens)
    for token in tokens:
        has_case = any(other.head == token.index and other.dep == "case" for other in tokens)
        before = tokens[token.index - 1] if token.index else token
        above = tokens[token.head]
        is_marked = before.text == "to" and before.dep == "mark" and before.head == token.index and token.tag == "NNP"
        if is_marked and above.pos == "VERB":
            # "We relocated to Antwerp": a name after "to" is no infinitive.
            fixed[before.index] = replace(before, pos="ADP", tag="IN", dep="case")
            fixed[token.index] = replace(token, pos="PROPN", dep="obl", lemma=token.text.lower())
        if not has_case:
            continue
        if token.dep == "obl" and above.pos == "ADV" and tokens[above.head].pos == "VERB":
            fixed[token.index] = replace(token, head=above.head)
        elif token.dep == "xcomp" and token.pos == "PROPN":
            fixed[token.index] = replace(token, dep="obl")
        elif token.dep == "obl" and token.pos in ("ADV", "INTJ") and token.text.lower() not in _PLACES_AND_TIMES:
            is_name = token.text[:1].isupper()
            fixed[token.index] = replace(
                token, pos="PROPN" if is_name else "NOUN", tag="NNP" if is_name else "NN", lemma=token.text.lower()
            )
    return fixed


def clitic_subjects(tokens: list[Token]) -> list[Token]:
    """Read "it" in ", it's Alex" as the subject, where the parse took it for an owner."""
    fixed = list(tokens)
    for left, right in itertools.pairwise(tokens):
        is_it = left.text.lower() == "it" and left.dep == "nmod:poss" and left.head == right.head
        if is_it and right.lemma == "be":
            fixed[left.index] = replace(left, dep="nsubj")
            fixed[right.index] = replace(right, dep="cop", pos="AUX")
    return fixed

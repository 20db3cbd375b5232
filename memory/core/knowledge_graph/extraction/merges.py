"""Tokens as the words show them to be: "ex-wife", "555-1234" and "guinea pig" are one, a capital makes a name."""

from __future__ import annotations

import re
from dataclasses import replace

from memory.core.english.inflection import base_form, is_known_verb
from memory.core.knowledge_graph.vocabulary import NATIONALITIES
from memory.core.types import ParsedSentence, Token

_OPENING = (":", ".", "!", "?", '"', "“", "(")
_JOINED = re.compile(
    r"\b(?:ex|step|half|co|great|grand)-(?:wife|husband|girlfriend|boyfriend|partner|sister|brother|mother|father|son|"
    r"daughter|worker|founder|grandmother|grandfather)\b"
    r"|\b(?:mother|father|sister|brother|son|daughter)-in-law\b"
    r"|\b[A-Z]\w+(?:-(?:upon|on|la|le|de|sur|in))*(?:-[A-Z]\w+)+\b"
    r"|(?<![\w.-])\+?\d+(?:-\d+)+(?![\w-])"
    r"|\b[Gg]uinea[ -]pigs?\b"
)


def mended(sentence: ParsedSentence) -> ParsedSentence:
    """Return a parse with several tokens of one word as one, and with names as such."""
    tokens = list(sentence.tokens)
    for match in reversed(list(_JOINED.finditer(sentence.text))):
        group = [token.index for token in tokens if match.start() <= token.start and token.end <= match.end()]
        if len(group) > 1:
            tokens = _joined(tokens, group, match.group())
    made = tuple(_doing(_doing_something(_parted(_named(_denied(tokens))))))
    return ParsedSentence(text=sentence.text, tokens=made) if all(_ends(made, token) for token in made) else sentence


def _ends(tokens: tuple[Token, ...], token: Token) -> bool:
    """Return whether the way up from a token ends at a root, and not in a circle that mending made."""
    for _ in tokens:
        if token.head == token.index:
            return True
        token = tokens[token.head]
    return False


def _denied(tokens: list[Token]) -> list[Token]:
    """Return the verb that "n't" was cut off of as one: "Ca n't stand it" has no subject called Ca."""
    following = [*tokens[1:], None]
    return [
        replace(token, pos="AUX", dep="aux")
        if after is not None and after.text.lower() in ("n't", "n’t") and token.pos not in ("AUX", "VERB")
        else token
        for token, after in zip(tokens, following, strict=True)
    ]


def _named(tokens: list[Token]) -> list[Token]:
    """Return the tokens with what has a capital inside a sentence, or opens one as its bare subject, as names."""
    if not any(token.text.islower() for token in tokens):
        return tokens
    above = {token.head for token in tokens if token.head != token.index and token.dep != "punct"}
    return [
        replace(token, pos="PROPN", tag="NNP", lemma=token.text.lower())
        if token.text[:1].isupper()
        and token.text.lower() not in NATIONALITIES
        and (
            token.pos in ("NOUN", "ADJ", "X", "INTJ", "ADV") and tokens[token.index - 1].text not in _OPENING
            if token.index
            else _is_bare_name(tokens) and token.index not in above
        )
        else token
        for token in tokens
    ]


def _is_bare_name(tokens: list[Token]) -> bool:
    """Return whether a sentence opens with a subject that may be a name: "Lars is here", but not "Books are heavy"."""
    first, second = tokens[0], next(iter(tokens[1:]), None)
    is_plural = first.tag == "NNS" and (second is None or second.tag != "VBZ")
    return first.pos == "NOUN" and first.dep.startswith("nsubj") and not is_plural


def _parted(tokens: list[Token]) -> list[Token]:
    """Return "I live in Bogotá and Catalina lives in Cali" as two clauses, where the parse joined the name to the place."""
    fixed = list(tokens)
    for link, name, verb, case in zip(tokens, tokens[1:], tokens[2:], tokens[3:], strict=False):
        is_name = link.dep == "cc" and name.pos == "PROPN" and name.dep == "conj"
        is_verb = verb.pos == "NOUN" and verb.text.islower() and verb.text.endswith("s") and verb.head < name.index
        if not is_name or not is_verb or case.pos != "ADP":
            continue
        place = fixed[name.head]
        if place.head == verb.index:
            fixed[place.index] = replace(place, dep=verb.dep, head=verb.head)
        fixed[link.index] = replace(link, head=verb.index)
        fixed[name.index] = replace(name, dep="nsubj", head=verb.index)
        fixed[verb.index] = replace(verb, pos="VERB", tag="VBZ", lemma=base_form(verb.text), dep="conj")
        _take_what_follows(fixed, verb.index)
    return fixed


def _take_what_follows(tokens: list[Token], verb: int) -> None:
    """Hang on the verb of a second clause what stands after it and hangs on the first, unless the verb is below it."""
    for token in tokens[verb + 1 :]:
        is_of_first = token.head < verb - 1 and token.dep in ("obl", "obj", "advmod")
        if is_of_first and not _is_below(tokens, verb, [token.index]):
            tokens[token.index] = replace(token, head=verb)


def _doing(tokens: list[Token]) -> list[Token]:
    """Return "Greta lives in Utrecht" and "My mum sings" with the verbs that the parse took for nouns."""
    fixed = list(tokens)
    for noun in tokens:
        if (
            noun.pos != "NOUN"
            or not noun.text.islower()
            or noun.dep not in ("root", "parataxis", "conj")
            or not noun.index
        ):
            continue
        below = [token for token in fixed if token.head == noun.index and token.index != noun.index]
        before, relations = fixed[noun.index - 1], {token.dep for token in below}
        is_said = bool({"nsubj", "nsubj:pass"} & relations) and "cop" not in relations
        is_name = before in below and before.dep == "compound" and before.text[:1].isupper()
        is_name = is_name and not is_known_verb(before.text)
        is_name = is_name and (noun.text.endswith("s") or before.text.endswith("s")) and noun.index + 1 < len(tokens)
        if not is_said and not (is_name and tokens[noun.index + 1].pos in ("ADP", "DET", "PRON", "NOUN", "ADV")):
            continue
        if not is_said:
            for token in below:
                if token.index < before.index and token.dep in ("det", "amod", "compound"):
                    fixed[token.index] = replace(token, head=before.index)
            fixed[before.index] = replace(before, dep="nsubj", pos="PROPN", tag="NNP")
            _take_what_follows(fixed, noun.index)
        lemma = base_form(noun.text) if noun.text.endswith("s") else noun.text
        fixed[noun.index] = replace(noun, pos="VERB", tag="VBZ", lemma=lemma)
    return fixed


def _doing_something(tokens: list[Token]) -> list[Token]:
    """Return "Filip studies physics" with the verb that the parse took for a part of its object."""
    fixed = list(tokens)
    for name, verb, thing in zip(tokens, tokens[1:], tokens[2:], strict=False):
        is_one_noun = (
            name.dep == verb.dep == "compound" and verb.head == thing.index and name.head in (verb.index, thing.index)
        )
        is_verb = verb.text.islower() and verb.text.endswith("s") and verb.pos == "NOUN" and name.text[:1].isupper()
        if not is_one_noun or not is_verb or thing.dep not in ("root", "conj", "parataxis"):
            continue
        for token in tokens:
            if token.head == thing.index and token.index > thing.index:
                fixed[token.index] = replace(token, head=verb.index)
        fixed[name.index] = replace(name, dep="nsubj", head=verb.index, pos="PROPN", tag="NNP")
        head = verb.index if thing.head == thing.index else thing.head
        lemma = base_form(verb.text)
        fixed[verb.index] = replace(verb, pos="VERB", tag="VBZ", dep=thing.dep, head=head, lemma=lemma)
        fixed[thing.index] = replace(thing, dep="obj", head=verb.index)
    return fixed


def _joined(tokens: list[Token], group: list[int], text: str) -> list[Token]:
    first, last = group[0], group[-1]
    top = next((tokens[i] for i in reversed(group) if not _is_below(tokens, i, group)), tokens[last])

    def moved(index: int) -> int:
        return first if index in group else index if index < first else index - len(group) + 1

    is_number = text.lstrip("+")[0].isdigit()
    pos, tag = ("NUM", "CD") if is_number else ("PROPN", "NNP") if text[0].isupper() else ("NOUN", "NN")
    lemma = text.lower()
    whole = replace(
        tokens[first], text=text, lemma=lemma, pos=pos, tag=tag, dep=top.dep, head=top.head, end=tokens[last].end
    )
    kept = [*tokens[:first], whole, *tokens[last + 1 :]]
    return [replace(token, index=index, head=moved(token.head)) for index, token in enumerate(kept)]


def _is_below(tokens: list[Token], index: int, group: list[int]) -> bool:
    """Return whether another token of the group stands above a token; joining at one that has none keeps the tree."""
    while tokens[index].head != index:
        index = tokens[index].head
        if index in group:
            return True
    return False

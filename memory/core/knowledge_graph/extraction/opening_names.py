"""Names at the beginning of a sentence, where every word has a capital and the tagger takes many a name for a noun.

A word that the dialogue writes with a capital inside of a sentence is a name where it opens one too; and so is a bare
singular that does what only somebody does: "Noor has a sister". Any other noun would have an article.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from memory.core.english.times import MONTHS, WEEKDAYS
from memory.core.knowledge_graph.ontology import relation_of
from memory.core.knowledge_graph.vocabulary import LANGUAGES, NATIONALITIES
from memory.core.types import ParsedSentence, Token, Utterance

_INSIDE = re.compile(r"(?<=[\w,;:] )[A-Z][\w'’-]*[a-zß-ÿ]")
_TITLES = frozenset({"mr", "mrs", "ms", "dr", "prof", "mr.", "mrs.", "ms.", "dr.", "prof.", "herr", "frau"})
_NO_NAMES = frozenset({*(name.lower() for name in (*MONTHS, *WEEKDAYS)), *LANGUAGES, *NATIONALITIES, "i"})
_DOING = frozenset("lives works speaks studies drives teaches owns married lived worked studied moved".split())
_OPENERS = frozenset({"PUNCT", "CCONJ", "INTJ", "SYM"})
_TAGGED = frozenset({"NOUN", "ADJ", "VERB", "ADV", "INTJ", "X"})


def names_in(said: Sequence[Utterance]) -> frozenset[str]:
    """Return the words that are written with a capital inside of a sentence."""
    found = {word for utterance in said for word in _INSIDE.findall(utterance.text)}
    return frozenset(word for word in found if word.lower() not in _NO_NAMES and not relation_of(word.lower()))


def with_names(sentence: ParsedSentence, names: Collection[str]) -> ParsedSentence:
    """Return the parse with the names that open it, or follow a title, tagged as such."""
    tokens = list(sentence.tokens)
    opening = next((token.index for token in tokens if token.pos not in _OPENERS), None)
    for token in sentence.tokens:
        if token.pos not in _TAGGED or not token.text[:1].isupper() or token.text.lower() in _NO_NAMES:
            continue
        is_titled = token.index > 0 and tokens[token.index - 1].text.lower() in _TITLES
        is_opening = token.index == opening and (token.text in names or _does(tokens, token))
        if is_titled or is_opening:
            named = replace(token, pos="PROPN", tag="NNP", lemma=token.text)
            after = sentence.tokens[token.index + 1 : token.index + 2]
            if is_opening and after and after[0].pos == "PROPN" and token.dep not in ("nsubj", "nsubj:pass"):
                # "Night Ferry was written by ...": the first word of a name, not a time of it.
                named = replace(named, dep="compound", head=after[0].index)
            tokens[token.index] = named
    return replace(sentence, tokens=tuple(tokens))


def _does(tokens: Sequence[Token], token: Token) -> bool:
    """Return whether a bare singular at the beginning does what only somebody does."""
    after = [other.text.lower() for other in tokens[token.index + 1 : token.index + 6]]
    if token.pos != "NOUN" or not after:
        return False
    has_relative = after[0] == "has" and any(relation_of(word) for word in after[1:])
    return has_relative or after[0] in _DOING

"""Several tokens that mean one thing: "ex-wife", "Jean-Luc", "555-1234", "guinea pig"."""

from __future__ import annotations

import re
from dataclasses import replace

from memory.core.types import ParsedSentence, Token

_JOINED = re.compile(
    r"\b(?:ex|step|half|co|great|grand)-(?:wife|husband|girlfriend|boyfriend|partner|sister|brother|mother|father|son|"
    r"daughter|worker|founder|grandmother|grandfather)\b"
    r"|\b(?:mother|father|sister|brother|son|daughter)-in-law\b"
    r"|\b[A-Z]\w+(?:-(?:upon|on|la|le|de|sur|in))*(?:-[A-Z]\w+)+\b"
    r"|(?<![\w.-])\+?\d+(?:-\d+)+(?![\w-])"
    r"|\b[Gg]uinea[ -]pigs?\b"
)


def merged(sentence: ParsedSentence) -> ParsedSentence:
    """Return the sentence with each such word as one token; a sentence without any as it is."""
    tokens = list(sentence.tokens)
    for match in reversed(list(_JOINED.finditer(sentence.text))):
        group = [token.index for token in tokens if match.start() <= token.start and token.end <= match.end()]
        is_whole = group and tokens[group[0]].start == match.start() and tokens[group[-1]].end == match.end()
        if len(group) > 1 and is_whole:
            tokens = _joined(tokens, group, match.group())
    return ParsedSentence(text=sentence.text, tokens=tuple(tokens))


def _joined(tokens: list[Token], group: list[int], text: str) -> list[Token]:
    first, last = group[0], group[-1]
    top = next((tokens[i] for i in reversed(group) if not _is_below(tokens, i, group)), tokens[last])

    def moved(index: int) -> int:
        return first if index in group else index if index < first else index - len(group) + 1

    is_number = text.lstrip("+")[0].isdigit()
    pos, tag = ("NUM", "CD") if is_number else ("PROPN", "NNP") if text[0].isupper() else ("NOUN", "NN")
    lemma = text.lower()
    if re.fullmatch(r"guinea[ -]pigs?", lemma):
        pos, tag, lemma = "NOUN", "NNS" if lemma.endswith("s") else "NN", "guinea pig"
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

"""A mended parse stays a tree, whatever the parse was."""

from __future__ import annotations

import random
from collections.abc import Iterator

from memory.core.knowledge_graph.extraction.merges import mended
from memory.core.types import ParsedSentence, Token

WORDS = "We live in Riga and Ingvild sells boats in Porto and Ana studies law"
RELATIONS = "compound conj cc obj obl nsubj amod det parataxis advmod".split()
PARTS = "NOUN PROPN VERB ADP".split()


def parses(count: int) -> Iterator[ParsedSentence]:
    """Yield parses of one sentence with heads, relations and parts of speech by lot."""
    draw = random.Random(41)
    words = WORDS.split()
    for _ in range(count):
        order = draw.sample(range(len(words)), len(words))
        above = {order[0]: order[0], **{node: draw.choice(order[:at]) for at, node in enumerate(order[1:], start=1)}}
        tokens, start = [], 0
        for index, word in enumerate(words):
            is_root = above[index] == index
            dep, pos = "root" if is_root else draw.choice(RELATIONS), draw.choice(PARTS)
            end = start + len(word)
            tokens.append(Token(index, word, word.lower(), pos, pos, dep, above[index], start, end))
            start = end + 1
        yield ParsedSentence(text=WORDS, tokens=tuple(tokens))


def ways_up(parse: ParsedSentence) -> Iterator[int]:
    """Yield how many steps each token is from its root, at most as many as there are tokens."""
    for token in parse.tokens:
        steps = 0
        while token.head != token.index and steps < len(parse.tokens):
            token, steps = parse.tokens[token.head], steps + 1
        yield steps


def test_every_way_up_a_mended_parse_ends() -> None:
    mends = [(parse, mended(parse)) for parse in parses(4000)]
    assert sum(parse != made for parse, made in mends) > 1000
    assert all(max(ways_up(made)) < len(made.tokens) for _, made in mends)

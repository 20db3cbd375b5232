"""Titles by a dependency parse and the sentence encoder: the phrase of an opening that is nearest to the whole of it.

Candidates are noun phrases, with what is attached to them, and what is done to them. No word is preferred by a list.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from memory.core.english.inflection import gerund
from memory.core.english.trees import Tree
from memory.core.ports import Embedder, SentenceSegmenter, SyntacticParser
from memory.core.titles.ports import fitted

NOMINAL = ("NOUN", "PROPN")
LEFT = ("compound", "amod", "nummod", "nmod:poss", "flat")
ATTACHED = ("nmod", "obl")


@dataclass(frozen=True)
class PhraseConfig:
    """`sentences` of an opening are read. A phrase has at most `longest` words, and at least `nearest` as its cosine to the
    whole opening. Each word up to the `wanted`-th adds `word_worth`, each sentence before it takes `sentence_cost`.
    """

    sentences: int = 6
    longest: int = 7
    nearest: float = 0.3
    wanted: int = 3
    word_worth: float = 0.08
    sentence_cost: float = 0.04


@dataclass(frozen=True)
class Candidate:
    words: tuple[str, ...]
    sentence: int

    @property
    def text(self) -> str:
        return " ".join(self.words)


class PhraseTitleWriter:
    """A `TitleWriter` without a language model."""

    def __init__(
        self,
        *,
        parser: SyntacticParser,
        embedder: Embedder,
        segmenter: SentenceSegmenter,
        config: PhraseConfig = PhraseConfig(),
    ) -> None:
        self._parser, self._embedder, self._segmenter, self._config = parser, embedder, segmenter, config

    def title_many(self, openings: Sequence[Sequence[str]]) -> list[str]:
        return [self._title(opening) for opening in openings]

    def _title(self, messages: Sequence[str]) -> str:
        spans = self._segmenter.segment_many(messages)
        sentences = [one.text for found in spans for one in found][: self._config.sentences]
        trees = [Tree(parsed) for parsed in self._parser.parse_many(sentences)]
        found = [
            Candidate(words, place)
            for place, tree in enumerate(trees)
            for words in phrases(tree)
            if len(words) <= self._config.longest and fitted(" ".join(words))
        ]
        if not found:
            return ""
        vectors = self._embedder.embed([" ".join(sentences), *(one.text for one in found)])
        near = vectors[1:] @ vectors[0]
        worth = [
            nearness
            + self._config.word_worth * min(len(one.words), self._config.wanted)
            - self._config.sentence_cost * one.sentence
            for one, nearness in zip(found, near, strict=True)
        ]
        best = int(np.argmax(worth))
        return fitted(found[best].text) if near[best] >= self._config.nearest else ""


def phrases(tree: Tree) -> Iterator[tuple[str, ...]]:
    """Yield what could stand as a title: noun phrases, alone and with what is attached, and what is done to them."""
    for node in range(len(tree)):
        if tree.pos(node) in NOMINAL and not tree.is_dep(node, "compound", "flat"):
            yield words_of(tree, noun_phrase(tree, node))
            for attached in attached_to(tree, node):
                yield words_of(tree, [*noun_phrase(tree, node), *attached])
        elif tree.pos(node) == "VERB":
            yield from doings(tree, node)


def noun_phrase(tree: Tree, node: int, *, with_article: bool = False) -> list[int]:
    """Return a noun with what stands before it, without pronouns and, unless asked for, articles."""
    kept = [node]
    for child in tree.children(node, *LEFT, *(("det",) if with_article else ())):
        below = tree.subtree(child)
        if child < node or tree.is_dep(child, "flat"):
            kept += below if not any(tree.pos(one) == "PRON" for one in below) or with_article else []
    return sorted(kept)


def attached_to(tree: Tree, node: int) -> Iterator[list[int]]:
    """Yield each phrase with a preposition that follows a word and depends on it: "on Friday"."""
    for child in tree.children(node, *ATTACHED):
        case = tree.child(child, "case")
        if child > node and case is not None and tree.pos(child) in NOMINAL and tree.pos(case) == "ADP":
            yield [case, *noun_phrase(tree, child, with_article=True)]


def doings(tree: Tree, node: int) -> Iterator[tuple[str, ...]]:
    """Yield what a verb does, to what, and where or with what, by whom where that is told: "in-laws coming for dinner"."""
    if tree.tag(node) == "VBN":
        return
    doer, thing = (tree.child(node, relation) for relation in ("nsubj", "obj"))
    by = words_of(tree, noun_phrase(tree, doer)) if doer is not None and tree.pos(doer) in NOMINAL else ()
    doing = (*by, gerund(tree.lemma(node)), *(tree.tokens[one].text for one in tree.children(node, "compound:prt")))
    done_to: list[int] = []
    if thing is not None:
        if tree.pos(thing) not in NOMINAL or thing < node:
            return
        done_to = noun_phrase(tree, thing, with_article=True)
        yield (*doing, *words_of(tree, done_to))
    attached = list(attached_to(tree, node))
    for several in (*attached, *([*first, *second] for first, second in pairwise(attached))):
        yield (*doing, *words_of(tree, [*done_to, *several]))


def words_of(tree: Tree, nodes: Sequence[int]) -> tuple[str, ...]:
    """Return the words of nodes, with the hyphens between them; none where another mark stands among them."""
    kept = {*nodes}
    kept |= {one for one in range(min(kept), max(kept)) if tree.low(one) == "-" and {one - 1, one + 1} <= kept}
    if any(tree.pos(one) == "PUNCT" and tree.low(one) != "-" for one in kept):
        return ()
    return tuple(tree.words_of(sorted(kept)).split())

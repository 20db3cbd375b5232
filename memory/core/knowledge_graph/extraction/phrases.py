"""What a thing is called: the tokens of its noun phrase, and the name that comes with it."""

from __future__ import annotations

import re

from memory.core.english.trees import Tree
from memory.core.knowledge_graph.extraction.people import Mention, name_case
from memory.core.knowledge_graph.ontology import relation_of
from memory.core.knowledge_graph.vocabulary import EMPTY
from memory.core.naming import key_of
from memory.core.types import Node

_NAME_PARTS = ("compound", "flat", "nummod", "amod", "goeswith", "nmod:desc")
_LENGTHS = frozenset(
    "second minute hour day week weekend month year decade while age morning afternoon evening night".split()
)


class PhraseReader:
    """Reads the noun phrases of one sentence as things; `taken` are tokens of dates, which name nothing."""

    def __init__(self, tree: Tree, taken: frozenset[int]) -> None:
        self._tree = tree
        self._taken = taken

    def thing(self, head: int) -> Mention | None:
        tree = self._tree
        name = self.called(head)
        if name is not None and tree.pos(name) == "PROPN":
            return self.thing(name)
        tokens = self.phrase_tokens(head)
        label = tree.words_of(tokens).strip(" \"'“”‘’.,;:!?()[]*_~-")
        if (
            not re.fullmatch(r"[\w'’&.+/#%$€£@ -]*\w[\w'’&.+/#%$€£@ -]*!?", re.sub(r"(?<=\d),(?=\d)", "", label))
            or len(label) > 80
            or key_of(label) in EMPTY
            or tree.lemma(head) in _LENGTHS
        ):
            return None
        is_proper = tree.pos(head) == "PROPN" or (tree.pos(head) in ("X", "NUM") and label[:1].isupper())
        # Who uses capitals elsewhere and not here may mean no name; the predicate's range decides (see `clauses.write`).
        if is_proper and tree.text == tree.text.lower():
            label = name_case(label)
        noun = "" if is_proper else tree.lemma(head)
        node = Node(label, lemma=tree.lemma(head), pos=tree.pos(head))
        return Mention(node, tuple(tokens), noun, is_proper=is_proper)

    def phrase_tokens(self, head: int) -> list[int]:
        """Return the tokens that name a thing: the head, what it is compounded with, adjectives, and "of" phrases."""
        tree = self._tree
        tokens = [head]
        for child in tree.children(head):
            # "No longer Adele" names Adele.
            is_free = child not in self._taken and tree.low(child) not in EMPTY | {"longer", "more"}
            if tree.dep(child) in _NAME_PARTS and is_free and not self._is_relation_noun(child):
                tokens += [child, *tree.children(child, *_NAME_PARTS)]
            elif tree.is_dep(child, "nmod") and "of" in tree.words(child, "case") and is_free:
                tokens += [*tree.children(child, "case"), *self.phrase_tokens(child), *tree.children(child, "det")]
            elif tree.is_dep(child, "case") and tree.low(child) in ("'s", "'"):
                continue
            elif tree.is_dep(child, "det") and tree.pos(head) == "PROPN" and tree.tokens[child].text == "The":
                tokens += [child] if child > 0 else []
            elif tree.is_dep(child, "punct") and tree.low(child) == "-":
                tokens.append(child)
            elif tree.is_dep(child, "nmod:poss") and tree.pos(head) == "PROPN" and tree.pos(child) == "PROPN":
                tokens += tree.subtree(child)
        if tree.pos(head) == "PROPN":
            tokens = self._with_titled_neighbours(tokens)
        return sorted(set(tokens))

    def _with_titled_neighbours(self, tokens: list[int]) -> list[int]:
        """Return a name with the capitalised words beside it and in its gaps: "Ingrid Solheim", "Museum of Modern Art"."""
        while min(tokens) and self._is_beside(min(tokens) - 1):
            tokens = [*tokens, min(tokens) - 1]
        while max(tokens) + 1 < len(self._tree) and self._is_beside(max(tokens) + 1):
            tokens = [*tokens, max(tokens) + 1]
        low, high = min(tokens), max(tokens)
        gap = [node for node in range(low, high + 1) if node not in tokens]
        if all(self._tree.pos(node) in ("ADP", "DET", "PROPN") for node in gap):
            return [*tokens, *gap]
        return [node for node in tokens if self._is_joined(node, tokens)]

    def _is_beside(self, node: int) -> bool:
        tree = self._tree
        is_name = tree.pos(node) == "PROPN" or node == 0 and tree.pos(node) == "NOUN" and node not in self._taken
        return is_name and tree.tokens[node].text[:1].isupper() and not tree.is_dep(node, "nsubj")

    def _is_joined(self, node: int, tokens: list[int]) -> bool:
        """Return whether no gap lies between a token and the head of its phrase, which comes first in the list."""
        first, last = sorted((node, tokens[0]))
        return all(between in tokens for between in range(first, last))

    def _is_relation_noun(self, node: int) -> bool:
        return bool(relation_of(self._tree.lemma(node))) and bool(self._tree.children(node, "nmod:poss"))

    def called(self, noun: int) -> int | None:
        """Return the head of the name in "a dog called Biscuit", "a sister named Ana"."""
        for clause in self._tree.children(noun, "acl"):
            if self._tree.low(clause) in ("called", "named"):
                return self._tree.child(clause, "obj", "xcomp", "obl", "nsubj")
        return None

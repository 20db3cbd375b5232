"""A dependency tree with the questions that rules ask of it."""

from __future__ import annotations

from collections.abc import Iterator

from memory.core.types import ParsedSentence, Span


class Tree:
    """Reads a `ParsedSentence`. Nodes are token indices; relations match with or without their subtype."""

    def __init__(self, sentence: ParsedSentence) -> None:
        self.text = sentence.text
        self.tokens = sentence.tokens
        self._broad = [token.dep.partition(":")[0] for token in sentence.tokens]
        self._children: list[list[int]] = [[] for _ in sentence.tokens]
        for token in sentence.tokens:
            if token.head != token.index:
                self._children[token.head].append(token.index)

    def __len__(self) -> int:
        return len(self.tokens)

    def low(self, node: int) -> str:
        return self.tokens[node].text.lower().replace("’", "'")

    def lemma(self, node: int) -> str:
        return self.tokens[node].lemma

    def pos(self, node: int) -> str:
        return self.tokens[node].pos

    def tag(self, node: int) -> str:
        return self.tokens[node].tag

    def dep(self, node: int) -> str:
        return self.tokens[node].dep

    def head(self, node: int) -> int:
        return self.tokens[node].head

    def is_root(self, node: int) -> bool:
        return self.tokens[node].head == node

    def is_dep(self, node: int, *relations: str) -> bool:
        return self._broad[node] in relations or self.tokens[node].dep in relations

    def children(self, node: int, *relations: str) -> list[int]:
        """Return the dependents of a node, all or those of some relations, in the order of the sentence."""
        return [child for child in self._children[node] if not relations or self.is_dep(child, *relations)]

    def child(self, node: int, *relations: str) -> int | None:
        return next(iter(self.children(node, *relations)), None)

    def words(self, node: int, *relations: str) -> set[str]:
        return {self.low(child) for child in self.children(node, *relations)}

    def subtree(self, node: int) -> list[int]:
        """Return a node and all below it, in the order of the sentence."""
        found, waiting = [], [node]
        while waiting:
            current = waiting.pop()
            found.append(current)
            waiting += self._children[current]
        return sorted(found)

    def ancestors(self, node: int) -> Iterator[int]:
        while not self.is_root(node):
            node = self.head(node)
            yield node

    def span(self, nodes: list[int]) -> Span:
        return Span(min(self.tokens[node].start for node in nodes), max(self.tokens[node].end for node in nodes))

    def words_of(self, nodes: list[int]) -> str:
        """Return the source text between the first and the last of the nodes where they are contiguous, else joined words."""
        ordered = sorted(nodes)
        if ordered and ordered[-1] - ordered[0] == len(ordered) - 1:
            return " ".join(self.text[self.tokens[ordered[0]].start : self.tokens[ordered[-1]].end].split())
        return " ".join(self.tokens[node].text for node in ordered)

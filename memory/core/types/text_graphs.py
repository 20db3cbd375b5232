"""A graph in words, as a model reads it beside a prompt."""

from dataclasses import dataclass


@dataclass(frozen=True)
class TextEdge:
    """An edge from one node to another, by their places, with its relation in words."""

    start: int
    end: int
    relation: str


@dataclass(frozen=True)
class TextGraph:
    """Nodes in words, and the edges between them. It may have cycles, self-loops and nodes without an edge, or be empty."""

    nodes: tuple[str, ...] = ()
    edges: tuple[TextEdge, ...] = ()

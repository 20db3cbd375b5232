"""The ports of the core on PostgreSQL and pgvector."""

from memory.stores.reading import SpaceMemory, current_graph, ontology_of
from memory.stores.rows import entity_of, source_of, triple_of, triples_of
from memory.stores.walking import SpaceGraph

__all__ = [
    "SpaceGraph",
    "SpaceMemory",
    "current_graph",
    "entity_of",
    "ontology_of",
    "source_of",
    "triple_of",
    "triples_of",
]

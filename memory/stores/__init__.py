"""The ports of the core on PostgreSQL and pgvector."""

from memory.stores.reading import SpaceMemory, current_graph, ontology_of, taken_back
from memory.stores.rows import entity_of, source_of, triple_of, triples_of

__all__ = [
    "SpaceMemory",
    "current_graph",
    "entity_of",
    "ontology_of",
    "source_of",
    "taken_back",
    "triple_of",
    "triples_of",
]

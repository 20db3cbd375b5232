"""The ports of the core on PostgreSQL and pgvector."""

from memory.stores.dialogue_index import SpaceDialogueIndex
from memory.stores.knowledge import SpaceKnowledge
from memory.stores.reading import SpaceMemory, current_graph, ontology_of
from memory.stores.rows import SpaceEmbedder, entity_of, source_of, triple_of, triples_of
from memory.stores.walking import SpaceGraph

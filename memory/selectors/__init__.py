"""Reads of memory for pages and the API. Whatever takes a user returns only what the user's spaces hold."""

from memory.selectors.as_of import (
    GraphDifference,
    believed_as_of,
    changed_between,
    graph_as_of,
    graph_difference,
)
from memory.selectors.counts import (
    PredicateUse,
    SpaceCounts,
    predicate_in,
    predicate_use,
    predicates_in,
    space_counts,
)
from memory.selectors.owned import (
    conflicts_of,
    edits_of,
    entities_called,
    entities_of,
    entity_of,
    rounds_of,
    sentence_of,
    sessions_of,
    space_of,
    spaces_of,
    triple_of,
    triples_of,
    turns_of,
)
from memory.selectors.panel import (
    conflicts_recent,
    failed_rounds,
    held_recent,
    triples_panel,
)
from memory.selectors.rows import (
    HEAVY,
    TRIPLE_PARTS,
    with_both_sides,
    with_parts,
)

__all__ = [
    "HEAVY",
    "TRIPLE_PARTS",
    "GraphDifference",
    "PredicateUse",
    "SpaceCounts",
    "believed_as_of",
    "changed_between",
    "conflicts_of",
    "conflicts_recent",
    "edits_of",
    "entities_called",
    "entities_of",
    "entity_of",
    "failed_rounds",
    "graph_as_of",
    "graph_difference",
    "held_recent",
    "predicate_in",
    "predicate_use",
    "predicates_in",
    "rounds_of",
    "sentence_of",
    "sessions_of",
    "space_counts",
    "space_of",
    "spaces_of",
    "triple_of",
    "triples_of",
    "triples_panel",
    "turns_of",
    "with_both_sides",
    "with_parts",
]

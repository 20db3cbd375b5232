"""Reads of memory for pages and the API. Whatever takes a user returns only what the user's spaces hold."""

from memory.selectors.as_of import (
    GraphDifference,
    Moment,
    Stop,
    believed_as_of,
    changed_between,
    graph_as_of,
    graph_difference,
    moment_in,
    turn_in,
    was_believed_at,
)
from memory.selectors.counts import PredicateUse, SpaceCounts, predicate_in, predicate_use, predicates_in, space_counts
from memory.selectors.neighbourhoods import (
    GraphEdge,
    GraphGroup,
    GraphNode,
    Group,
    ShownGraph,
    entities_starting,
    neighbourhood,
    recent_facts,
    speaker_in,
)
from memory.selectors.owned import (
    HEAVY,
    TRIPLE_PARTS,
    conflict_of,
    conflicts_of,
    edits_of,
    entities_called,
    entity_record_of,
    entity_records_of,
    rounds_of,
    sentence_of,
    sessions_of,
    space_among,
    space_at_home,
    space_of,
    spaces_of,
    triple_record_of,
    triple_records_of,
    turns_of,
    with_both_sides,
    with_parts,
)
from memory.selectors.panel import (
    conflicts_recent,
    facts_about,
    facts_panel,
    failed_rounds,
    held_recent,
    replaced_recent,
)
from memory.selectors.sight import EdgeState, Sight

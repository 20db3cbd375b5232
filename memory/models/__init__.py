"""The rows of what is remembered. `Space` is the tenant boundary: every other row belongs to exactly one."""

from memory.models.dialogue import MaintenanceState, Round, SentenceRecord, Session, Turn
from memory.models.edits import EditRecord
from memory.models.graph import (
    AliasRecord,
    ConflictRecord,
    EntityRecord,
    GraphCheckRecord,
    HeldFragmentRecord,
    PredicateRecord,
    TripleRecord,
)
from memory.models.outbox import OutboxRecord
from memory.models.spaces import Membership, Space

__all__ = [
    "AliasRecord",
    "ConflictRecord",
    "EditRecord",
    "EntityRecord",
    "GraphCheckRecord",
    "HeldFragmentRecord",
    "MaintenanceState",
    "Membership",
    "OutboxRecord",
    "PredicateRecord",
    "Round",
    "SentenceRecord",
    "Session",
    "Space",
    "TripleRecord",
    "Turn",
]

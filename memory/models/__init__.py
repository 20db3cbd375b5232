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
from memory.models.sentence_graph import DigestRecord, RoundVector, SentenceEdge, SessionVector, TurnVector
from memory.models.spaces import Membership, Space

__all__ = [
    "AliasRecord",
    "ConflictRecord",
    "DigestRecord",
    "EditRecord",
    "EntityRecord",
    "GraphCheckRecord",
    "HeldFragmentRecord",
    "MaintenanceState",
    "Membership",
    "OutboxRecord",
    "PredicateRecord",
    "Round",
    "RoundVector",
    "SentenceEdge",
    "SentenceRecord",
    "Session",
    "SessionVector",
    "Space",
    "TripleRecord",
    "Turn",
    "TurnVector",
]

"""The rows of what is remembered. `Space` is the tenant boundary: every other row belongs to exactly one."""

from memory.models.acts import ActRecord
from memory.models.dialogue import IS_REPLY, TO_MAINTAIN, MaintenanceState, Round, SentenceRecord, Session, Turn
from memory.models.edits import EditRecord
from memory.models.engines import ADDED, EngineRecord, added_id
from memory.models.graph import (
    AliasRecord,
    ConflictRecord,
    EntityRecord,
    GraphCheckRecord,
    HeldFragmentRecord,
    PredicateRecord,
    TripleRecord,
)
from memory.models.imports import ImportJobRecord, ImportPieceRecord
from memory.models.knowledge import (
    KnowledgeBaseRecord,
    KnowledgeNameRecord,
    KnowledgePassageRecord,
    KnowledgeRelationRecord,
    KnowledgeTripleRecord,
    KnowledgeUploadRecord,
)
from memory.models.outbox import OutboxRecord
from memory.models.semantic_state import StateChangeRecord, StateElementRecord, StateRecord
from memory.models.sentence_graph import (
    UNREAD,
    WORD_LIMIT,
    DigestRecord,
    LexiconRecord,
    RoundVector,
    SentenceEdge,
    SessionPosting,
    SessionVector,
    TurnVector,
    WordPosting,
    WordRecord,
)
from memory.models.spaces import Membership, Space, SpaceInvitation, whose
from memory.models.tokens import TokenRecord
from memory.models.trace import MAINTENANCE, StepRecord, TraceRecord
from memory.models.usage import UsageRecord
from memory.models.words import words_of

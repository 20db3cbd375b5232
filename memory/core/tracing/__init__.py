"""The trace of a reply or of a round's maintenance: one typed sequence of steps, a file a kind.

A kind is a frozen dataclass that extends `TraceStep`; its view, which reads and draws it, stands in a room `trace_views`.
"""

from memory.core.tracing.model_call import CallOutcome, ModelCall
from memory.core.tracing.recording import Sink, emit, recording
from memory.core.tracing.roles import as_role
from memory.core.tracing.step import (
    Name,
    Names,
    SentenceIds,
    StoredForm,
    TraceStep,
    TripleIds,
    UnknownKind,
    Words,
    kind_named,
    restored,
    stored_form,
)

__all__ = [
    "CallOutcome",
    "ModelCall",
    "Name",
    "Names",
    "SentenceIds",
    "Sink",
    "StoredForm",
    "TraceStep",
    "TripleIds",
    "UnknownKind",
    "Words",
    "as_role",
    "emit",
    "kind_named",
    "recording",
    "restored",
    "stored_form",
]

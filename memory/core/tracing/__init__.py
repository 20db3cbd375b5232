"""The trace of a reply or of a round's maintenance: one typed sequence of steps, one file a kind.

A kind is a frozen dataclass that extends `TraceStep`; its view, which reads and draws it, is in a package `trace_views`.
"""

from memory.core.tracing.model_call import CallOutcome, ModelCall
from memory.core.tracing.recording import Sink, emit, recording, watch
from memory.core.tracing.roles import as_role
from memory.core.tracing.step import (
    Lines,
    Name,
    Names,
    Numbering,
    SentenceIds,
    StoredForm,
    Together,
    TraceStep,
    TripleIds,
    UnknownStep,
    Wordings,
    Words,
    names_in,
    restored,
    step_data,
    stored_form,
)

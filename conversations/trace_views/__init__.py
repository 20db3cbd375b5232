"""Views of the trace steps of replies, one file a kind."""

from memory.trace_views.base import load

load(__name__, __path__)

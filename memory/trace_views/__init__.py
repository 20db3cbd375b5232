"""How the steps of traces are shown: a file a kind, found by itself. Any app may have such a room for its own kinds."""

from memory.trace_views.base import load

load(__name__, __path__)

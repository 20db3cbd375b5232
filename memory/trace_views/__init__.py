"""Views of trace steps, one file a kind, found by themselves. Any app may have such a package for its own kinds."""

from memory.trace_views.base import load

load(__name__, __path__)

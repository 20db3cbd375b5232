"""How the steps of a reply are shown, beside the calls of language models that all traces have: a file a kind."""

from memory.trace_views.base import load

load(__name__, __path__)

"""The kinds of trace steps of replies, one file a kind; model calls are in `memory.core.tracing`."""

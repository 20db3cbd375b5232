"""Loaders of published data sets and recorded dialogues, one file a format: what `replay` and `evaluate` read."""

"""Annotation: what people are asked about replies and memories, how far they agree, and what becomes of what they say."""

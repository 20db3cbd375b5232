"""Responders that answer from what was said, as a retriever finds it again (SGMem, section 3.4)."""

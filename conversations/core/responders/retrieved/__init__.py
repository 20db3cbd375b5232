"""Responders that answer from retrieved dialogue (SGMem, section 3.4)."""

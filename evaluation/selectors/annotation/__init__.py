"""Reads of annotation: who may do what, projects, items as far as a person may see them, progress, agreement."""

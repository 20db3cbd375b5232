"""Scoring a turn against what was said before it (D-SMART, "NLI-based Consistency Metrics"): premises as strategies."""

"""Measurements of how good replies, retrieval and verdicts are, one file each: what `manage.py evaluate` runs."""

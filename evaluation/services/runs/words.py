"""What people call a run and say about it: that alone changes after it was made, beside its state."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.models import EvaluationRun


def run_describe(*, run: EvaluationRun, name: str, tags: Sequence[str], comment: str) -> None:
    """Change a run's name, tags and comment. Its figures, and what they depend on, stay as they are."""
    run.name, run.tags, run.comment = name, list(tags), comment
    run.save(update_fields=["name", "tags", "comment"])

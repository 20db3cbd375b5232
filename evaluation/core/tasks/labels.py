"""Whether a reply names the right class (MT-Eval, Kwan et al., 2024, classification)."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.core.folding import contains_words


def is_label(reply: str, label: str, *, labels: Sequence[str]) -> bool:
    """Return whether a reply names the label and no other of those to choose among, in whole words without regard to case."""
    return contains_words(reply, label) and not any(contains_words(reply, other) for other in labels if other != label)

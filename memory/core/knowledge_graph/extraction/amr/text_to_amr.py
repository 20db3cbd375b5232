"""The port of the AMR parser: whatever turns sentences into Abstract Meaning Representations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class TextToAmr(Protocol):
    """Parses sentences (D-SMART, Algorithm 1, line 3)."""

    def parse_many(self, sentences: Sequence[str]) -> list[str]:
        """Return one graph in Penman notation a sentence, empty where the sentence has none.

        Raises a `LanguageModelError` where the parser fails.
        """

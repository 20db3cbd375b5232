"""The role of whoever titles conversations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

LONGEST = 60


class TitleWriter(Protocol):
    def title_many(self, openings: Sequence[Sequence[str]]) -> list[str]:
        """Return a short phrase of what each opening is about, "" where it is about nothing that could be told.

        An opening is a person's first messages, oldest first.
        """


def fitted(phrase: str) -> str:
    """Return a phrase as a title, on one line, with a capital first, without quotes and a full stop; "" if it can be none."""
    words = " ".join(phrase.encode(errors="ignore").decode().replace("\x00", " ").split())
    words = words.strip("\"'“”‘’«»*#`").rstrip(".,;:!").strip()
    if len(words) > LONGEST or not any(char.isalpha() for char in words):
        return ""
    return words[:1].upper() + words[1:]

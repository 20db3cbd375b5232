"""Text files of words: sections whose lines list words, after a name and a colon where they are words for something.

[pets]
hasDog: dog, puppy
hasCat: cat
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

_SECTION = re.compile(r"^\[(\w+)\]\n((?:.+\n)+)", re.MULTILINE)


class WordFile:
    """Reads the sections of a file."""

    def __init__(self, path: Path) -> None:
        self._sections = {name: text.splitlines() for name, text in _SECTION.findall(path.read_text(encoding="utf-8"))}

    def words(self, section: str) -> frozenset[str]:
        """Return the words of a section whose lines have no names."""
        return frozenset(word for line in self._sections[section] for word in re.split(r",\s*", line.rstrip(",")))

    def lists(self, section: str) -> dict[str, list[str]]:
        """Return the words of each line by its name."""
        lines = (line.partition(":") for line in self._sections[section])
        return {name: words.strip().split(", ") if words else [] for name, _, words in lines}

    def names(self, section: str) -> Iterator[tuple[str, str]]:
        """Yield each word with the name of its line."""
        yield from ((word, name) for name, words in self.lists(section).items() for word in words)

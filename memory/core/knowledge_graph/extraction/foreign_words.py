"""The signs of foreign words, which stand in `foreign_words.txt`."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

SIGNS = Path(__file__).with_suffix(".txt")
_SECTION = re.compile(r"^\[(\w+)\](.*)\n((?:.+\n)+)", re.MULTILINE)
_NAMED = re.compile(r"\(\?&(\w+)\)")


@cache
def sign(name: str) -> re.Pattern[str]:
    """Return the pattern of a sign, such as "salutation"."""
    case, pattern = _sections()[name]
    return re.compile(pattern, 0 if case else re.IGNORECASE)


@cache
def _sections() -> dict[str, tuple[str, str]]:
    """Return of each section what it says of capitals, and its pattern with the sections that it names put in."""
    found: dict[str, tuple[str, str]] = {}
    for name, case, lines in _SECTION.findall(SIGNS.read_text(encoding="utf-8")):
        found[name] = case, _NAMED.sub(lambda named: found[named[1]][1], "".join(lines.splitlines()))
    return found

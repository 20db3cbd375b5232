"""Patterns of English that stand in text files beside this module, a section each.

The lines of a section are joined as they stand; a space at the edge of a line is written "\\ ". "(?&word)" stands for the
section [word], which comes before it. Capitals and small letters are one, but in what is "[section] as it is written".
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

_SECTION = re.compile(r"^\[(\w+)\](.*)\n((?:.+\n)+)", re.MULTILINE)
_NAMED = re.compile(r"\(\?&(\w+)\)")


@cache
def pattern(file: str, name: str) -> re.Pattern[str]:
    """Return the pattern of a section, such as "salutation" of "foreign_words"."""
    case, text = _sections(file)[name]
    return re.compile(text, 0 if case else re.IGNORECASE)


@cache
def _sections(file: str) -> dict[str, tuple[str, str]]:
    """Return of each section what it says of capitals, and its pattern with the sections that it names put in."""
    found: dict[str, tuple[str, str]] = {}
    for name, case, lines in _SECTION.findall(Path(__file__).with_name(f"{file}.txt").read_text(encoding="utf-8")):
        found[name] = case, _NAMED.sub(lambda named: found[named[1]][1], "".join(lines.splitlines()))
    return found

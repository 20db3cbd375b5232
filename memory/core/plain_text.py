"""Tells text that UTF-8 and the database can hold from other character sequences."""

from __future__ import annotations

import re

# A NUL character, or half of a pair of surrogates.
NOT_TEXT = re.compile("[\x00\ud800-\udfff]")
NOT_PLAIN = "This holds characters that are not text. Paste it as plain text and try again."


def has_words(text: str) -> bool:
    """Return whether a text has a visible character: not only blanks and marks of no width."""
    return any(char.isprintable() and not char.isspace() for char in text)


def is_plain(content: object) -> bool:
    """Return whether all strings in a JSON-like value, including keys, can be stored."""
    waiting = [content]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            if NOT_TEXT.search(value):
                return False
        elif isinstance(value, dict):
            waiting += [*value.keys(), *value.values()]
        elif isinstance(value, list | tuple):
            waiting += value
    return True

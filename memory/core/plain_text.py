"""Tells text that UTF-8 and the database can hold from other character sequences."""

from __future__ import annotations

import re
from typing import Any

# A NUL character, or half of a pair of surrogates.
NOT_TEXT = re.compile("[\x00\ud800-\udfff]")
NOT_PLAIN = "This holds characters that are not text. Paste it as plain text and try again."


def has_words(text: str) -> bool:
    """Return whether a text has a visible character: not only blanks and marks of no width."""
    return any(char.isprintable() and not char.isspace() for char in text)


def storable(text: str) -> str:
    """Return the text with a replacement mark for each character that neither a database nor a page can take."""
    return NOT_TEXT.sub("\N{REPLACEMENT CHARACTER}", text)


def all_storable(content: Any) -> Any:
    """Return a JSON-like value with all its strings, including keys, storable."""
    if isinstance(content, str):
        return storable(content)
    if isinstance(content, dict):
        return {storable(key): all_storable(value) for key, value in content.items()}
    return [*map(all_storable, content)] if isinstance(content, list | tuple) else content


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

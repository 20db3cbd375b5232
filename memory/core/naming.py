"""Compares names: labels that differ only in case, accents or spacing have equal keys."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_LATIN_MARKS = re.compile("[\u0300-\u036f]")
_EDGES = "\"'“”‘’.,;:!?()[]{}<> \t\n"


@lru_cache(maxsize=16_384)  # Facts about the same few things compare the same few names again and again.
def key_of(label: str) -> str:
    """Return the label with case, accents, apostrophes and spacing folded; scripts other than Latin are kept."""
    bare = _LATIN_MARKS.sub("", unicodedata.normalize("NFKD", label.replace("’", "'")))
    return " ".join(unicodedata.normalize("NFC", bare).casefold().split()).strip(_EDGES)

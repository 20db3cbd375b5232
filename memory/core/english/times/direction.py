"""Tells whether a clause names a time to come, by the forms of its verbs: "I start on Monday", but "I started on Monday".

Words that name nothing but a time ("on Monday") tell neither; so does a clause that is cut off from its verb. No parse is
asked, since times are read where there is none; a form that is misjudged moves a weekday by a week.
"""

from __future__ import annotations

import re
from itertools import pairwise

from memory.core.english.inflection import is_past_form

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_BETWEEN = re.compile(
    r"[.;:!?\n]+(?:\s|$)|,|\s[–—-]+\s|\s(?:and|but|or|so|then|because|which|who|while|although)\s", re.IGNORECASE
)
# "The roof is being repaired on Monday", "I'm excited for Friday".
_PRESENT = frozenset("am is are i'm he's she's it's we're you're they're be being get gets".split())
_AUXILIARY_REACH = 2


def is_ahead(text: str, start: int, end: int) -> bool:
    """Return whether the time that `text[start:end]` names is to come; False where nothing tells.

    The clause that names it decides, or the next one where it names nothing else: "On Monday, I start at Bosch".
    """
    bounds = [0, *(found.end() for found in _BETWEEN.finditer(text)), len(text)]
    own = max(place for place, bound in enumerate(bounds[:-1]) if bound <= start)
    clauses = [text[first:last] for first, last in pairwise(bounds)]
    clauses[own] = text[bounds[own] : start] + " " + text[max(end, bounds[own]) : bounds[own + 1]]
    for clause in (clauses[own], *clauses[own + 1 : own + 2]):
        words = [word.lower() for word in _WORD.findall(clause)]
        if len(words) > 1:
            return not _tells_past(words)
    return False


def _tells_past(words: list[str]) -> bool:
    return any(
        is_past_form(word)
        and not (word.endswith("ed") and _PRESENT & set(words[max(0, place - _AUXILIARY_REACH) : place]))
        for place, word in enumerate(words)
    )

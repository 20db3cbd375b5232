"""Which of several relatives or neighbours a modifier means: "my upstairs neighbour", "my younger brother".

The graph holds that both are neighbours; the words that each was told in say which is which.
"""

import re
from collections.abc import Sequence

from memory.core.types import Triple

_OPPOSED = (
    (frozenset({"upstairs"}), frozenset({"downstairs"})),
    (frozenset({"older", "elder", "big", "eldest", "oldest"}), frozenset({"younger", "little", "baby", "youngest"})),
    (frozenset({"first", "former", "previous", "old", "ex"}), frozenset({"second", "current", "new", "present"})),
    (frozenset({"maternal"}), frozenset({"paternal"})),
)
MODIFIERS = {word: (side, other) for pair in _OPPOSED for side, other in (pair, tuple(reversed(pair))) for word in side}
_WORDS = re.compile(r"[\w'’-]+")
_NEAR = 3


def meant(triples: Sequence[Triple], role: str) -> list[Triple]:
    """Return the relations that a role with its modifiers means: those told with them, else those not told otherwise."""
    *modifiers, noun = role.lower().split() or [""]
    asked = [word for word in modifiers if word in MODIFIERS]
    if not asked:
        return list(triples)
    told = [(triple, _modifiers_of(triple, noun)) for triple in triples]
    fitting = [triple for triple, words in told if all(words & MODIFIERS[word][0] for word in asked)]
    return fitting or [triple for triple, words in told if not any(words & MODIFIERS[word][1] for word in asked)]


def _modifiers_of(triple: Triple, noun: str) -> frozenset[str]:
    """Return the words that stand before the role in the sentence that told the relation, the role nearest to the name."""
    words = [word.lower() for word in _WORDS.findall(triple.source.text)]
    name = triple.object.lower().split()[:1]
    named = next((place for place, word in enumerate(words) if [word.removesuffix("'s")] == name), len(words))
    places = [place for place, word in enumerate(words) if word.removesuffix("'s") == noun]
    if not places:
        return frozenset()
    at = min(places, key=lambda place: abs(named - place))
    return frozenset(words[max(0, at - _NEAR) : at])

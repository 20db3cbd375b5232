"""Whether a sentence's words hold a value of the kind that a question asks for.

"My cousin got a new job" shares every word with "Who does my cousin work for?" and names nobody.
"""

import re

from memory.core.english.inflection import singular
from memory.core.knowledge_graph.ontology import relation_of
from memory.core.knowledge_graph.question import GraphQuestion, Wanted
from memory.core.knowledge_graph.stems import content_stems

COLOURS = frozenset(
    "red blue green yellow black white grey gray brown orange purple pink silver gold golden beige turquoise navy violet "
    "cream maroon bronze dark light ginger blond blonde tabby".split()
)
_COLOUR_NOUNS = frozenset({"colour", "color", "colors", "colours"})
_MEASURED = frozenset(
    {"number", "phone number", "age", "height", "weight", "price", "salary", "rent", "score", "postcode", "zip code"}
)
_DIGITS = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand|half)\b",
    re.IGNORECASE,
)
_LINKS = frozenset({"for", "with", "from", "to", "by", "about"})
_NAME = re.compile(r"(?<![.!?]\s)(?<!^)(?<![\"“(])\b[A-Z][\w'’-]+")
_SOMEBODY = frozenset(
    "man woman guy girl boy lady neighbour neighbor people team family group everyone everybody nobody someone somebody "
    "myself club company firm band class crew folks parents kids staff".split()
)


def may_hold_value(question: GraphQuestion, text: str) -> bool:
    """Return whether a sentence has words that could be what is asked for: a person, a colour, a number."""
    noun = question.noun.lower()
    if noun in _COLOUR_NOUNS:
        return bool(COLOURS & set(re.findall(r"\w+", text.lower())))
    if noun in _MEASURED:
        return _DIGITS.search(text) is not None
    if question.wanted is not Wanted.PERSON:
        return True
    link = next((word for word in question.preposition.split() if word in _LINKS), "")
    known = question.content | content_stems(question.text)
    if any(not content_stems(name) <= known for name in _NAME.findall(text)):
        return True
    if link:
        # The subject's own role is nobody else: "My cousin Raúl" is no answer to whom he works for.
        return re.search(rf"\b{link}\s+\w", text, re.IGNORECASE) is not None
    return any(_is_somebody(word) and not content_stems(word) <= known for word in text.split())


def _is_somebody(word: str) -> bool:
    bare = re.sub(r"(?:'s|’s)?\W*$", "", word.lower())
    return bare in _SOMEBODY or bool(relation_of(bare) or relation_of(singular(bare)))

"""Exercises of arithmetic and riddles: "John has 3 apples. How many are left?" tells of nobody.

People type them without a word of introduction. They are known by what they ask and by what they count; what a speaker
says of themself ("My rent is 900 and I earn 3000. How much is left?") is one only where it counts what exercises count.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_ASKED = re.compile(
    r"(?i:\bhow many\b.*(?:\b(?:left|remain(?:s|ing)?|altogether|in (?:total|all|each)|now|more|fewer|per|are there|"
    r"were there|ways|does (?:he|she|each|it)|did (?:he|she|they|it)|do they|will (?:he|she|they)|has (?:he|she))\b)|"
    r"\bhow much\b.*\b(?:left|altogether|in (?:total|all)|change|more|does (?:he|she|each|it)|did (?:he|she|they))\b|"
    r"\bhow (?:far|long|fast|tall|heavy)\b.*\b(?:will|apart|does it take|take|travel(?:s|ed)?|is the)\b|"
    r"\bwhat(?:'s| is| was| are| will be)? (?:the |their )?(?:total|sum|average|probability|ratio|area|perimeter|volume|"
    r"speed|distance|difference|product|mean|median|cost|price|maximum|minimum|least|greatest|smallest|largest|chance|"
    r"odds|number of|combined|fraction|percent(?:age)?)\b|"
    r"\b(?:which|what) (?:box|switch|door|jar|bag|card|coin|hat|colou?r is|one of them)\b|"
    r"\bwho (?:is|was) (?:the )?(?:tallest|shortest|oldest|youngest|fastest|heaviest|liar|lying|telling)\b|"
    r"\b(?:heads|tails)(?: up)?\s*\?|\bwhat (?:is|was) (?:the )?(?:family )?relation(?:ship)?\b.*\bbetween\b|"
    r"\bwho (?:owns|keeps|drinks|lives in|has|ate|stole|did) the\b|"
    r"\b(?:when|where|at what (?:time|point)) (?:will|do) (?:they|the (?:two )?(?:trains?|cars?)|both) meet\b|"
    r"\bhow (?:can|do|could|would) (?:you|i|he|she|we|they) (?:measure|find out|determine|divide|cross|weigh)\b|"
    r"^\W*(?:find|calculate|compute|determine|prove|work out|solve)\b)"
    r"|\bwhat is [A-Z]\w+ to [A-Z]\w+|\bhow (?:is|are) [A-Z]\w+ (?:and [A-Z]\w+ )?related\b"
    r"|(?i:\bhow (?:many|much|old|tall)\b[^?]*\b(?:is|are|was|does|did|do|will|has|have) )(?:[A-Z]\w+|he|she|they)\b"
)
_COUNTED = re.compile(
    r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|dozen|twice|"
    r"half|double|triple|thrice|each|every|per|times as|older than|taller than|younger than|flip(?:s|ped)?|"
    r"\w+'s (?:mother|father|sister|brother|son|daughter|wife|husband|uncle|aunt|grandfather|grandmother|cousin))\b",
    re.IGNORECASE,
)
_COUNTERS = re.compile(
    r"\b(?:apples?|oranges?|bananas?|pears?|balls?|marbles?|box(?:es)?|coins?|cards?|cand(?:y|ies)|sweets|cookies?|"
    r"pencils?|pens|balloons?|eggs?|jars?|bags?|bottles?|buckets?|jugs?|ropes?|stones?|sticks?|switch(?:es)?|bulbs?|"
    r"hats?|socks?|doors?|dice|die|tokens?|blocks?|cubes?|stickers?|beads?|chocolates?|muffins?|cupcakes?|slices?|"
    r"matches|chairs?|tiles?|litres?|liters?|gallons?|[A-E],? (?:and )?[B-E])\b",
)
_RIDDLE = re.compile(
    r"\b(?:riddle|puzzle|brain ?teaser|word problem|math problem|maths problem|logic problem|homework|exercise)\b", re.I
)
_OWN = re.compile(r"\b(?:I|I'm|I've|my|our|we|me|us)\b", re.IGNORECASE)
_ADDRESSED = re.compile(r"^\W*you (?:have|are|take|pick|draw|roll|flip|need|give|start)\b", re.IGNORECASE)


def puzzle_sentences(texts: Sequence[str]) -> list[bool]:
    """Return of each sentence of one message whether it belongs to an exercise or riddle, its question included."""
    asked = [place for place, text in enumerate(texts) if _ASKED.search(text)]
    if not asked:
        return [False] * len(texts)
    is_toy = bool(_RIDDLE.search(" ".join(texts))) or any(_is_of_exercises(text) for text in texts)
    counted = [place for place, text in enumerate(texts) if _counts(text, is_toy=is_toy)]
    if not counted or min(counted) > asked[-1]:
        return [False] * len(texts)
    first, last = min(counted), asked[-1]
    return [first <= place <= last and (is_toy or not _OWN.search(text)) for place, text in enumerate(texts)]


def _is_of_exercises(text: str) -> bool:
    return _COUNTED.search(text) is not None and _COUNTERS.search(text) is not None or bool(_ADDRESSED.match(text))


def _counts(text: str, *, is_toy: bool) -> bool:
    return _COUNTED.search(text) is not None and (is_toy or not _OWN.search(text))

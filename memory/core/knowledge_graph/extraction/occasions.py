"""The days of what is to come, as they are told and moved: "My gig's on the 12th", "It's been pushed back to 26 April".

The words around such a day are few and fixed, while parsers read "is on the 21st now" in many ways: the text is read itself.
A new day of an occasion replaces its old one; where the new words only say "the operation" or "it", the occasion is the last
of that name that its speaker dated.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memory.core.english.inflection import words_of_name
from memory.core.english.telling_times import plain_date, say_date
from memory.core.english.times import CALENDAR_DAY, DAY_NAME, PartialDate, stated_date
from memory.core.knowledge_graph.ontology import minted
from memory.core.types import Fact, Node, Span, Tense

_OCCASIONS = (
    "exam|test|appointment|interview|flight|wedding|party|surgery|operation|deadline|anniversary|graduation|concert|"
    "check-?up|meeting|presentation|defen[cs]e|trial|hearing|race|marathon|lesson|gig|class|resit|practical|viva|course|trip|"
    "holiday|reunion|recital|match|game|tournament|delivery|inspection|viewing|scan|vaccination|jab|x-ray|audition|"
    "performance|show|launch|festival|ceremony|christening|funeral|rehearsal|visit|mot|train|bus|ferry|cruise|barbecue|"
    "picnic|dinner|lunch|move|review|conference|workshop|seminar|talk|ballet|play|premiere|opening|auction|move-in|"
    "start date|due date|first day|last day|induction|orientation|prom|shoot|shift|session|booking|reservation|surgery"
)
_DATE = (
    rf"(?:{DAY_NAME},? )?(?P<date>{CALENDAR_DAY}|"
    r"the \d{1,2}(?:st|nd|rd|th)?\b(?!\s+(?:time|floor|year|one|grade|of\b)))"
)
_NAMED = (
    r"(?P<what>(?:(?!(?:i|we|he|she|they|you|it|had|have|has|got|my|our|his|her|their|the|a|an|was|is|met|saw|went|left|"
    r"at|for|after|before|on|in|to|and|or)\b)[\w-]+ ){0,2}?"
    rf"(?:{_OCCASIONS}))"
)
_MOVES = (
    r"(?:(?:has|have|had|was|were|got|is|are|'s|'ve)(?: been| being)?(?: now)? )?(?:moved|put|pushed|brought|shifted|"
    r"postponed|delayed|rescheduled|changed|switched|rebooked|bumped|put off|set|fixed|confirmed)"
    r"(?: (?:back|forward|fwd|up|out|off|ahead|over))?(?: from [\w ]{1,20}?)? (?:to|until|till|for|on)"
)
_AT = r"(?:is|are|'s|will be|falls|takes place|happens)(?: now| actually| going to be| still)? (?:on|for)?"
_TOLD = re.compile(
    rf"\b(?:my|our) {_NAMED}(?: (?:in|at|to|with) [\w' -]{{1,30}}?)?,? ?(?:{_AT}|{_MOVES}) ?{_DATE}", re.IGNORECASE
)
_MOVED = re.compile(
    rf"(?:\b(?:the|my|our|that|this) |^){_NAMED}(?: (?:in|at|to|with) [\w' -]{{1,30}}?)?,? ?(?:{_MOVES}|{_AT}) ?{_DATE}",
    re.IGNORECASE,
)
_SHIFTED = re.compile(
    r"\b(?:they|we|i|he|she|the \w+|my \w+)(?:'ve| have| has|'s| had)?(?: just| now)? (?:moved|put|pushed|brought|shifted|"
    r"postponed|delayed|rescheduled|changed|switched|rebooked|bumped)(?: back| forward| fwd)? (?:(?P<it>it|that|this)|"
    rf"(?:my|the|our) {_NAMED})(?: (?:back|forward|fwd|up|out))?(?: from [\w ]{{1,20}}?)? (?:to|until|till|for|on) {_DATE}",
    re.IGNORECASE,
)
_HELD = re.compile(
    rf"\b(?:I|we)(?:'ve| have)?(?: got| have)? (?:a|an|my|our) {_NAMED}(?: (?:in|at|to|with) [\w' -]{{1,30}}?)? on {_DATE}",
    re.IGNORECASE,
)
# Chat leaves the rest out: "gig on the 12th", "chem resit 2 june", "practical is 9 sept".
_BARE = re.compile(
    rf"^\W*(?:(?:so|and|ok|also|btw) )*{_NAMED}(?:'s| is| still| is still| now)?(?: on)? {_DATE}", re.IGNORECASE
)
_ASKING = re.compile(
    r"^\W*(?:is|are|do|does|did|can|could|will|would|should|when|what|which|where|who|how|why)\b", re.IGNORECASE
)
_IT = re.compile(
    rf"^\W*(?:(?:so|but|and|now|well|update|actually|ok|turns out|instead)\W+)*(?P<it>it|that)(?: ?(?:{_MOVES})|'s(?: now)?"
    rf"(?: on| for)?|(?: is| will be)(?: now)? (?:on|for)?) ?{_DATE}(?P<now>(?: now| instead)?)",
    re.IGNORECASE,
)


# What was on a day is over, and what may be is not told.
_UNSURE = re.compile(
    r"\b(?:if|might|maybe|should|could|would|not)\b|n't\b|\b(?:was|were)\b(?! (?:moved|put|pushed|brought|shifted|"
    r"postponed|delayed|rescheduled|changed|switched|rebooked|set)\b)",
    re.IGNORECASE,
)


def read_occasion(text: str, speaker: Node, earlier: Sequence[Fact]) -> list[Fact]:
    """Return the day of an occasion that a sentence tells, under the name that the occasion was dated by before."""
    # "They moved my exam to 28 May??" is surprised and asks nothing.
    is_asked = text.rstrip().endswith("?") and not text.rstrip().endswith("??")
    if is_asked or _ASKING.match(text) or _UNSURE.search(text):
        return []
    dated = [fact for fact in earlier if fact.predicate.endswith("Date") and fact.predicate != "birthDate"]
    found = _SHIFTED.search(text) or _TOLD.search(text) or _MOVED.search(text) or _IT.match(text)
    held = (_HELD.search(text) or _BARE.match(text)) if found is None else None
    found = found or held
    if found is None:
        return []
    what = (found.groupdict().get("what") or "").lower()
    known = _known(what, dated)
    if held is not None and known is not None and held.re is _HELD:
        # Another exam is no new day of the first.
        return []
    is_own = bool(what) and re.search(rf"\b(?:my|our) {re.escape(what)}\b", text, re.IGNORECASE) is not None
    # "The operation has been put back" is of an operation that its hearers know of.
    is_moved = bool(what) and re.search(_MOVES, found[0], re.IGNORECASE) is not None
    if known is None and held is None and not is_own and not is_moved:
        return []
    predicate = known.predicate if known is not None else minted(f"has {what}") + "Date"
    day = _whole(found["date"], known)
    noun = what.split()[-1] if what else (known.phrase if known is not None else "")
    return [
        Fact(
            subject=known.subject if known is not None else speaker,
            predicate=predicate,
            object=Node(day, is_literal=True),
            span=Span(found.start(), found.end()),
            tense=Tense.PRESENT,
            confidence=0.9,
            phrase=noun,
        )
    ]


def _known(what: str, dated: Sequence[Fact]) -> Fact | None:
    """Return the latest dated occasion that words name: "the operation" is the cataract operation."""
    if not what:
        return dated[-1] if dated else None
    asked = set(what.split())
    for fact in reversed(dated):
        named = set(words_of_name(fact.predicate)) - {"has", "date"}
        if asked <= named or named <= asked:
            return fact
    return None


def _whole(day: str, known: Fact | None) -> str:
    """Return a day with the month that "the 21st" leaves out."""
    number = re.fullmatch(r"the (\d{1,2})(?:st|nd|rd|th)?", day.strip(), re.IGNORECASE)
    if number is None:
        return plain_date(day)
    month = stated_date(known.object.label).month if known is not None else None
    return say_date(PartialDate(month=month, day=int(number[1]))) if month else f"the {day.split()[-1]}"


def with_days(facts: Sequence[Fact], days: Sequence[Fact]) -> list[Fact]:
    """Return the facts of a sentence with its days in place of what was read of these otherwise."""
    told = {fact.predicate for fact in days}
    return [*(fact for fact in facts if fact.predicate not in told), *days]

"""Noun phrases of questions with all that describes them: owners, of-phrases, relative clauses, participles.

The parser's tree breaks where questions nest ("the company that Tom works for sit in"), so that only its parts of speech
are used, and the forms are read from left to right.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from conversations.core.responders.d_smart.sketch import Sketch, Sketched
from memory.core.english.grammatical_person import FIRST_PERSONS
from memory.core.english.inflection import base_form, is_known_verb, singular
from memory.core.knowledge_graph.ontology import relation_of
from memory.core.types import Token

_OWN = frozenset({"my", "our"})
_OTHERS = frozenset({"his", "her", "its", "their", "your"})
DETERMINERS = frozenset("the a an any some this that these those every each all both no".split())
AUXILIARIES = {
    **dict.fromkeys("do does did".split(), "do"),
    **dict.fromkeys("is are am was were 's ’s s 're 'm".split(), "be"),
    **dict.fromkeys("has have had 've".split(), "have"),
    **dict.fromkeys("will would can ca could should wo might may must shall 'll 'd".split(), "modal"),
}
PREPOSITIONS = frozenset(
    "in at on for with from to of by about near into under over behind beside between as through around".split()
)
RELATIVES = frozenset({"that", "which", "who", "whom", "where", "whose"})
POSSESSIVES = frozenset({"'s", "’s", "'", "’"})
SKIPPED = frozenset(
    "now currently still also both usually always often really actually already ever too together today anymore "
    "nowadays these days exactly then again right please".split()
)
_JOINING = frozenset({"and", "or", ","})
_PARTICLES = frozenset({"up", "out", "down", "back", "off"})
_NOMINAL = frozenset({"NOUN", "PROPN", "ADJ", "NUM", "X"})
_ANYBODY = frozenset(
    "someone somebody anyone anybody person people man woman guy lady one thing something everyone everybody girl boy".split()
)
_MEMBERS = frozenset("one two three some any which both all each none many most either".split())


@dataclass(frozen=True)
class Read:
    """A noun phrase that was read: the places of its things (several where they are joined) and where it ends."""

    places: tuple[int, ...]
    end: int


def spelled(tokens: Sequence[Token]) -> str:
    """Return tokens as they stand in the text, one space at most between two: "ex-husband", "my sister's"."""
    said = ""
    for place, token in enumerate(tokens):
        said += " " if place and tokens[place - 1].end < token.start else ""
        said += token.text
    return said


class PhraseReader(ABC):
    """Reads noun phrases of one question into a sketch. `has_support` tells whether the question is asked with "do".

    What a verb says is read by `predicate`, which noun phrases need for what describes them.
    """

    def __init__(self, tokens: Sequence[Token], sketch: Sketch, *, has_support: bool = False) -> None:
        self.tokens = tokens
        self.lows = [token.text.lower().replace("’", "'") for token in tokens]
        self.sketch = sketch
        self.has_support = has_support
        self.has_participle = False

    def low(self, at: int) -> str:
        return self.lows[at] if 0 <= at < len(self.lows) else ""

    def phrase(self, at: int) -> Read | None:
        """Return the noun phrase that begins at a token, with those joined to it ("Maya and Tom"), or None."""
        first = self._single(at)
        if first is None:
            return None
        places, end = list(first.places), first.end
        while self.low(end) in _JOINING and self._starts_phrase(end + 1):
            before = len(self.sketch.things), list(self.sketch.links)
            joined = self._single(end + 1)
            if joined is None or self.is_verb(end + 1):
                del self.sketch.things[before[0] :]
                self.sketch.links = before[1]
                break
            places, end = [*places, *joined.places], joined.end
        return Read(tuple(places), end)

    def _starts_phrase(self, at: int) -> bool:
        low = self.low(at)
        return (
            low in FIRST_PERSONS | _OWN | DETERMINERS
            or (at < len(self.tokens) and self.tokens[at].text[:1].isupper())
            or (at < len(self.tokens) and self.tokens[at].pos in {"NOUN", "PROPN"})
        )

    def _single(self, at: int) -> Read | None:
        if at >= len(self.tokens):
            return None
        low = self.low(at)
        if low in FIRST_PERSONS:
            return Read((self.sketch.speaker((at, at + 1)),), at + 1)
        if low in _OTHERS:
            return None
        if low in _MEMBERS and self.low(at + 1) == "of" or low in {"any", "which"} and self.low(at + 2) == "of":
            inner = self._single(at + (2 if self.low(at + 1) == "of" else 3))
            return inner
        owner, start = None, at
        if low in _OWN:
            owner, start = self.sketch.speaker((at, at + 1)), at + 1
        elif low in DETERMINERS:
            start = at + 1
        elif low in PREPOSITIONS or low in AUXILIARIES:
            return None
        return self._owned(at, start, owner, is_bare=start == at)

    def _owned(self, first: int, at: int, owner: int | None, *, is_bare: bool) -> Read | None:
        """Read "sister's employer" after "my", "Tom's dog", "bakery my aunt works at" after "the"."""
        place: int | None = None
        while True:
            end = self._chain(at, is_bare=is_bare and owner is None)
            if end == at:
                return None if place is None else self._described(first, place, at)
            place = self._thing(first, at, end, owner)
            end = self._with_name(place, at, end, is_ours=owner is not None)
            if self.low(end) not in POSSESSIVES:
                return self._described(first, place, end)
            self.sketch.spanned(place, first, end)
            owner, at = place, end + 1

    def _thing(self, first: int, at: int, end: int, owner: int | None) -> int:
        words = spelled(self.tokens[at:end])
        is_name = owner is None and self.tokens[at].text[:1].isupper() and self.low(at) not in _ANYBODY
        if is_name:
            return self.sketch.add(Sketched(words, names=(words,), span=(first, end)))
        noun = words.lower()
        thing = self.sketch.add(Sketched(words, noun="" if noun in _ANYBODY else noun, span=(first, end)))
        if owner is not None:
            self.sketch.link(owner, thing, noun, is_role=True)
        return thing

    def _chain(self, at: int, *, is_bare: bool) -> int:
        """Return where the nouns and adjectives that begin at a token end."""
        end = at
        while end < len(self.tokens):
            token, low = self.tokens[end], self.lows[end]
            if low in POSSESSIVES | RELATIVES | PREPOSITIONS | _OWN | FIRST_PERSONS | _JOINING | SKIPPED | _OTHERS:
                break
            if low in AUXILIARIES or low in DETERMINERS or token.pos in {"PUNCT", "CCONJ", "PART"}:
                break
            is_capital = token.text[:1].isupper()
            if end > at and (self.is_verb(end) or is_capital and not self.tokens[end - 1].text[:1].isupper()):
                break
            if end == at and is_bare and not is_capital and (token.pos not in _NOMINAL or self.is_verb(end)):
                break
            if token.pos not in _NOMINAL and not is_capital and end > at:
                break
            end += 1
        return end

    def _with_name(self, place: int, at: int, end: int, *, is_ours: bool) -> int:
        """Read the name beside a noun: "my sister Maya", "the bakery Kornblume", "a man called Karl"."""
        if self.low(end) in {"called", "named"}:
            after = self._chain(end + 1, is_bare=True)
            if after > end + 1:
                self.sketch.named(place, spelled(self.tokens[end + 1 : after]))
            return max(after, end)
        if end >= len(self.tokens) or not self.tokens[end].text[:1].isupper() or self.tokens[at].text[:1].isupper():
            return end
        after = end
        while after < len(self.tokens) and self.tokens[after].text[:1].isupper():
            after += 1
        is_role = bool(relation_of(singular(self.low(end - 1))))
        if self._is_clause(after) and not (is_ours and is_role or is_ours):
            return end
        self.sketch.named(place, spelled(self.tokens[end:after]))
        return after

    def _is_clause(self, at: int) -> bool:
        """Return whether a verb stands at a token, so that a name before it is what does it."""
        while self.low(at) in SKIPPED:
            at += 1
        return self.is_verb(at) or self.low(at) in AUXILIARIES

    def is_verb(self, at: int) -> bool:
        if at >= len(self.tokens):
            return False
        token, low = self.tokens[at], self.lows[at]
        if low in AUXILIARIES or low in {"'s"}:
            return low not in {"'s", "s"}
        base = base_form(low)
        if token.text[:1].isupper() and at > 0:
            return False
        if low != base and (is_known_verb(base) or token.pos == "VERB"):
            return True
        if token.pos == "VERB" and self.tokens[at - 1].text.lower() not in DETERMINERS | _OWN:
            return True
        # With "do" the main verb stands in its base form, whatever the tagger makes of it.
        return self.has_support and is_known_verb(low) and self.low(at - 1) not in DETERMINERS | _OWN | POSSESSIVES

    def _described(self, first: int, place: int, end: int) -> Read:
        """Read what describes a thing from behind: "of my brother", "that Tom works for", "written by her"."""
        while end < len(self.tokens):
            after = self._of(place, end) or self._relative(place, end) or self._participle(place, end)
            if after is None or after <= end:
                break
            end = after
        self.sketch.spanned(place, first, end)
        return Read((place,), end)

    def _of(self, place: int, at: int) -> int | None:
        if self.low(at) != "of":
            return None
        whole = self._single(at + 1)
        if whole is None:
            return None
        noun = self.sketch.things[place].noun or self.sketch.things[place].words.lower()
        self.sketch.link(whole.places[0], place, noun, is_role=True)
        return whole.end

    def _relative(self, place: int, at: int) -> int | None:
        low = self.low(at)
        if low == "whose":
            end = self._chain(at + 1, is_bare=False)
            if end == at + 1:
                return None
            owned = self._thing(at, at + 1, end, place)
            return self.predicate((owned,), end)
        if low in {"that", "which", "who", "whom"}:
            if self._is_clause(at + 1):
                return self.predicate((place,), at + 1)
            return self._gapped(place, at + 1)
        if low == "where":
            return self._gapped(place, at + 1, is_place=True)
        is_subject = low in _OWN | FIRST_PERSONS | {"the", "a"} or (
            at < len(self.tokens) and self.tokens[at].text[:1].isupper()
        )
        return self._gapped(place, at) if is_subject else None

    def _gapped(self, place: int, at: int, *, is_place: bool = False) -> int | None:
        """Read a clause whose subject stands in it and whose object or place is the thing that it describes."""
        before = len(self.sketch.things), list(self.sketch.links)
        subject = self.phrase(at)
        if subject is not None and self._is_clause(subject.end):
            end = self.predicate(subject.places, subject.end, gap=place, is_place=is_place)
            if end is not None:
                return end
        del self.sketch.things[before[0] :]
        self.sketch.links = before[1]
        return None

    def _participle(self, place: int, at: int) -> int | None:
        """Read "written by Ende", "based in Rome", "living next door to Tom"."""
        low = self.low(at)
        base = base_form(low)
        if low == base or not (low.endswith(("ed", "ing", "en", "n", "t"))) or not (self.is_verb(at)):
            return None
        if self.low(at + 1) not in PREPOSITIONS or self.phrase_at(at + 2) is False:
            return None
        end = self.predicate((place,), at, is_participle=not low.endswith("ing"))
        self.has_participle = self.has_participle or end is not None
        return end

    def phrase_at(self, at: int) -> bool:
        return self._starts_phrase(at) and not self.is_verb(at)

    @abstractmethod
    def predicate(
        self,
        subjects: tuple[int, ...],
        at: int,
        *,
        gap: int | None = None,
        is_place: bool = False,
        is_participle: bool = False,
    ) -> int | None:
        """Read a verb with its complements, said of the subjects; a gap is the complement that stands elsewhere."""

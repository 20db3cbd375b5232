"""Questions that one look into the graph may not answer, as plans: what is asked for, and the pattern that it fills.

"Which city does the company that Tom works for sit in?" asks for a city that a company sits in that Tom works for. What
fits no form here is left to the one look of `graph`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from conversations.core.responders.d_smart.clauses import WHERE, ClauseReader
from conversations.core.responders.d_smart.phrases import AUXILIARIES, PREPOSITIONS, SKIPPED
from conversations.core.responders.d_smart.sketch import Sketch, Sketched
from memory.core.english.inflection import base_form
from memory.core.knowledge_graph.question_shell import unwrapped
from memory.core.ports import SyntacticParser
from memory.core.types import ParsedSentence, Token


class Aim(StrEnum):
    """What is asked for: the fillers of a thing, whether the pattern holds, how many fillers, what connects two things.

    `LOOK` asks of a described thing something that its name can be put into another question for.
    """

    VALUE = "value"
    TRUTH = "truth"
    COUNT = "count"
    CONNECTION = "connection"
    LOOK = "look"


@dataclass(frozen=True)
class ChainQuestion:
    """A question that was read: the sketch, what is asked for, the place that answers, and the words around the things."""

    text: str
    aim: Aim
    sketch: Sketch
    answer: int | None = None
    pair: tuple[int, int] | None = None
    tokens: tuple[Token, ...] = ()
    is_named: bool = False

    @property
    def described(self) -> tuple[int, ...]:
        """The places of the things of the main clause that have to be found by what is said of them."""
        found = dict.fromkeys(place for place in self.sketch.top if self.sketch.is_described(place))
        return tuple(place for place in found if place != self.answer)


_NAME = r"[\w'’. -]+?"
_CONNECTION = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"^how (?:do|did) (?P<first>I|we) (?:get to )?know (?P<second>{_NAME})[?.!\s]*$",
        rf"^(?:what|who) (?:connects|links|relates|joins) (?P<first>{_NAME}) (?:and|with|to) (?P<second>{_NAME})[?.!\s]*$",
        rf"^how (?:is|are|am|was) (?P<first>{_NAME}) (?:and|to) (?P<second>{_NAME}) "
        r"(?:connected|related|linked|associated)(?: to each other)?[?.!\s]*$",
        rf"^how (?:is|are|am|was) (?P<first>{_NAME}) (?:connected|related|linked|associated) (?:to|with) "
        rf"(?P<second>{_NAME})[?.!\s]*$",
        rf"^what(?:'s| is) the (?:connection|link|relation(?:ship)?|tie) between (?P<first>{_NAME}) and "
        rf"(?P<second>{_NAME})[?.!\s]*$",
        rf"^what (?:do|does) (?P<first>{_NAME}) (?:have|has) to do with (?P<second>{_NAME})[?.!\s]*$",
        rf"^how (?:do|does) (?P<first>{_NAME}) know (?P<second>{_NAME})[?.!\s]*$",
    )
)
_TO_ME = re.compile(r"^(?:i|me|we|us|my)$", re.IGNORECASE)


def read_chains(texts: Sequence[str], *, parser: SyntacticParser) -> list[ChainQuestion | None]:
    """Return one reading a text, in order; None where it has not the form of a question over links."""
    inner = [unwrapped(text).text for text in texts]
    parses = parser.parse_many(inner)
    return [_read(text, parse) for text, parse in zip(inner, parses, strict=True)]


def _read(text: str, parse: ParsedSentence) -> ChainQuestion | None:
    connection = _connection(text)
    if connection is not None:
        return connection
    tokens = [token for token in parse.tokens if token.text.strip() and token.pos not in {"SYM"}]
    while tokens and tokens[-1].pos == "PUNCT":
        tokens.pop()
    return _QuestionReader(text, tokens).read() if len(tokens) > 2 else None


def _connection(text: str) -> ChainQuestion | None:
    for pattern in _CONNECTION:
        found = pattern.match(text.strip())
        if found is not None:
            sketch = Sketch()
            places = [_end(sketch, found[name].strip()) for name in ("first", "second")]
            return ChainQuestion(text, Aim.CONNECTION, sketch, pair=(places[0], places[1]))
    return None


def _end(sketch: Sketch, words: str) -> int:
    if _TO_ME.match(words):
        return sketch.speaker((0, 0))
    own = re.match(r"(?:my|our)\s+(?P<role>[a-z' -]+?)(?:\s+(?P<name>[A-Z].*))?$", words)
    if own is None:
        return sketch.add(Sketched(words, names=(words,)))
    place = sketch.add(Sketched(own["role"], noun=own["role"], names=(own["name"],) if own["name"] else ()))
    sketch.link(sketch.speaker((0, 0)), place, own["role"], is_role=True)
    return place


class _QuestionReader:
    def __init__(self, text: str, tokens: Sequence[Token]) -> None:
        self._text = text
        self._tokens = tokens
        self._sketch = Sketch()
        lows = [token.text.lower() for token in tokens]
        support = any(AUXILIARIES.get(low) in {"do", "modal"} for low in lows)
        self._reader = ClauseReader(tokens, self._sketch, has_support=support)

    def read(self) -> ChainQuestion | None:
        low, second = self._reader.low(0), self._reader.low(1)
        if low in PREPOSITIONS and second in {"which", "what", "whom"}:
            return self._object_asked(2, preposition=low)
        if low == "where":
            return self._where()
        if low == "how" and second == "many":
            return self._counted()
        if low == "whose":
            return self._whose()
        if low in {"what", "which", "who", "whom"}:
            return self._asked(low)
        if low in AUXILIARIES:
            return self._yes_no()
        return self._looked() if low in {"when", "how", "why", "since"} else None

    def _made(self, aim: Aim, answer: int | None = None) -> ChainQuestion:
        self._sketch.seat()
        return ChainQuestion(self._text, aim, self._sketch, answer=answer, tokens=tuple(self._tokens))

    def _auxiliary(self, at: int) -> bool:
        return self._reader.low(at) in AUXILIARIES

    def _where(self) -> ChainQuestion | None:
        if not self._auxiliary(1):
            return None
        phrase = self._reader.phrase(2)
        if phrase is None:
            return None
        answer = self._sketch.add(Sketched("where", noun="place"))
        return self._with_verb(
            phrase.places, phrase.end, answer, is_be=AUXILIARIES[self._reader.low(1)] == "be", is_place=True
        )

    def _with_verb(
        self,
        subjects: tuple[int, ...],
        at: int,
        answer: int,
        *,
        is_be: bool,
        is_place: bool = False,
        preposition: str = "",
    ) -> ChainQuestion | None:
        """Read the rest of a question whose subject is known and whose object is asked for."""
        self._sketch.top += subjects
        reader = self._reader
        while reader.low(at) in SKIPPED:
            at += 1
        verb, words, end = self._verb(at, is_be)
        direct, end, given = self._rest(subjects, verb, end)
        if given and not direct and not preposition and not is_place:
            return self._made(Aim.LOOK)
        tail = f"{words} {direct}".strip()
        last = reader.low(end) if reader.low(end) in PREPOSITIONS else ""
        if last:
            end += 1
        end = self._extraposed(answer, end, subjects, last)
        suffix = preposition or last or (WHERE if is_place else "")
        for subject in subjects:
            self._sketch.link(subject, answer, f"{tail} {suffix}".strip())
        return self._made(Aim.VALUE, answer)

    def _verb(self, at: int, is_be: bool) -> tuple[str, str, int]:
        low = self._reader.low(at)
        if not low or low in PREPOSITIONS or (is_be and low in {"that", "which", "who", "where"}):
            return "be", "be", at
        base = base_form(low)
        if is_be and low != base and not low.endswith("ing"):
            return base, f"be {low}", at + 1
        return base, base, at + 1

    def _rest(self, subjects: tuple[int, ...], verb: str, at: int) -> tuple[str, int, bool]:
        """Read an object that stands between the verb and what is asked for: "have its office", "buy his car"."""
        reader, direct, given = self._reader, "", False
        while reader.low(at) in SKIPPED:
            at += 1
        if reader.low(at) in {"its", "their", "his", "her", "a", "an", "the"} or verb == "have":
            start = at + 1 if reader.low(at) in {"its", "their", "his", "her", "a", "an", "the"} else at
            end = reader._chain(start, is_bare=False)
            direct, at = " ".join(reader.lows[start:end]), end
        elif at < len(self._tokens) and reader.low(at) not in PREPOSITIONS:
            given = True
        return direct, at, given

    def _extraposed(self, answer: int, at: int, subjects: tuple[int, ...], last: str) -> int:
        """Read a relative clause that was put behind the verb: "is the company based that my cousin works for"."""
        if self._reader.low(at) in {"that", "which", "who", "where"}:
            place = next((place for place in reversed(subjects) if self._sketch.is_described(place)), None)
            if place is not None:
                return self._reader._relative(place, at) or at
        return at

    def _object_asked(self, at: int, *, preposition: str) -> ChainQuestion | None:
        reader = self._reader
        end = reader._chain(at, is_bare=False)
        if not self._auxiliary(end):
            return None
        noun = " ".join(reader.lows[at:end])
        answer = self._sketch.add(Sketched(noun or "which", noun=noun, span=(0, end)))
        phrase = reader.phrase(end + 1)
        if phrase is None:
            return None
        is_be = AUXILIARIES[reader.low(end)] == "be"
        return self._with_verb(phrase.places, phrase.end, answer, is_be=is_be, preposition=preposition)

    def _asked(self, low: str) -> ChainQuestion | None:
        reader = self._reader
        if low in {"which", "what"} and reader.low(1) not in AUXILIARIES and reader.low(1) != "of":
            return self._kind_asked()
        if low == "which" and reader.low(1) == "of":
            phrase = reader.phrase(0)
            return self._subject_asked(phrase.places[0], phrase.end) if phrase is not None else None
        is_had = reader.low(1) in {"has", "have", "had"} and reader.low(2) in {"the", "a", "an"}
        if self._auxiliary(1) and not is_had:
            is_be = AUXILIARIES[reader.low(1)] == "be"
            phrase = reader.phrase(2) if not reader.is_verb(2) or is_be else None
            if is_be and phrase is not None and phrase.end >= len(self._tokens):
                return self._identity(phrase.places[0])
            if phrase is not None and is_be and reader.low(phrase.end) in {"called", "named"}:
                return self._identity(phrase.places[0])
            if phrase is not None and not (is_be and low in {"who", "whom"} and reader.is_verb(2)):
                answer = self._sketch.add(Sketched(low, noun="person" if low in {"who", "whom"} else ""))
                return self._with_verb(phrase.places, phrase.end, answer, is_be=is_be)
        answer = self._sketch.add(Sketched(low, span=(0, 1)))
        return self._subject_asked(answer, 1)

    def _identity(self, place: int) -> ChainQuestion:
        """Read "Who is the boss of my sister": what is asked for is described already, or its name is."""
        thing = self._sketch.things[place]
        if thing.noun in {"name", "full name", "first name"}:
            owner = next((link.source for link in self._sketch.links if link.target == place), None)
            if owner is not None:
                self._sketch.links = [link for link in self._sketch.links if link.target != place]
                place = owner
        self._sketch.top.append(place)
        return self._made(Aim.VALUE, place)

    def _kind_asked(self) -> ChainQuestion | None:
        reader = self._reader
        if reader.low(1) in {"two", "three"} or self._tokens[1].pos in {"NOUN", "PROPN", "ADJ", "NUM", "X", "VERB"}:
            start = 2 if reader.low(1) in {"two", "three"} else 1
            end = reader._chain(start, is_bare=False)
            if self._auxiliary(end):
                return self._object_asked(1, preposition="")
            phrase = reader._owned(0, start, None, is_bare=False)
            if phrase is None:
                return None
            return self._subject_asked(phrase.places[0], phrase.end)
        return None

    def _subject_asked(self, answer: int, at: int) -> ChainQuestion | None:
        before = len(self._sketch.links)
        end = self._reader.predicate((answer,), at)
        if end is None or end < len(self._tokens) or len(self._sketch.links) == before:
            return None
        return self._made(Aim.VALUE, answer)

    def _counted(self) -> ChainQuestion | None:
        reader = self._reader
        phrase = reader.phrase(3) if reader.low(2) == "of" else reader._owned(0, 2, None, is_bare=False)
        if phrase is None:
            return None
        if self._auxiliary(phrase.end) and AUXILIARIES[reader.low(phrase.end)] == "do":
            subject = reader.phrase(phrase.end + 1)
            if subject is None:
                return None
            made = self._with_verb(subject.places, subject.end, phrase.places[0], is_be=False)
        else:
            made = self._subject_asked(phrase.places[0], phrase.end)
        return None if made is None or made.answer is None else self._made(Aim.COUNT, made.answer)

    def _whose(self) -> ChainQuestion | None:
        reader = self._reader
        end = 2
        while end < len(self._tokens) and not reader.is_verb(end) and not self._auxiliary(end):
            end += 1
        noun = " ".join(reader.lows[1:end])
        owner = self._sketch.add(Sketched("whose", span=(0, 1)))
        owned = self._sketch.add(Sketched(noun, noun=noun, span=(0, end)))
        self._sketch.link(owner, owned, noun, is_role=True)
        after = reader.predicate((owned,), end)
        return None if after is None or after < len(self._tokens) else self._made(Aim.VALUE, owner)

    def _yes_no(self) -> ChainQuestion | None:
        reader = self._reader
        phrase = reader.phrase(1)
        if phrase is None:
            return None
        self._sketch.top += phrase.places
        if self._is_be(0) and phrase.end >= len(self._tokens) and self._reader.has_participle:
            return self._made(Aim.TRUTH)
        before = len(self._sketch.links)
        end = (
            reader.predicate(phrase.places, phrase.end)
            if not self._is_be(0)
            else self._after_be(phrase.places, phrase.end)
        )
        if end is None or end < len(self._tokens) or len(self._sketch.links) == before:
            return self._made(Aim.LOOK)
        return self._made(Aim.TRUTH)

    def _is_be(self, at: int) -> bool:
        return AUXILIARIES[self._reader.low(at)] == "be"

    def _after_be(self, subjects: tuple[int, ...], at: int) -> int | None:
        reader = self._reader
        if reader.is_verb(at) or reader.low(at) in {"married", "based", "located", "engaged", "related", "allergic"}:
            return reader.predicate(subjects, at, is_participle=True)
        return reader._copular(subjects, at, gap=None, is_place=False)

    def _looked(self) -> ChainQuestion | None:
        """Read "How old is the owner of the bakery": the thing is found, and its name is put into the question."""
        at = next((at for at in range(1, len(self._tokens)) if self._auxiliary(at)), None)
        if at is None:
            return None
        phrase = self._reader.phrase(at + 1)
        if phrase is None:
            return None
        self._sketch.top += phrase.places
        return self._made(Aim.LOOK)

"""Clauses of questions as links: what a verb says of its subjects, to which complement, or to one that stands elsewhere.

"that Tom works for" links Tom to what the clause describes; "lives in the same city as my boss" links both to one city.
"""

from conversations.core.responders.d_smart.phrases import (
    AUXILIARIES,
    DETERMINERS,
    POSSESSIVES,
    PREPOSITIONS,
    RELATIVES,
    SKIPPED,
    PhraseReader,
)
from conversations.core.responders.d_smart.sketch import Sketched
from memory.core.english.inflection import base_form

# Where a question asks for a place without saying how things are there.
WHERE = "where"
_OWNERS = frozenset({"its", "their", "his", "her", "my", "our"})
_PARTICLES = frozenset({"up", "out", "down", "back", "off"})
_ADJECTIVES = frozenset({"married", "engaged", "allergic", "based", "located", "situated", "headquartered", "related"})
# Verbs of giving: to whom stands before what.
_GIVING = frozenset({"lend", "give", "send", "show", "sell", "teach", "buy", "offer", "bring", "recommend"})
_SAME = frozenset({"same"})


class ClauseReader(PhraseReader):
    """Reads clauses into a sketch."""

    def predicate(
        self,
        subjects: tuple[int, ...],
        at: int,
        *,
        gap: int | None = None,
        is_place: bool = False,
        is_participle: bool = False,
    ) -> int | None:
        at, is_be = self._auxiliaries(at)
        if is_be and not self.is_verb(at) and self.low(at) not in _ADJECTIVES:
            return self._copular(subjects, at, gap=gap, is_place=is_place)
        if at >= len(self.tokens) or not (self.is_verb(at) or is_be):
            return None
        verb, end = base_form(self.low(at)), at + 1
        is_passive = (is_be or is_participle) and not self.low(at).endswith("ing")
        if self.low(end) in _PARTICLES:
            verb, end = f"{verb} {self.low(end)}", end + 1
        if is_passive and self.low(end) != "by" and self.low(at) in _ADJECTIVES:
            verb = f"be {self.low(at)}"
        end = self._complements(subjects, verb, end, gap=gap, is_place=is_place, is_passive=is_passive)
        while self.low(end) == "and" and self.is_verb(end + 1):
            after = self.predicate(subjects, end + 1)
            if after is None:
                break
            end = after
        return end

    def _auxiliaries(self, at: int) -> tuple[int, bool]:
        is_be = False
        while at < len(self.tokens):
            kind = AUXILIARIES.get(self.low(at), "")
            if self.low(at) in SKIPPED or self.low(at) in {"not", "n't", "to"}:
                at += 1
            elif kind and (kind != "have" or self._has_verb_after(at)) and (kind != "do" or self._has_verb_after(at)):
                is_be = is_be or kind == "be" or self.low(at) == "been"
                at += 1
            elif self.low(at) == "been":
                is_be, at = True, at + 1
            else:
                break
        return at, is_be

    def _has_verb_after(self, at: int) -> bool:
        at += 1
        while self.low(at) in SKIPPED or self.low(at) in {"not", "n't", "been"}:
            at += 1
        return self.is_verb(at)

    def _copular(self, subjects: tuple[int, ...], at: int, *, gap: int | None, is_place: bool) -> int | None:
        """Read what follows a form of be: a place, a role, a kind, a quality."""
        low = self.low(at)
        if gap is not None and (is_place or low in PREPOSITIONS):
            words = f"be {low}" if low in PREPOSITIONS else f"be {WHERE}"
            self._link_all(subjects, gap, words)
            return at + 1 if low in PREPOSITIONS else at
        if low in PREPOSITIONS:
            return self._complements(subjects, "be", at)
        phrase = self.phrase(at)
        if phrase is None:
            end = at
            while end < len(self.tokens) and self.tokens[end].pos in {"ADJ", "ADV", "NOUN"}:
                end += 1
            if end == at or len(subjects) != 1:
                return None
            self.sketch.link(subjects[0], self._value(at, end), "be")
            return end
        for place in phrase.places[:1]:
            thing = self.sketch.things[place]
            is_role = any(link.target == place and link.is_role for link in self.sketch.links)
            if is_role and len(subjects) == 1:
                self.sketch.merge(place, subjects[0])
            elif thing.noun and len(subjects) == 1:
                self.sketch.link(subjects[0], self._value(at, phrase.end), "be")
            else:
                return None
        return phrase.end

    def _value(self, at: int, end: int) -> int:
        words = [token.text for token in self.tokens[at:end] if token.text.lower() not in DETERMINERS]
        return self.sketch.add(Sketched(" ".join(words), value=" ".join(words), span=(at, end)))

    def _complements(
        self,
        subjects: tuple[int, ...],
        verb: str,
        at: int,
        *,
        gap: int | None = None,
        is_place: bool = False,
        is_passive: bool = False,
    ) -> int:
        end, direct, is_filled = at, "", False
        while end < len(self.tokens):
            low = self.low(end)
            if low in SKIPPED or low in {"best", "most", "well", "there"}:
                end += 1
            elif low in PREPOSITIONS:
                after = self._prepositional(subjects, f"{verb} {direct}".strip(), end, gap, is_passive=is_passive)
                if after is None:
                    is_filled = is_filled or gap is not None
                    return self._gap_filled(subjects, f"{verb} {direct}".strip(), low, gap, end)
                end = after
            elif low in _OWNERS and low not in {"my", "our"}:
                after = self._chain(end + 1, is_bare=False)
                if after == end + 1:
                    break
                direct, end = " ".join(self.lows[end + 1 : after]), after
            elif verb in _GIVING and low in {"me", "us"} and (gap is not None or self.phrase_at(end + 1)):
                end += 1
            elif low in {"as", "than"}:
                break
            elif self._object_with_preposition(verb, end, gap) > end:
                after = self._object_with_preposition(verb, end, gap)
                start = end + 1 if low in DETERMINERS else end
                direct, end = " ".join(self.lows[start:after]), after
            else:
                after = self._object(subjects, verb, end, is_passive=is_passive)
                if after is None:
                    break
                end, is_filled = after, is_filled or gap is None
        if gap is not None and not is_filled:
            words = f"{verb} {direct}".strip()
            self._link_all(subjects, gap, f"{words} {WHERE}" if is_place else words, is_passive=is_passive)
        elif direct and gap is None and end == at + 1 + len(direct.split()):
            self._link_all(subjects, self.sketch.add(Sketched(direct, noun=direct)), verb)
        return end

    def _object_with_preposition(self, verb: str, at: int, gap: int | None) -> int:
        """Return where an object ends that makes one saying with a preposition: "share an office with", else its start.

        The preposition stands alone where its complement is what the clause describes.
        """
        if gap is None and verb != "share":
            return at
        end = self._chain(at + 1 if self.low(at) in DETERMINERS else at, is_bare=False)
        is_common = all(self.tokens[place].text.islower() for place in range(at, min(end, len(self.tokens))))
        if end >= len(self.tokens) or not is_common or self.low(end) not in PREPOSITIONS - {"of"}:
            return at
        is_alone = gap is not None and not self.phrase_at(end + 1)
        return end if is_alone or verb == "share" and self.low(end) == "with" else at

    def _gap_filled(self, subjects: tuple[int, ...], verb: str, preposition: str, gap: int | None, at: int) -> int:
        """Let the complement of a preposition that stands alone be what the clause describes: "that Tom works for"."""
        if gap is None:
            return at
        self._link_all(subjects, gap, f"{verb} {preposition}")
        return at + 1

    def _prepositional(
        self, subjects: tuple[int, ...], verb: str, at: int, gap: int | None, *, is_passive: bool
    ) -> int | None:
        """Read a preposition with its own complement; None where it has none."""
        preposition = self.low(at)
        if gap is not None and not self.phrase_at(at + 1):
            return None
        same = self._same(subjects, f"{verb} {preposition}", at + 1)
        if same is not None:
            return same
        if self.low(at + 1) in RELATIVES | {"?", ""}:
            return None
        before = len(self.sketch.things), list(self.sketch.links)
        phrase = self.phrase(at + 1)
        if phrase is None:
            return None
        if gap is not None and self._is_clause(phrase.end):
            # "the bakery my aunt works at drive": the next words are the main clause's.
            del self.sketch.things[before[0] :]
            self.sketch.links = before[1]
            return None
        for place in phrase.places:
            if is_passive and preposition == "by":
                for subject in subjects:
                    self.sketch.link(place, subject, verb)
            else:
                self._link_all(subjects, place, f"{verb} {preposition}")
        self.sketch.top += phrase.places
        return phrase.end

    def _object(self, subjects: tuple[int, ...], verb: str, at: int, *, is_passive: bool) -> int | None:
        if self.low(at) in POSSESSIVES or self.low(at) in RELATIVES:
            return None
        same = self._same(subjects, verb, at)
        if same is not None:
            return same
        phrase = self.phrase(at)
        if phrase is None:
            return None
        for place in phrase.places:
            self._link_all(subjects, place, verb, is_passive=is_passive)
        self.sketch.top += phrase.places
        return phrase.end

    def _same(self, subjects: tuple[int, ...], words: str, at: int) -> int | None:
        """Read "the same city as my boss": one thing that the subjects have in common, with each other or another."""
        if self.low(at) != "the" or self.low(at + 1) not in _SAME:
            return None
        end = self._chain(at + 2, is_bare=False)
        if end == at + 2:
            return None
        noun = " ".join(self.lows[at + 2 : end])
        is_role = words == "have"
        shared = self.sketch.add(Sketched(noun, noun=noun, span=(at, end)))
        others: tuple[int, ...] = ()
        if self.low(end) == "as":
            other = self.phrase(end + 1)
            if other is None:
                return None
            others, end = other.places, other.end
        elif len(subjects) == 1 and self.sketch.is_described(subjects[0]):
            others = (self.sketch.twin(subjects[0]),)
        for place in (*subjects, *others):
            self.sketch.link(place, shared, noun if is_role else words, is_role=is_role)
        self.sketch.apart += [
            (one, other) for one in subjects for other in others if (one, other) not in self.sketch.apart
        ]
        self.sketch.top += (shared, *others)
        return end

    def _link_all(self, subjects: tuple[int, ...], target: int, words: str, *, is_passive: bool = False) -> None:
        for subject in subjects:
            source, end = (target, subject) if is_passive and " by" in words else (subject, target)
            self.sketch.link(source, end, words)

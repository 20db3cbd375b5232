"""Triples as plain English sentences, in the second person for the one who asks.

"You live in Lyon.", "Your sister Maya works for Airbus.", "You lived in Paris until November 2026.", "You like olives and
cheese." A predicate that the ontology does not know is read from its own name, so that no name of a predicate is ever shown.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from itertools import groupby

from memory.core.english.inflection import (
    base_form,
    gerund,
    is_known_verb,
    past,
    past_participle,
    plural,
    third_person,
    words_of_name,
)
from memory.core.english.telling_times import say_day
from memory.core.english.times import MONTHS
from memory.core.knowledge_graph.matching import holds, is_plan
from memory.core.knowledge_graph.ontology import FAVORITE, PREDICATES, Predicate, predicate_named
from memory.core.knowledge_graph.vocabulary import LANGUAGES
from memory.core.naming import key_of
from memory.core.types import Entity, Fact, Polarity, Tense, Triple


@dataclass(frozen=True)
class Assertion:
    """What verbalisation needs of a triple or a fact.

    `is_former` is true of what held once and does not any more; `is_perfect` asks for "have lived" in place of "live",
    `is_lapsed` for "used to live". `determiner` is the article of the object in the words that the fact was read from.
    `phrase` are words of the speaker's: a quotation of the whole where nothing else is sure to say it well.
    """

    subject: str
    predicate: str
    object: str
    polarity: Polarity = Polarity.POSITIVE
    tense: Tense = Tense.PRESENT
    is_any: bool = False
    is_former: bool = False
    object_kind: str = ""
    is_perfect: bool = False
    is_lapsed: bool = False
    determiner: str = ""
    phrase: str = ""


def assertion_of_triple(triple: Triple, *, at: datetime) -> Assertion:
    """Return a triple as it stands at a time: superseded, or with an end before that time, it is former."""
    is_over = triple.valid_to is not None and triple.valid_to <= at
    is_due = triple.valid_from is not None and triple.valid_from <= at
    has_come = triple.tense is Tense.FUTURE and is_due and not _is_planned_event(triple)
    return Assertion(
        triple.subject.label,
        triple.predicate,
        triple.object,
        triple.polarity,
        Tense.PRESENT if has_come else triple.tense,
        triple.is_any,
        is_former=triple.superseded_at is not None or is_over,
        object_kind=triple.object_kind,
        determiner=determiner_of(triple.object, words=triple.source.text),
        phrase=triple.phrase,
    )


def assertion_of_fact(fact: Fact, *, words: str = "") -> Assertion:
    """Return a fact as it was put; `words` is the sentence that it was read from."""
    return Assertion(
        fact.subject.label,
        fact.predicate,
        fact.object.label,
        fact.polarity,
        fact.tense,
        fact.object.is_any,
        object_kind=fact.object.kind,
        determiner=determiner_of(fact.object.label, words=words),
        phrase=fact.phrase,
    )


def quoted(words: str) -> str:
    """Return the words of a speaker as the phrase of a fact whose predicate may not be told in any other words."""
    return f"“{' '.join(words.split())}”"


def determiner_of(label: str, *, words: str) -> str:
    """Return the article that a sentence puts before a label ("the" of "the Louvre"), or nothing."""
    if not label or label[:1].isdigit():
        return ""
    found = re.search(rf"\b(a|an|the)\s+{re.escape(label)}(?!\w)", words, re.IGNORECASE)
    if found is None or label.lower().startswith(("a ", "an ", "the ")):
        return ""
    return found[1].lower()


def sentence(assertion: Assertion, *, asker: str) -> str:
    """Return one whole sentence."""
    return finished(clause([assertion], asker=asker))


def sentences(assertions: Sequence[Assertion], *, asker: str) -> list[str]:
    """Return whole sentences, with the values of one subject and predicate in one list."""
    return [finished(clause(group, asker=asker)) for group in grouped(assertions)]


def grouped(assertions: Sequence[Assertion]) -> list[list[Assertion]]:
    """Return assertions in groups of one subject, predicate, polarity and tense, in the order of their first ones."""
    return [list(group) for _, group in groupby(_gathered(assertions), key=_slot)]


def clause(assertions: Sequence[Assertion], *, asker: str) -> str:
    """Return what assertions of one subject, predicate, polarity and tense say, without capital and full stop."""
    first = assertions[0]
    if not _is_tellable(first):
        said = joined(list(dict.fromkeys(item.phrase for item in assertions)))
        return f"{thing_text(first.subject, asker=asker)}: {said}"
    is_name = first.predicate == "hasName"
    values = list(dict.fromkeys(item.object if is_name else _object_text(item, asker=asker) for item in assertions))
    return _Writer(first, asker=asker).clause(values)


def _is_tellable(item: Assertion) -> bool:
    """Return whether the predicate's name can be inflected: its verb is no participle, and its past is known if needed."""
    if (
        not item.phrase.startswith("“")
        or item.predicate in PREDICATES
        or predicate_named(item.predicate).verb == "have"
    ):
        return True
    verb = words_of_name(item.predicate)[0]
    base = base_form(verb)
    is_past = item.is_former or item.tense is Tense.PAST
    return verb in (base, third_person(base)) and (not is_past or is_known_verb(base) or base == "be")


def _object_text(item: Assertion, *, asker: str) -> str:
    text = thing_text(item.object, asker=asker)
    return f"{item.determiner} {text}" if item.determiner and text == item.object else text


def finished(text: str) -> str:
    """Return a clause as a sentence."""
    bare = text.strip()
    return bare[:1].upper() + bare[1:] + ("" if bare.endswith((".", "!", "?")) else ".")


def joined(items: Sequence[str]) -> str:
    """Return items as a list in words: "olives, cheese and bread"."""
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"


def thing_text(label: str, *, asker: str) -> str:
    """Return an entity as the asker would hear it: "you", "your sister", or its label."""
    if is_asker(label, asker=asker):
        return "you"
    owner, mark, rest = label.replace("’s", "'s").partition("'s ")
    if mark and is_asker(owner, asker=asker):
        return f"your {rest}"
    return label.capitalize() if label in LANGUAGES else label


def possessive(label: str, *, asker: str) -> str:
    """Return "your" or "Maya's"."""
    text = thing_text(label, asker=asker)
    if text == "you":
        return "your"
    return f"{text}'" if text.endswith("s") and text[:1].isupper() and text.lower().endswith("ss") else f"{text}'s"


def what_is(entity: Entity, triples: Sequence[Triple], *, asker: str, at: datetime) -> str:
    """Return what an entity is to the asker by the triples at hand ("you", "your brother"), else its kind in a word."""
    if is_asker(entity.label, asker=asker):
        return "you"
    for triple in triples:
        spec = predicate_named(triple.predicate)
        is_relation = spec.verb == "have" and bool(spec.noun) and triple.polarity is Polarity.POSITIVE
        if triple.object_id == entity.id and is_relation and holds(triple, at=at):
            return f"{possessive(triple.subject.label, asker=asker)} {spec.noun}"
    return " ".join(words_of_name(entity.kind)).lower()


def is_asker(label: str, *, asker: str) -> bool:
    return bool(asker) and key_of(label) == key_of(asker)


def with_article(noun: str) -> str:
    """Return a singular common noun with its indefinite article; names, plurals and what has a determiner stay."""
    words = noun.split()
    if not words or noun[:1].isupper() or noun[:1].isdigit() or words[0].lower() in _DETERMINED:
        return noun
    if words[-1].endswith("s") and not words[-1].endswith(("ss", "us", "is")):
        return noun
    sounds_open = noun[0].lower() in "aeiou" and not noun.lower().startswith(("uni", "eu", "one", "use"))
    return f"{'an' if sounds_open else 'a'} {noun}"


_DETERMINED = frozenset(
    "a an the my your his her their our its some any no this that these those one two three".split()
)
_COPULAS = {"maritalStatus", "nationality", "hasQuality", "isA", "age"}
_OF_SUBJECT = {
    "birthDate": "birthday", "hasName": "name", "phoneNumber": "phone number", "email": "email address",
    "address": "address", "height": "height", "weight": "weight", "appointment": "appointment",
    "deadline": "deadline", "budget": "budget",
}  # fmt: skip
_NUMBER_OF = "hasNumberOf"
_HOBBY, _PLANS, _WANTS = "hasHobby", "plansTo", "wants"
_BEFORE_NOUNS = frozenset("a an the my your his her its our their".split())
_ALWAYS_PAST = {"bornIn": "was born in", "grewUpIn": "grew up in"}
_PARTICIPLES_WITH_BE = frozenset("raise diagnose name base locate promote hire inspire elect award".split())


def _slot(item: Assertion) -> tuple[str, str, str, str, bool]:
    return (item.subject, item.predicate, item.polarity.value, item.tense.value, item.is_former)


def _gathered(assertions: Sequence[Assertion]) -> list[Assertion]:
    order = {slot: index for index, slot in reversed(list(enumerate(map(_slot, assertions))))}
    return sorted(assertions, key=lambda item: order[_slot(item)])


class _Writer:
    """Writes the clause of one subject and predicate."""

    def __init__(self, first: Assertion, *, asker: str) -> None:
        self._first = first
        self._asker = asker
        self._subject = thing_text(first.subject, asker=asker)
        self._is_you = self._subject == "you"
        self._is_negative = first.polarity is Polarity.NEGATIVE
        self._spec = predicate_named(first.predicate)

    def clause(self, values: list[str]) -> str:
        name, spec = self._first.predicate, self._spec
        if name in _ALWAYS_PAST and not self._is_negative:
            verb = _ALWAYS_PAST[name].replace("was", self._be(is_past=True))
            return f"{self._subject} {verb} {joined(values)}"
        if self._first.is_any:
            return self._denial_of_all()
        if name == "age":
            number = values[0].split()[0]
            years = f"{number} years old" if number.isdigit() else values[0]
            return f"{self._subject} {self._verb('be')} {years}"
        if name in {"isA", "worksAs"}:
            lead = self._verb("be") if name == "isA" else f"{self._verb('work')} as"
            return f"{self._subject} {lead} {joined([with_article(value) for value in values])}"
        if name in _COPULAS:
            return f"{self._subject} {self._verb('be')} {joined(values)}"
        if name.startswith(_NUMBER_OF):
            counted = " ".join(words_of_name(name.removeprefix(_NUMBER_OF)))
            return f"{self._subject} {self._verb('have')} {joined(values)} {counted}"
        if name in _OF_SUBJECT or name.startswith(FAVORITE):
            return self._of_subject(_OF_SUBJECT.get(name) or self._favorite_noun(), values)
        if spec.verb == "have" and spec.noun:
            return self._relation(spec.noun, values)
        return self._by_verb(spec, values)

    def _favorite_noun(self) -> str:
        thing = " ".join(words_of_name(self._first.predicate.removeprefix(FAVORITE)))
        return f"favourite {thing or 'thing'}"

    def _of_subject(self, noun: str, values: list[str]) -> str:
        owner = possessive(self._first.subject, asker=self._asker)
        head = plural(noun) if len(values) > 1 else noun
        return f"{owner} {head} {self._be(is_plural=len(values) > 1)}{self._not()} {joined(values)}"

    def _relation(self, noun: str, values: list[str]) -> str:
        """Say "your sister is Maya", or "you have a sister" where she has no name."""
        named = [value for value in values if not value.lower().endswith((f"'s {noun}", f"your {noun}", f" {noun}"))]
        if not named or self._is_negative or self._first.object_kind == "Literal":
            things = [with_article(_without_owner(value)) for value in values]
            return f"{self._subject} {self._verb('have')} {joined(things)}"
        if all(value[:1].islower() and value != "you" and not value.startswith("your ") for value in named):
            return f"{self._subject} {self._verb('have')} {joined([with_article(value) for value in named])}"
        if named == ["you"]:
            owner = possessive(self._first.subject, asker=self._asker)
            return f"you {'were' if self._first.is_former else 'are'} {owner} {noun}"
        return self._of_subject(noun, named)

    def _by_verb(self, spec: Predicate, values: list[str]) -> str:
        head, *rest = spec.verb.split()
        # The verbs of the ontology stand in their base form, "found" among them.
        base = head if spec.name in PREDICATES else base_form(head)
        preposition = "" if spec.name == _PLANS else spec.preposition
        values = [_doing(value, predicate=spec.name) for value in values]
        tail = " ".join([*rest, *([preposition] if preposition else [])])
        if base in _PARTICIPLES_WITH_BE and spec.preposition and not rest:
            return f"{self._subject} {self._verb('be')} {past_participle(base)} {spec.preposition} {joined(values)}"
        is_event = not spec.is_state and base != "be" and self._first.tense is Tense.PRESENT
        is_visit = (
            spec.name.startswith(("went", "met", "visited", "traveled")) and self._first.tense is not Tense.FUTURE
        )
        verb = past(base) if (is_event or is_visit) and not self._is_negative else self._verb(base)
        told = " or ".join(values) if self._is_negative else joined(values)
        return " ".join(part for part in (self._subject, verb, tail, told) if part)

    def _denial_of_all(self) -> str:
        spec = self._spec
        if spec.noun and spec.verb == "have":
            return f"{self._subject} {self._verb('have')} {with_article(spec.noun)}"
        anything = {"Person": "anyone", "Organization": "anyone", "Place": "anywhere"}.get(spec.range, "anything")
        head, *rest = (spec.verb or "have").split()
        preposition = "" if anything == "anywhere" else spec.preposition
        if self._first.predicate == "worksAs":
            return f"{self._subject} {self._verb('have')} a job"
        return " ".join(
            part for part in (self._subject, self._verb(base_form(head)), *rest, preposition, anything) if part
        )

    def _verb(self, base: str) -> str:
        """Return the finite verb for the subject, tense and polarity; a former fact that was asserted is past."""
        is_past = self._first.is_former or self._first.tense is Tense.PAST
        if self._first.is_lapsed and not self._is_negative:
            return f"used to {base}"
        if self._first.tense is Tense.FUTURE and not self._first.is_former:
            return f"will{self._not()} {base}"
        if self._first.is_perfect and not is_past:
            return f"{'have' if self._is_plain else 'has'}{self._not()} {past_participle(base)}"
        if base == "be":
            return f"{self._be(is_past=is_past)}{self._not()}"
        if self._is_negative:
            support = "did" if is_past else "do" if self._is_plain else "does"
            return f"{support} not {base}"
        if is_past:
            return past(base)
        return base if self._is_plain else third_person(base)

    def _be(self, *, is_past: bool | None = None, is_plural: bool | None = None) -> str:
        if self._first.is_lapsed and is_past is None:
            return "used to be"
        past_time = (self._first.is_former or self._first.tense is Tense.PAST) if is_past is None else is_past
        plain = self._is_plain if is_plural is None else is_plural
        return ("were" if plain else "was") if past_time else ("are" if plain else "is")

    @property
    def _is_plain(self) -> bool:
        """Whether the verb takes the form of you and they."""
        return self._is_you or " and " in self._subject

    def _not(self) -> str:
        return " not" if self._is_negative else ""


def _without_owner(value: str) -> str:
    text = value.removeprefix("your ")
    return text.rpartition("'s ")[2] if "'s " in text else text


def _doing(value: str, *, predicate: str) -> str:
    """Return what somebody does as its verb takes it: "enjoy baking", "plan to go to Oban" but "plan a party".

    What is wanted is a deed where its form or what comes behind says so: "want to adopt a cat", but "want help".
    """
    first, _, rest = value.partition(" ")
    if predicate == _HOBBY and not rest and is_known_verb(first):
        return gerund(first)
    base = base_form(first) if first.endswith("ing") else first
    is_deed = first.islower() and is_known_verb(base)
    wants_to = predicate == _WANTS and (base != first or rest.partition(" ")[0] in _BEFORE_NOUNS)
    if is_deed and (predicate == _PLANS or wants_to):
        return f"to {base} {rest}".strip()
    return value


def triple_text(triple: Triple, *, asker: str, at: datetime) -> str:
    """Return a triple as a sentence for the asker, with when it holds and whether it still does."""
    said = sentence(assertion_of_triple(triple, at=at), asker=asker)
    notes = [note for note in (_time_of(triple), _truth_at(triple, at)) if note]
    return f"{said} ({'; '.join(notes)})" if notes else said


def _time_of(triple: Triple) -> str:
    when = period(triple.valid_from, triple.valid_to)
    return when.replace("since ", "on ", 1) if _is_planned_event(triple) else when


def _truth_at(triple: Triple, at: datetime) -> str:
    if triple.superseded_at is None and (is_plan(triple, at=at) or _is_planned_event(triple)):
        return "planned"
    is_done = triple.tense is Tense.PAST and triple.superseded_at is None
    return "" if is_done or holds(triple, at=at) else "no longer true"


def _is_planned_event(triple: Triple) -> bool:
    """Return whether a triple plans what happens once: that its day has come does not tell that it happened."""
    known = PREDICATES.get(triple.predicate)
    return triple.tense is Tense.FUTURE and (known is None or not known.is_state)


def period(valid_from: datetime | None, valid_to: datetime | None) -> str:
    """Return the bounds of a time in words, no more exact than they are: "from 2 May 2020 until 3 June 2021", "in June 2024",
    "since 2019", or nothing."""
    if valid_from is not None and valid_to is not None:
        if valid_from.date() == valid_to.date():
            return f"on {say_day(valid_from)}"
        start, end = _say_bound(valid_from), _say_bound(valid_to, is_end=True)
        return f"in {start}" if start == end else f"from {start} until {end}"
    if valid_from is not None:
        return f"since {_say_bound(valid_from)}"
    return f"until {_say_bound(valid_to, is_end=True)}" if valid_to is not None else ""


def _say_bound(moment: datetime, *, is_end: bool = False) -> str:
    """Return when something begins or ends: the first or last day of a month or year stands for one named without a day."""
    if (moment + timedelta(days=is_end)).day != 1 or moment.time() != time.min:
        return say_day(moment)
    is_of_year = moment.month == (12 if is_end else 1)
    return str(moment.year) if is_of_year else f"{MONTHS[moment.month - 1]} {moment.year}"

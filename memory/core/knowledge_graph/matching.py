"""Finds the triples that answer a question.

Current triples answer questions about the present; superseded and ended triples answer questions about the past. A question
without a known predicate is matched with triples by word stems.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from memory.core.english.inflection import words_of_name
from memory.core.knowledge_graph.ontology import PREDICATES, are_compatible, predicate_named
from memory.core.knowledge_graph.question import GraphQuestion, Wanted
from memory.core.knowledge_graph.stems import content_stems, stem
from memory.core.knowledge_graph.vocabulary import LANGUAGES
from memory.core.naming import key_of
from memory.core.types import AskedTime, Polarity, Tense, TimeSpan, Triple

LANGUAGE = stem("language")
_LISTED = 3
_TIMED = frozenset({Wanted.TIME, Wanted.DURATION})


@dataclass(frozen=True)
class Given:
    """The other end that a question names: its words, and the entities that they may mean."""

    text: str = ""
    entity_ids: frozenset[int] = frozenset()

    def fits(self, triple: Triple) -> bool:
        """Return whether a triple's object may be what the question names; an empty `Given` fits everything."""
        if not self.text:
            return True
        if triple.object_id is not None and triple.object_id in self.entity_ids:
            return True
        asked, found = key_of(self.text), key_of(triple.object)
        if asked == found:
            return True
        stems = content_stems(self.text)
        return bool(stems) and stems <= words_of(triple)

    def is_told_with(self, triple: Triple) -> bool:
        """Return whether a triple fits, or was told in a sentence that has what the question names."""
        return self.fits(triple) or content_stems(self.text) <= content_stems(triple.source.text)


def holds(triple: Triple, *, at: datetime) -> bool:
    """Return whether a triple is believed and holds at a time.

    A state in the past tense has ended; an event stays true; a plan holds from its date on.
    """
    if triple.superseded_at is not None:
        return False
    if triple.tense is Tense.FUTURE and (triple.valid_from is None or triple.valid_from > at):
        return False
    if is_event(triple):
        return True
    if triple.valid_to is not None and triple.valid_to <= at:
        return False
    return triple.tense is not Tense.PAST or not predicate_named(triple.predicate).is_state


def is_plan(triple: Triple, *, at: datetime) -> bool:
    """Return whether a triple is about the future at a time."""
    is_ahead = triple.valid_from is None or triple.valid_from > at
    return triple.superseded_at is None and triple.tense is Tense.FUTURE and is_ahead


def outlived(triples: Iterable[Triple], *, at: datetime) -> list[Triple]:
    """Return the current triples that a plan has ended by coming true: the old home after the day of moving."""
    current = [triple for triple in triples if holds(triple, at=at)]
    due = [triple for triple in current if triple.tense is Tense.FUTURE]
    return [old for old in current if any(_gives_way(old, new) for new in due)]


def _gives_way(old: Triple, new: Triple) -> bool:
    if old is new or old.predicate != new.predicate or old.subject.id != new.subject.id:
        return False
    if old.polarity is Polarity.NEGATIVE or old.source.said_at > (new.valid_from or new.source.said_at):
        return False
    if new.polarity is Polarity.NEGATIVE:
        return new.is_any or key_of(new.object) == key_of(old.object)
    is_other = predicate_named(new.predicate).is_functional and key_of(new.object) != key_of(old.object)
    return is_other and not are_compatible(new.predicate, old.object, new.object)


def is_event(triple: Triple) -> bool:
    """Return whether a triple tells an event: its predicate is no known state, and it is in the past tense."""
    known = PREDICATES.get(triple.predicate)
    return triple.tense is Tense.PAST and (known is None or not known.is_state)


def overlaps(triple: Triple, span: TimeSpan) -> bool:
    """Return whether a triple held during a part of a time span."""
    starts_before = triple.valid_from is None or triple.valid_from < span.end
    end = triple.valid_to or triple.superseded_at
    return starts_before and (end is None or end > span.start)


def relevant(
    question: GraphQuestion,
    triples: Iterable[Triple],
    *,
    given: Given,
    at: datetime,
    asked_time: TimeSpan | None = None,
) -> list[Triple]:
    """Return the triples with one of the question's predicates that the question is about, newest first."""
    named = [triple for triple in triples if triple.predicate in question.predicates]
    if LANGUAGE in question.content and question.wanted is Wanted.VALUE:
        named = [triple for triple in named if key_of(triple.object) in LANGUAGES]
    fitting = [triple for triple in named if given.is_told_with(triple)]
    is_kind = bool(given.text) and not given.entity_ids and question.wanted is Wanted.VALUE
    if is_kind and not fitting and named and len(named) <= _LISTED and named[0].predicate != "owns":
        # "Instruments" are a kind of what is told.
        fitting = named
    return of_time(question, fitting, at=at, asked_time=asked_time)


def of_time(
    question: GraphQuestion, triples: Sequence[Triple], *, at: datetime, asked_time: TimeSpan | None = None
) -> list[Triple]:
    """Return the triples that held at the time that the question asks about."""
    if asked_time is not None and asked_time.end <= at and question.wanted not in _TIMED:
        dated = [triple for triple in triples if triple.valid_from is not None or triple.valid_to is not None]
        inside = [triple for triple in dated if overlaps(triple, asked_time)]
        if inside:
            return inside
    plans = [triple for triple in triples if is_plan(triple, at=at) and triple.polarity is Polarity.POSITIVE]
    over = outlived(triples, at=at)
    current = [triple for triple in triples if holds(triple, at=at) and triple not in over]
    if plans and (question.when is AskedTime.FUTURE or question.wanted in _TIMED or not current):
        current = [*plans, *(triple for triple in current if question.when is not AskedTime.FUTURE)]
    former = [triple for triple in triples if triple not in current and triple not in plans]
    former = [triple for triple in former if triple.polarity is Polarity.POSITIVE]
    if question.when is AskedTime.EVER or question.is_past and question.wanted in _TIMED:
        return [*current, *former]
    if question.is_past:
        return [*former, *(triple for triple in current if is_event(triple))]
    return current


def best_predicate(question: GraphQuestion, triples: Sequence[Triple]) -> list[Triple]:
    """Return the triples of the first of the question's predicates that has any.

    Counts, yes-no questions and general kinship ("siblings") take the triples of all predicates.
    """
    kin = [name for name in question.predicates if name.startswith("has") and name != "hasName"]
    counted = [triple for triple in triples if triple.predicate.startswith("hasNumberOf")]
    if question.wanted is Wanted.COUNT and counted:
        return counted
    if question.wanted in {Wanted.COUNT, Wanted.TRUTH} or len(kin) > 1:
        relations = [triple for triple in triples if triple.predicate in kin]
        return relations or list(triples)
    days = [triple for triple in triples if triple.predicate.endswith("Date") and triple.predicate not in PREDICATES]
    if days and question.wanted is Wanted.TIME:
        # "The operation is put back to 27 March" dates the cataract operation anew.
        return sorted(days, key=lambda triple: triple.source.said_at, reverse=True)
    for name in question.predicates:
        found = [triple for triple in triples if triple.predicate == name]
        if found:
            return found
    return []


def by_words(question: GraphQuestion, triples: Sequence[Triple], *, names: Collection[str]) -> list[Triple]:
    """Return the triples whose words include all content words of the question, apart from its subject's names."""
    asked = question.content - content_stems(" ".join(names)) - VAGUE
    if not asked:
        return []
    return [triple for triple in triples if asked <= words_of(triple)]


def words_of(triple: Triple) -> frozenset[str]:
    """Return the stems of a triple's predicate, phrase and object."""
    name = frozenset(stem(word) for word in words_of_name(triple.predicate))
    return name | content_stems(triple.phrase) | content_stems(triple.object)


VAGUE = frozenset(stem(word) for word in "kind type sort name thing time person people place happen".split())

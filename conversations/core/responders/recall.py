"""Finds what a memory holds for a question: entities, then triples, then sentences. All responders that answer use it.

At most eight reads a question for any size of memory: one for names, one for relations ("my sister"), one
for a chain's second link, three for triples, one for sentences, one for words that nobody said.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from conversations.core.responders.phrasing import is_nameless, is_relation
from conversations.core.responders.premises import words_of_question
from conversations.core.responders.subjects import TRIPLE_LIMIT, Subject, find_given, find_subject, look_up
from conversations.core.types import Query
from memory.core.english.grammatical_person import FIRST_PERSON
from memory.core.english.times import dates_in, time_of
from memory.core.knowledge_graph.matching import (
    Given,
    best_predicate,
    by_words,
    holds,
    of_time,
    overlaps,
    relevant,
)
from memory.core.knowledge_graph.ontology import PREDICATES, predicate_named
from memory.core.knowledge_graph.question import GraphQuestion, Wanted
from memory.core.knowledge_graph.question_shell import unwrapped
from memory.core.knowledge_graph.stems import content_stems
from memory.core.naming import key_of
from memory.core.ports import MemoryReader
from memory.core.types import Entity, Modality, Polarity, ScoredSentence, Tense, TimeSpan, Triple

_SENTENCE_LIMIT = 30
_PLACE_PREPOSITIONS = frozenset({"in", "at", "to", "near", "from", "on", "into", "around", "through"})


@dataclass(frozen=True)
class Recollection:
    """What was recalled for a question. `triples` answer it; `all_triples` are all that were read.

    `unsaid` are the words of the question that nobody ever said, looked for where no triple answers.
    """

    question: GraphQuestion
    subject: Subject
    given: Given
    triples: tuple[Triple, ...] = ()
    all_triples: tuple[Triple, ...] = ()
    nearest: tuple[ScoredSentence, ...] = ()
    asked_time: TimeSpan | None = None
    unsaid: frozenset[str] = frozenset()


def recall(question: GraphQuestion, query: Query, *, memory: MemoryReader) -> Recollection:
    """Return what the memory holds for one question, triples first; sentences only where no triple answers by rule."""
    names = look_up(question, query, memory)
    subject = find_subject(question, query, names, memory)
    given = find_given(question, query, names)
    found = Recollection(question, subject, given, asked_time=_asked_time(question, query))
    found = _with_triples(found, query, memory)
    if question.excluded and found.triples:
        left_out = [Given(name) for name in re.split(r"\s*(?:,|\band\b|\bor\b)\s*", question.excluded) if name]
        return replace(found, triples=tuple(t for t in found.triples if not any(one.fits(t) for one in left_out)))
    return found if found.triples else with_sentences(found, query, memory)


def _asked_time(question: GraphQuestion, query: Query) -> TimeSpan | None:
    asked = time_of(question.time, said_at=query.asked_at)
    return asked.during(query.asked_at) if asked is not None and not asked.is_vague else None


def _with_triples(found: Recollection, query: Query, memory: MemoryReader) -> Recollection:
    question = found.question
    ids = [entity.id for entity in found.subject.entities]
    if question.value_path is not None and question.value_path.relations:
        # What is found by a path of its own is joined by a search, and read back else.
        return found
    if not ids:
        known = found.given.entity_ids and question.predicates and question.subject is None
        return replace(found, triples=tuple(_of_other_end(found, ids, query, memory))) if known else found
    if question.wanted in {Wanted.EVERYTHING, Wanted.IDENTITY}:
        about = memory.triples_about(ids, limit=TRIPLE_LIMIT)
        related = [t for t in memory.triples_about(ids, as_object=True, limit=TRIPLE_LIMIT) if is_relation(t)]
        current = of_time(question, [*related, *about], at=query.asked_at)
        if question.wanted is Wanted.EVERYTHING and not question.is_past:
            over = [t for t in about if t not in current and t.superseded_at is None]
            current += [t for t in over if t.polarity is Polarity.POSITIVE]
        return replace(found, triples=tuple(current), all_triples=(*related, *about))
    if question.wanted is Wanted.NAME:
        named = [t for t in found.subject.relation if t.object_id in ids] or []
        said = memory.triples_about(ids, predicates=["hasName"], limit=TRIPLE_LIMIT)
        return replace(found, triples=(*of_time(question, said, at=query.asked_at), *named), all_triples=tuple(said))
    if question.wanted is Wanted.RELATION:
        return _related_to_given(found, ids, query, memory)
    read: list[Triple] = []
    if question.predicates:
        wider = _with_opposites(question.predicates)
        read = memory.triples_about(ids, predicates=wider, include_superseded=True, limit=TRIPLE_LIMIT)
        read += _mirrored(question, ids, memory)
        asked = [triple for triple in read if triple.predicate in wider]
        if question.wanted is Wanted.TRUTH and asked:
            return replace(found, triples=tuple(asked), all_triples=tuple(read))
        fitting = relevant(question, read, given=found.given, at=query.asked_at, asked_time=found.asked_time)
        if question.wanted is Wanted.PERSON:
            fitting = [t for t in fitting if t.is_any or not is_nameless(t) and _tells(t, question)]
        chosen = best_predicate(question, fitting) or _denied(read, question, at=query.asked_at)
        chosen = chosen or _of_other_end(found, ids, query, memory)
        if chosen:
            return replace(found, triples=tuple(chosen), all_triples=tuple(read))
    return _by_meaning(replace(found, all_triples=tuple(read)), ids, query, memory)


def _related_to_given(found: Recollection, ids: Sequence[int], query: Query, memory: MemoryReader) -> Recollection:
    """Find the relations between the subject and whom the question gives, or else the asker, either way."""
    about = memory.triples_about(ids, limit=TRIPLE_LIMIT)
    read = [t for t in (*memory.triples_about(ids, as_object=True, limit=TRIPLE_LIMIT), *about) if is_relation(t)]
    asker = memory.entities_named([query.speaker]).get(query.speaker, ())
    given = found.given.entity_ids or {entity.id for entity in asker}
    chosen = [t for t in read if t.subject.id in given or t.object_id in given]
    positive = [t for t in chosen if t.polarity is Polarity.POSITIVE and not t.is_any]
    return replace(found, triples=tuple(positive), all_triples=tuple(read))


def _with_opposites(names: Sequence[str]) -> list[str]:
    opposites = [predicate_named(name).disjoint_with for name in names]
    return [*names, *(name for name in opposites if name)]


def _mirrored(question: GraphQuestion, ids: Sequence[int], memory: MemoryReader) -> list[Triple]:
    """Return the triples of symmetric predicates from their other side: Tom is married to whoever is married to Tom."""
    symmetric = [name for name in question.predicates if predicate_named(name).is_symmetric]
    if not symmetric:
        return []
    triples = memory.triples_about(
        ids, predicates=symmetric, as_object=True, include_superseded=True, limit=TRIPLE_LIMIT
    )
    return [_turned(triple, question) for triple in triples if triple.object_id is not None]


def _turned(triple: Triple, question: GraphQuestion) -> Triple:
    subject = Entity(triple.object_id or 0, triple.object, triple.object_kind)
    return replace(
        triple,
        subject=subject,
        object=triple.subject.label,
        object_id=triple.subject.id,
        object_kind=triple.subject.kind,
    )


def _denied(read: Sequence[Triple], question: GraphQuestion, *, at: datetime) -> list[Triple]:
    """Return what the opposite of a question's predicates denies: what somebody does not like is what they dislike."""
    return [
        triple
        for triple in read
        if triple.predicate not in question.predicates
        and triple.polarity is Polarity.NEGATIVE
        and not triple.is_any
        and holds(triple, at=at)
    ]


def _of_other_end(found: Recollection, ids: Sequence[int], query: Query, memory: MemoryReader) -> list[Triple]:
    """Return the triples of whoever stands in a relation to what is asked about: "Who lives in Lyon?"."""
    if found.question.wanted not in {Wanted.PERSON, Wanted.VALUE}:
        return []
    question, ends = found.question, sorted(found.given.entity_ids) or ids
    read = memory.triples_about(
        ends, predicates=question.predicates, as_object=True, include_superseded=True, limit=TRIPLE_LIMIT
    )
    # With whom the asker did it is not answered by the asker.
    own = ids if FIRST_PERSON.search(question.text) else ()
    told = [triple for triple in of_time(question, read, at=query.asked_at) if triple.subject.id not in own]
    return [triple for triple in told if triple.polarity is Polarity.POSITIVE]


def _by_meaning(found: Recollection, ids: Sequence[int], query: Query, memory: MemoryReader) -> Recollection:
    """Look over the newest triples of the subject for one that the question's words fit."""
    question = found.question
    read = memory.triples_about(ids, include_superseded=question.is_past, limit=TRIPLE_LIMIT)
    candidates = [triple for triple in read if not triple.is_any]
    if question.wanted is not Wanted.TRUTH:
        candidates = of_time(question, candidates, at=query.asked_at)
    if question.wanted is Wanted.TIME and found.asked_time is None:
        candidates = [triple for triple in candidates if triple.valid_from is not None or _is_dated(triple)]
    if found.asked_time is not None:
        dated = [triple for triple in candidates if triple.valid_from is not None]
        candidates = [triple for triple in dated if overlaps(triple, found.asked_time)]
    everything = (*found.all_triples, *read)
    if question.wanted in {Wanted.VALUE, Wanted.PLACE, Wanted.PERSON}:
        candidates = [triple for triple in candidates if _tells(triple, question)]
    # Where the ontology knows the asked predicate, another predicate that it knows is another question's answer.
    if question.wanted is not Wanted.TRUTH and any(name in PREDICATES for name in question.predicates):
        candidates = [triple for triple in candidates if triple.predicate not in PREDICATES]
    if question.wanted is Wanted.VALUE and found.asked_time is not None and not question.predicates:
        return replace(found, triples=tuple(_happened(read, found.asked_time)), all_triples=everything)
    chosen = by_words(question, candidates, names=found.subject.names)
    return replace(found, triples=tuple(chosen), all_triples=everything)


def _happened(triples: Sequence[Triple], time: TimeSpan) -> list[Triple]:
    """Return what is told of a time in the past tense and is still believed."""
    return [
        triple
        for triple in triples
        if triple.superseded_at is None
        and triple.tense is Tense.PAST
        and triple.valid_from is not None
        and overlaps(triple, time)
    ]


def _tells(triple: Triple, question: GraphQuestion) -> bool:
    """Return whether a triple's object says more than the question, and could be a place where one is asked for."""
    if content_stems(triple.object) <= question.content:
        return False
    return question.wanted is not Wanted.PLACE or predicate_named(triple.predicate).preposition in _PLACE_PREPOSITIONS


def _is_dated(triple: Triple) -> bool:
    return bool(dates_in(triple.source.text, said_at=triple.source.said_at))


def search_text(found: Recollection) -> str:
    """Return what to look for among sentences: the question as its subject would have said it.

    People say "I joined a programme", not their own names; a name in the search finds those who call it.
    """
    text = _QUESTION_LEAD.sub("", unwrapped(found.question.text).text.strip(" ?"))
    for entity in found.subject.entities:
        if entity.is_speaker:
            text = re.sub(rf"\b{re.escape(entity.label)}(?:'s|’s)\b", "my", text, flags=re.IGNORECASE)
            text = re.sub(rf"\b{re.escape(entity.label)}\b", "I", text, flags=re.IGNORECASE)
    return text or found.question.text


_QUESTION_LEAD = re.compile(
    r"^(?:(?:what|which|who|whom|whose|where|when|why|how(?: (?:long|many|much|old|often))?)(?:'s|\b)\s*)?"
    r"(?:(?:do|does|did|is|are|am|was|were|has|have|had|will|would|can|could)\b\s*)?",
    re.IGNORECASE,
)


def with_sentences(found: Recollection, query: Query, memory: MemoryReader) -> Recollection:
    """Return what was recalled with the sentences nearest to the question, and the words of it that nobody said."""
    question = found.question
    nearest = memory.sentences_like(search_text(found), limit=_SENTENCE_LIMIT)
    known = {key_of(item) for item in (query.text, question.text)}
    nearest = [item for item in nearest if key_of(item.sentence.text) not in known]
    words = words_of_question(unwrapped(question.text).text)
    unsaid = frozenset(words) - memory.words_said(words)
    return replace(found, nearest=tuple(nearest), unsaid=unsaid)


def is_asked_for(question: GraphQuestion, triple: Triple) -> bool:
    """Return whether a triple says what a question asks, of whomever: by its predicate, or by its value in the question."""
    return triple.predicate in question.predicates or bool(question.content & content_stems(triple.object))


def is_believed(triple: Triple) -> bool:
    return triple.superseded_at is None and triple.modality is Modality.ASSERTED


def looked_at(found: Recollection) -> str:
    """Return the progress line of a question: "looked at Maya"."""
    labels = [entity.label for entity in found.subject.entities][:2]
    asked = found.question.subject
    term = "" if asked is None or asked.is_speaker else asked.text
    return f"looked at {' and '.join(labels) or term or 'what was said'}"

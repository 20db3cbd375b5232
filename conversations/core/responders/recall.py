"""Finds what a memory holds for a question: entities, then triples, then sentences. All responders that answer use it.

At most eight reads a question for any size of memory: one for names, one for relations ("my sister"), one
for a chain's second link, three for triples, one for sentences, one for words that nobody said.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from conversations.core.responders.phrasing import is_nameless, is_relation
from conversations.core.responders.premises import words_of_question
from conversations.core.responders.subjects import TRIPLE_LIMIT, Subject, find_given, find_subject, look_up
from conversations.core.types import Query
from memory.core.english.inflection import singular
from memory.core.english.times import dates_in, time_of
from memory.core.knowledge_graph.matching import (
    VAGUE,
    Given,
    best_predicate,
    by_words,
    of_time,
    overlaps,
    relevant,
)
from memory.core.knowledge_graph.ontology import PREDICATES, predicate_named
from memory.core.knowledge_graph.question import GraphQuestion, Wanted
from memory.core.knowledge_graph.question_shell import unwrapped
from memory.core.knowledge_graph.stems import content_stems
from memory.core.knowledge_graph.vocabulary import LANGUAGES
from memory.core.naming import key_of
from memory.core.ports import MemoryReader
from memory.core.types import Entity, Modality, Polarity, ScoredSentence, Tense, TimeSpan, Triple

_SENTENCE_LIMIT = 30
_LISTED = 3
COLOURS = frozenset(
    "red blue green yellow black white grey gray brown orange purple pink silver gold golden beige turquoise navy violet "
    "cream maroon bronze dark light ginger blond blonde tabby".split()
)
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
    found = _with_company(_with_colour(_with_triples(found, query, memory)))
    if question.excluded:
        left_out = [Given(name) for name in re.split(r"\s*(?:,|\band\b|\bor\b)\s*", question.excluded) if name]
        kept = [t for t in found.triples if not any(given.fits(t) for given in left_out)]
        if found.triples:
            return replace(found, triples=tuple(kept))
    if found.triples or question.wanted is Wanted.EVERYTHING:
        return found if found.triples else with_sentences(found, query, memory)
    return with_sentences(found, query, memory)


def _asked_time(question: GraphQuestion, query: Query) -> TimeSpan | None:
    asked = time_of(question.time, said_at=query.asked_at)
    return asked.during(query.asked_at) if asked is not None and not asked.is_vague else None


def _with_triples(found: Recollection, query: Query, memory: MemoryReader) -> Recollection:
    question = found.question
    if question.subject is None:
        return _of_unknown_subject(found, query, memory)
    ids = [entity.id for entity in found.subject.entities]
    if not ids:
        return found
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
        return _related_to_given(found, ids, memory)
    read: list[Triple] = []
    if question.predicates:
        wider = _with_opposites(question.predicates)
        read = memory.triples_about(ids, predicates=wider, include_superseded=True, limit=TRIPLE_LIMIT)
        read += _mirrored(question, ids, memory)
        if question.wanted is Wanted.TRUTH:
            return replace(found, triples=tuple(_of_predicates(read, wider)), all_triples=tuple(read))
        fitting = relevant(question, read, given=found.given, at=query.asked_at, asked_time=found.asked_time)
        if question.wanted is Wanted.PERSON:
            fitting = [triple for triple in fitting if triple.is_any or not is_nameless(triple)]
        chosen = _of_kind(question, best_predicate(question, fitting))
        if chosen:
            return replace(found, triples=tuple(chosen), all_triples=tuple(read))
    return _by_meaning(replace(found, all_triples=tuple(read)), ids, query, memory)


def _related_to_given(found: Recollection, ids: Sequence[int], memory: MemoryReader) -> Recollection:
    """Find the relations between the subject and whom the question gives, either way."""
    about = memory.triples_about(ids, limit=TRIPLE_LIMIT)
    read = [t for t in (*memory.triples_about(ids, as_object=True, limit=TRIPLE_LIMIT), *about) if is_relation(t)]
    given = found.given.entity_ids
    chosen = [t for t in read if t.subject.id in given or t.object_id in given]
    positive = [t for t in chosen if t.polarity is Polarity.POSITIVE and not t.is_any]
    return replace(found, triples=tuple(positive), all_triples=tuple(read))


def _with_company(found: Recollection) -> Recollection:
    """Leave out what does not tell with whom, where that is asked: "Who did I visit the Prado with?"."""
    question = found.question
    if question.wanted is not Wanted.PERSON or "with" not in question.preposition.split():
        return found
    told = [t for t in found.triples if t.object_kind == "Person" or predicate_named(t.predicate).preposition == "with"]
    return replace(found, triples=tuple(told))


def _with_colour(found: Recollection) -> Recollection:
    """Take the colour of a thing from the words that name it: "red" of a car that is "a red Toyota"."""
    if found.triples or found.question.noun.lower() not in {"colour", "color"}:
        return found
    told = [triple for triple in found.subject.relation if COLOURS & set(triple.object.lower().split())]
    return replace(found, triples=tuple(told))


def _of_kind(question: GraphQuestion, chosen: list[Triple]) -> list[Triple]:
    """Return the values of the asked kind ("Which musicians do I like?") where not every value is of that kind.

    A short list of likes is shown whole; what somebody owns is shown only where its words tell the kind.
    """
    if not question.noun or question.wanted is not Wanted.VALUE or question.verb == "be" or not chosen:
        return chosen
    if singular(question.noun.lower().split()[-1]) == "language":
        return [triple for triple in chosen if key_of(triple.object) in LANGUAGES]
    if len(chosen) <= _LISTED and chosen[0].predicate != "owns":
        return chosen
    kind = content_stems(question.noun) - VAGUE
    return [triple for triple in chosen if not kind or kind & content_stems(f"{triple.object} {triple.source.text}")]


def _of_predicates(triples: Iterable[Triple], names: Sequence[str]) -> list[Triple]:
    return [triple for triple in triples if triple.predicate in names]


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


def _of_unknown_subject(found: Recollection, query: Query, memory: MemoryReader) -> Recollection:
    """Find who or what stands in a relation to what the question gives: "Who lives in Lyon?"."""
    question = found.question
    if not found.given.entity_ids or not question.predicates:
        return found
    read = memory.triples_about(
        sorted(found.given.entity_ids),
        predicates=question.predicates,
        as_object=True,
        include_superseded=True,
        limit=TRIPLE_LIMIT,
    )
    chosen = of_time(question, read, at=query.asked_at, asked_time=found.asked_time)
    positive = [triple for triple in chosen if triple.polarity is Polarity.POSITIVE]
    return replace(found, triples=tuple(positive), all_triples=tuple(read))


def _by_meaning(found: Recollection, ids: Sequence[int], query: Query, memory: MemoryReader) -> Recollection:
    """Look over the newest triples of the subject for one that the question's words fit."""
    question = found.question
    read = memory.triples_about(ids, include_superseded=question.is_past, limit=TRIPLE_LIMIT)
    candidates = of_time(question, [triple for triple in read if not triple.is_any], at=query.asked_at)
    if question.wanted is Wanted.TIME and found.asked_time is None:
        candidates = [triple for triple in candidates if triple.valid_from is not None or _is_dated(triple)]
    if found.asked_time is not None:
        dated = [triple for triple in candidates if triple.valid_from is not None]
        candidates = [triple for triple in dated if overlaps(triple, found.asked_time)]
    everything = (*found.all_triples, *read)
    if question.wanted in {Wanted.VALUE, Wanted.PLACE, Wanted.PERSON}:
        candidates = [triple for triple in candidates if _tells(triple, question)]
    # Where the ontology knows the asked predicate, another predicate that it knows is another question's answer.
    if any(name in PREDICATES for name in question.predicates):
        candidates = [triple for triple in candidates if triple.predicate not in PREDICATES]
    if question.verb == "do" and question.wanted is Wanted.VALUE and found.asked_time is not None:
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

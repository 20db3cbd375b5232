"""Selects, by rule, the retrieved sentences that support an answer.

The criteria are those of the responder `graph`. Where no single sentence supports an answer, a whole turn may: question and
answer often stand in different sentences of it ("I bought tickets to Canada. I leave the day after tomorrow.").
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from conversations.core.responders.recall import Recollection, search_text
from conversations.core.responders.subjects import TRIPLE_LIMIT, Subject, find_given, find_subject, look_up
from conversations.core.responders.support import SupportConfig, is_told, supporting
from conversations.core.types import Query
from memory.core.knowledge_graph.question import GraphQuestion, Wanted
from memory.core.naming import key_of
from memory.core.ports import DialogueIndex, MemoryReader, Retriever, SentenceReader
from memory.core.types import CHUNKS, DIGESTS, Retrieval, RetrievalQuery, ScoredChunk, ScoredSentence, Unit

# The K of the recipes.
_RETRIEVED = 5
# A chunk that was found as a whole is quoted by its own sentences nearest to the question, of so many.
_LOOKED_AT = 60
_CANDIDATES = 60
_TURNS = 12
# A retriever has found these sentences: one with all words of a short question need not be like it as a whole.
_FOUND = SupportConfig(whole_similarity=0.1)
# What tells of an event without saying when is dated by when it was said; then every word has to be there.
_EVERY_WORD = SupportConfig(high_coverage=2.0, low_coverage=2.0)
_TIMES = (Wanted.TIME, Wanted.DURATION)


@dataclass(frozen=True)
class SaidMemory:
    """What one space's memory is read for: its index, its sentences and its entities."""

    index: DialogueIndex
    sentences: SentenceReader
    memory: MemoryReader


def look_through(retriever: Retriever, text: str, query: Query) -> Retrieval:
    """Return what a retriever finds for a question: K = 5 chunks (SGMem, section 4.4)."""
    return retriever.retrieve(
        RetrievalQuery(text=text, asked_at=query.asked_at, asked_by=query.speaker), limit=_RETRIEVED
    )


def recollect(question: GraphQuestion, query: Query, retrieval: Retrieval, said: SaidMemory) -> Recollection:
    """Return the sentences of a retrieval that support an answer, as a `Recollection`."""
    names = look_up(question, query, said.memory)
    subject = find_subject(question, query, names, said.memory)
    found = Recollection(question, subject, find_given(question, query, names))
    nearest = scored_sentences(retrieval, [search_text(found), question.text], said)
    known = {key_of(query.text), key_of(question.text)}
    nearest = [item for item in nearest if key_of(item.sentence.text) not in known]
    if not (question.is_past or question.is_finished):
        refuted = _refuted(subject, said.memory)
        nearest = [item for item in nearest if item.sentence.id not in refuted]
    called = (*subject.names, *(entity.label for entity in subject.entities))
    return replace(
        found,
        sentences=tuple(_supporting(question, nearest, asker=query.speaker, names=called)),
        nearest=tuple(nearest),
    )


def _refuted(subject: Subject, memory: MemoryReader) -> set[int]:
    """Return the sentences about a subject of which every triple was superseded."""
    ids = [entity.id for entity in subject.entities]
    told = memory.triples_about(ids, include_superseded=True, limit=TRIPLE_LIMIT) if ids else []
    believed = {triple.source.id for triple in told if triple.superseded_at is None}
    return {triple.source.id for triple in told} - believed


def scored_sentences(retrieval: Retrieval, texts: Sequence[str], said: SaidMemory) -> list[ScoredSentence]:
    """Return the sentences of a retrieval, best first, each with its largest similarity to the texts.

    The sentences that the retriever found come first, then the others of their turns.
    """
    vectors = said.index.embed(texts)
    ids = dict.fromkeys(one.id for one in retrieval.sentences)
    ids |= dict.fromkeys(one for chunk in _chunks(retrieval) for one in chunk.sentence_ids)
    turns = dict.fromkeys(chunk.id for chunk in retrieval.chunks.get(Unit.TURN, ()))
    if not ids and not turns:
        ids = dict.fromkeys(
            _within(
                retrieval, [one.id for one in said.index.nearest(Unit.SENTENCE, vectors[0], limit=_LOOKED_AT)], said
            )
        )
    places = said.index.places_of(list(ids))
    turns |= dict.fromkeys(places[one].turn_id for one in ids if one in places)
    members = said.index.sentences_of(list(turns)[:_TURNS])
    ids |= dict.fromkeys(one for turn in members.values() for one in turn)
    chosen = list(ids)[:_CANDIDATES]
    similarities = [said.index.similarities_to(chosen, vector) for vector in vectors] if chosen else []
    return [
        ScoredSentence(source, score=1 / (rank + 1), similarity=max(one.get(source.id, 0.0) for one in similarities))
        for rank, source in enumerate(said.sentences.sources_of(chosen))
    ]


def _within(retrieval: Retrieval, near: Sequence[int], said: SaidMemory) -> list[int]:
    """Return those of the sentences that are in the chunks of a retrieval, or in the sessions of its digests."""
    chosen = {(chunk.unit, chunk.id) for chunk in _chunks(retrieval)}
    for kind in DIGESTS:
        noted = said.index.passages_of(kind, [one.id for one in retrieval.digests if one.unit is kind])
        chosen |= {(Unit.SESSION, passage.session_id) for passage in noted if passage.session_id is not None}
    places = said.index.places_of(near) if chosen else {}
    return [
        one for one in near if one in places and any((unit, places[one].chunk_id(unit)) in chosen for unit in CHUNKS)
    ]


def _chunks(retrieval: Retrieval) -> list[ScoredChunk]:
    return [chunk for unit in CHUNKS for chunk in retrieval.chunks.get(unit, ())]


def _supporting(
    question: GraphQuestion, nearest: Sequence[ScoredSentence], *, asker: str, names: Sequence[str]
) -> list[ScoredSentence]:
    alone = supporting(question, nearest, asker=asker, names=names, config=_FOUND)
    if alone:
        return alone
    by_turn = supporting(question, _as_turns(question, nearest), asker=asker, names=names)
    if by_turn:
        return [_telling(question, item, nearest) for item in by_turn]
    if question.wanted in _TIMES:
        return supporting(replace(question, wanted=Wanted.VALUE), nearest, asker=asker, names=names, config=_EVERY_WORD)
    return []


def _as_turns(question: GraphQuestion, nearest: Sequence[ScoredSentence]) -> list[ScoredSentence]:
    """Return the turns of the sentences as one sentence each, with the similarity of the best one."""
    turns: dict[int, list[ScoredSentence]] = {}
    for item in nearest:
        if not item.sentence.text.rstrip().endswith("?"):
            turns.setdefault(item.sentence.turn_id, []).append(item)
    return [
        replace(
            best := max(items, key=lambda item: item.similarity),
            sentence=replace(best.sentence, text=" ".join(item.sentence.text for item in _in_order(items))),
        )
        for items in turns.values()
        if len(items) > 1
    ]


def _in_order(items: Sequence[ScoredSentence]) -> list[ScoredSentence]:
    return sorted(items, key=lambda item: item.sentence.id)


def _telling(question: GraphQuestion, turn: ScoredSentence, nearest: Sequence[ScoredSentence]) -> ScoredSentence:
    """Return the sentence of a turn that answers: the one with a time where a time is asked for, else the nearest."""
    members = [item for item in nearest if item.sentence.turn_id == turn.sentence.turn_id]
    dated = [item for item in members if is_told(item.sentence)] if question.wanted in _TIMES else []
    return max(dated or members, key=lambda item: item.similarity)

"""What a retrieval found, sentence by sentence."""

from collections.abc import Sequence
from dataclasses import dataclass

from conversations.core.types import Query
from memory.core.ports import DialogueIndex, MemoryReader, Retriever, SentenceReader
from memory.core.types import CHUNKS, DIGESTS, Retrieval, RetrievalQuery, ScoredChunk, ScoredSentence, Unit

# The K of the recipes.
_RETRIEVED = 5
# A chunk that was found as a whole is quoted by its own sentences nearest to the question, of so many.
_LOOKED_AT = 60
_CANDIDATES = 60
_TURNS = 12


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

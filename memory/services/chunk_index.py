"""Vectors and words of rounds, turns and windows (SGMem, section 3.3: the index tables of chunks).

A round is indexed as a whole: its vector, those of its turns and windows, and their words for BM25, also as words of its
session. Only evidence is indexed: a turn that only asks, or that the product wrote, has no vector and no words, and neither
has a round of nothing else. What depends on words that are taken out goes at once, in the transaction that takes them; it is
made anew in the background. Departures from the paper: windows, and postings of words, are ours; so is what is left out.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from django.db.models import Exists, OuterRef
from django.utils import timezone
from numpy.typing import NDArray

from memory.core import bm25
from memory.core.ports import Embedder
from memory.core.sentence_graph.hierarchy import context_text, round_text, session_text, turn_text, window_text
from memory.models import WORD_LIMIT, Round, RoundVector, SentenceRecord, Turn, TurnVector
from memory.services import postings
from memory.services.postings import TurnWords
from memory.services.round_words import RoundReading
from memory.services.session_index import sessions_outdate

ROUNDS_AT_ONCE = 16
Vector = NDArray[np.float32]


@dataclass(frozen=True)
class TurnEntry:
    """What the index has of a turn: its vector, its window's, and the words of both."""

    words: TurnWords
    embedding: Vector
    window: Vector


@dataclass(frozen=True)
class RoundEntry:
    """What the index has of a round, read at a revision of its space; `embedding` is None for a round without evidence."""

    round: Round
    revision: int
    embedding: Vector | None = None
    turns: tuple[TurnEntry, ...] = ()
    date_words: Counter[str] = field(default_factory=Counter)


def counted(text: str) -> Counter[str]:
    return Counter(word[:WORD_LIMIT] for word in bm25.words(text))


@dataclass(frozen=True)
class RoundTexts:
    """What of a round is embedded and counted: the turns that have evidence, their texts and windows, the evidence itself.

    `whole` is the round as one text: all its turns but what the product wrote.
    """

    turns: tuple[Turn, ...]
    texts: tuple[str, ...]
    windows: tuple[str, ...]
    whole: str
    sentences: tuple[tuple[str, ...], ...]

    @property
    def embedded(self) -> list[str]:
        """The texts that get a vector, the longest first: what encodes several at once ends with the short ones."""
        return [self.whole, *self.windows, *self.texts]


def round_texts(reading: RoundReading, sentences: Sequence[SentenceRecord]) -> RoundTexts | None:
    """Return the texts of a round from its sentences in order, or None where none of these is evidence."""
    told: dict[Turn, list[str]] = {}
    for sentence in sentences:
        told.setdefault(sentence.turn, []).extend([sentence.text] if sentence.is_evidence else [])
    turns = tuple(turn for turn in told if told[turn])
    if not turns:
        return None
    before = dict(zip(told, map(context_of, (reading.turn_before, *told)), strict=False))
    texts = tuple(turn_text(turn.speaker, turn.text) for turn in turns)
    windows = tuple(window_text(before[turn], text) for turn, text in zip(turns, texts, strict=True))
    whole = round_text(turn_text(turn.speaker, turn.text) for turn in told if not turn.is_generated)
    return RoundTexts(turns, texts, windows, whole, tuple(tuple(told[turn]) for turn in turns))


def round_entry(reading: RoundReading, texts: RoundTexts | None, vectors: Mapping[str, Vector]) -> RoundEntry:
    """Return what the index will have of a round. `vectors` has one for each of the texts that get one."""
    if texts is None:
        return RoundEntry(reading.round, reading.space.index_revision)
    entries = (
        TurnEntry(
            TurnWords(turn.pk, counted(text), counted(window), tuple(counted(sentence) for sentence in sentences)),
            vectors[text],
            vectors[window],
        )
        for turn, text, window, sentences in zip(texts.turns, texts.texts, texts.windows, texts.sentences, strict=True)
    )
    return RoundEntry(
        round=reading.round,
        revision=reading.space.index_revision,
        embedding=vectors[texts.whole],
        turns=tuple(entries),
        date_words=counted(session_text(timezone.localtime(reading.session.started_at), [])),
    )


def round_read(reading: RoundReading, *, embedder: Embedder) -> RoundEntry:
    """Return what the index will have of a round; call it outside of any transaction."""
    texts = round_texts(reading, reading.sentences)
    vectors = embedded(texts.embedded, embedder=embedder) if texts is not None else {}
    return round_entry(reading, texts, vectors)


def embedded(texts: Iterable[str], *, embedder: Embedder) -> dict[str, Vector]:
    """Return the vector of each text, made in one call."""
    distinct = list(dict.fromkeys(texts))
    return dict(zip(distinct, embedder.embed(distinct), strict=True))


def context_of(turn: Turn | None) -> str:
    """Return what a turn gives to the window of the turn after it; nothing where none is before that."""
    return "" if turn is None else context_text(turn.speaker, turn.text, is_generated=turn.is_generated)


def round_write(entry: RoundEntry, *, revision: int) -> bool:
    """Write what was read of a round, in the caller's transaction, which holds the space's lock.

    False, and nothing is written, where words of the space were taken out since: they may be in what was read.
    """
    if entry.revision != revision:
        return False
    is_again = postings.rounds_remove(entry.round.space_id, [entry.round.pk])
    round_add(entry, is_again=is_again)
    return True


def round_add(entry: RoundEntry, *, is_again: bool) -> None:
    """Write what was read of a round that is not in the index; `is_again` tells that it was before."""
    round = entry.round
    words = [turn.words for turn in entry.turns]
    if is_again or has_later_turns(round, words):
        sessions_outdate([round.session_id])
    if entry.embedding is None:
        return
    postings.turns_add(round.space_id, round.session_id, words, date_words=entry.date_words)
    TurnVector.objects.bulk_create(
        TurnVector(
            turn_id=turn.words.turn_id,
            space_id=round.space_id,
            embedding=turn.embedding,
            window=turn.window,
            words=turn.words.turn.total(),
            window_words=turn.words.window.total(),
            sentences=len(turn.words.sentences),
            sentence_words=turn.words.sentence_words,
        )
        for turn in entry.turns
    )
    RoundVector.objects.create(round=round, space_id=round.space_id, embedding=entry.embedding)


def has_later_turns(round: Round, words: Sequence[TurnWords]) -> bool:
    """Return whether turns of the session are indexed that come after the turns of a round; False without any."""
    last = Turn.objects.filter(pk__in=[words[-1].turn_id] if words else ())
    later = Turn.objects.filter(session=round.session_id, vector__isnull=False)
    return later.filter(index__gt=last.values("index")).exists()


def rounds_to_index(space_id: int) -> list[Round]:
    """Return the first rounds of a space that have evidence and are not indexed."""
    said = SentenceRecord.objects.filter(turn__round=OuterRef("pk"), is_evidence=True)
    missing = Round.objects.filter(
        ~Exists(RoundVector.objects.filter(round=OuterRef("pk"))), Exists(said), space=space_id
    )
    return list(missing.order_by("id")[:ROUNDS_AT_ONCE])


def chunks_withdraw(space_id: int, round_ids: Collection[int]) -> None:
    """Remove rounds from the index in the caller's transaction, with the windows of the turns right after them."""
    leaving = {*round_ids, *postings.rounds_after(round_ids)}
    sessions_outdate(Round.objects.filter(pk__in=leaving).values("session"))
    postings.rounds_remove(space_id, leaving)

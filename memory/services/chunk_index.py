"""Vectors and words of rounds, turns, windows and sessions (SGMem, section 3.3: the index tables of chunks).

A round is indexed as a whole: its vector, those of its turns and windows, and their words for BM25. What depends on words
that are taken out goes at once, in the transaction that takes them; it is made anew in the background. Departures from the
paper: windows, and postings of words, are ours.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from django.db.models import Exists, F, OuterRef, Q
from django.utils import timezone
from numpy.typing import NDArray

from memory.core.ports import Embedder
from memory.core.sentence_graph import lexical
from memory.core.sentence_graph.hierarchy import round_text, session_text, turn_text, window_text
from memory.models import (
    UNREAD,
    WORD_LIMIT,
    Round,
    RoundVector,
    SentenceRecord,
    Session,
    SessionVector,
    Space,
    Turn,
    TurnVector,
)
from memory.services import postings
from memory.services.postings import TurnWords
from memory.services.round_words import round_sentences

# The encoder reads 256 word pieces; a word is at least one of them, and so is a turn.
BEGINNING = 256
ROUNDS_AT_ONCE = 16
GROWTH = 2
Vector = NDArray[np.float32]


@dataclass(frozen=True)
class TurnEntry:
    """What the index has of a turn: its vector, its window's, and the words of both."""

    words: TurnWords
    embedding: Vector
    window: Vector


@dataclass(frozen=True)
class SessionBeginning:
    """What the encoder reads of a session; `before` is the stored vector, where only new words came since."""

    text: str
    is_full: bool
    before: Vector | None = None


@dataclass(frozen=True)
class SessionEntry:
    """What the index has of a session: the vector of its beginning, and whether that fills what the encoder reads."""

    embedding: Vector
    is_full: bool


@dataclass(frozen=True)
class RoundEntry:
    """What the index has of a round, read at a revision of its space; `embedding` is None for a round without sentences.

    `begins_session` tells that nothing else of its session is indexed yet.
    """

    round: Round
    revision: int
    embedding: Vector | None = None
    turns: tuple[TurnEntry, ...] = ()
    date_words: Counter[str] = field(default_factory=Counter)
    session: SessionEntry | None = None
    begins_session: bool = False


def counted(text: str) -> Counter[str]:
    return Counter(word[:WORD_LIMIT] for word in lexical.words(text))


def round_read(round: Round, *, space: Space, embedder: Embedder) -> RoundEntry:
    """Return what the index will have of a round; call it outside of any transaction."""
    sentences: dict[Turn, list[Counter[str]]] = defaultdict(list)
    for sentence in round_sentences(round):
        sentences[sentence.turn].append(counted(sentence.text))
    turns = list(sentences)
    if not turns:
        return RoundEntry(round, space.index_revision)
    texts = [turn_text(turn.speaker, turn.text) for turn in turns]
    windows = [window_text(text_before(turns[0]), texts[0])]
    windows += [window_text(earlier, text) for earlier, text in pairwise(texts)]
    whole = round_text(texts)
    counts = [counted(text) for text in texts]
    session = session_with_vector(round, last=turns[-1])
    beginning = beginning_with(session, turns, words=sum(count.total() for count in counts))
    # The longest first: what encodes several at once ends with the short ones.
    longest = [beginning.text] if beginning is not None else []
    vectors = embedded([*longest, whole, *windows, *texts], embedder=embedder)
    entries = (
        TurnEntry(
            TurnWords(turn.pk, count, counted(window), tuple(sentences[turn])),
            vectors[text],
            vectors[window],
        )
        for turn, text, count, window in zip(turns, texts, counts, windows, strict=True)
    )
    return RoundEntry(
        round=round,
        revision=space.index_revision,
        embedding=vectors[whole],
        turns=tuple(entries),
        date_words=counted(session_text(timezone.localtime(session.started_at), [])),
        session=session_entry(beginning, vectors[beginning.text]) if beginning is not None else None,
        begins_session=not hasattr(session, "vector"),
    )


def embedded(texts: Sequence[str], *, embedder: Embedder) -> dict[str, Vector]:
    """Return the vector of each text."""
    distinct = list(dict.fromkeys(texts))
    return dict(zip(distinct, embedder.embed(distinct), strict=True))


def text_before(turn: Turn) -> str:
    """Return the text of the turn before a turn in its session, empty for the first."""
    before = Turn.objects.filter(session_id=turn.session_id, index__lt=turn.index).order_by("-index")
    last = before.values_list("speaker", "text").first()
    return turn_text(*last) if last is not None else ""


def session_with_vector(round: Round, *, last: Turn) -> Session:
    """Return a round's session with its vector, if it has one, and whether the round or later ones are indexed already."""
    later = TurnVector.objects.filter(turn__session=OuterRef("pk"), turn__index__gt=last.index)
    return (
        Session.objects.select_related("vector")
        .annotate(is_again=Exists(RoundVector.objects.filter(round=round)), has_later=Exists(later))
        .get(pk=round.session_id)
    )


def beginning_with(session: Session, turns: Sequence[Turn], *, words: int) -> SessionBeginning | None:
    """Return what the encoder reads of a session with the turns of a round, which have so many words.

    None where these come after all of it, or lengthen what was read by less than half: then it is read when its words have
    doubled, or in the background, so that a session of n words costs no more than reading 2 n.
    """
    vector = getattr(session, "vector", None)
    if vector is None or session.is_again:
        return session_beginning(session, with_turns=turns)
    is_short = not vector.is_full and vector.words + words >= GROWTH * vector.read_words
    if is_short or session.has_later:
        return session_beginning(session, with_turns=turns, before=vector.embedding)
    return None


def session_beginning(
    session: Session, *, with_turns: Sequence[Turn] = (), before: Vector | None = None
) -> SessionBeginning:
    """Return what the encoder reads of a session's indexed turns, and of these."""
    indexed = Q(vector__isnull=False) | Q(pk__in=[turn.pk for turn in with_turns])
    turns = Turn.objects.filter(indexed, session=session).order_by("index").values_list("speaker", "text")
    lines: list[str] = []
    words = 0
    for speaker, text in turns[:BEGINNING]:
        lines.append(turn_text(speaker, text))
        words += len(lines[-1].split())
        if words >= BEGINNING:
            break
    return SessionBeginning(
        text=session_text(timezone.localtime(session.started_at), lines),
        is_full=words >= BEGINNING or len(lines) == BEGINNING,
        before=before,
    )


def session_entry(beginning: SessionBeginning, vector: Vector) -> SessionEntry:
    """Return a session's entry. New words that change nothing are not read any more: then its beginning is full."""
    return SessionEntry(vector, beginning.is_full or is_same(beginning.before, vector))


def is_same(stored: Vector | None, vector: Vector) -> bool:
    """Return whether a stored vector is this one, to the bit; none is stored where it is to be made anew."""
    return stored is not None and np.array_equal(np.asarray(stored, np.float32), vector)


def round_write(entry: RoundEntry, *, revision: int) -> bool:
    """Write what was read of a round, in the caller's transaction, which holds the space's lock.

    False, and nothing is written, where words of the space were taken out since: they may be in what was read.
    """
    if entry.revision != revision:
        return False
    round = entry.round
    postings.rounds_remove(round.space_id, [round.pk])
    if entry.embedding is None:
        return True
    words = [turn.words for turn in entry.turns]
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
    if entry.session is not None:
        session_write(round.session_id, entry.session)
    return True


def session_write(session_id: int, entry: SessionEntry) -> None:
    """Write what was read of a session, all of whose words are counted."""
    SessionVector.objects.filter(session=session_id).update(
        embedding=entry.embedding, is_full=entry.is_full, read_words=F("words")
    )


def rounds_to_index(space_id: int) -> list[Round]:
    """Return the first rounds of a space that have sentences and are not indexed."""
    said = SentenceRecord.objects.filter(turn__round=OuterRef("pk"))
    missing = Round.objects.filter(
        ~Exists(RoundVector.objects.filter(round=OuterRef("pk"))), Exists(said), space=space_id
    )
    return list(missing.order_by("id")[:ROUNDS_AT_ONCE])


def sessions_to_index(space_id: int) -> list[Session]:
    """Return the first sessions of a space whose beginnings are to be embedded anew, or were not read to their end."""
    unread = SessionVector.objects.filter(UNREAD, space=space_id).order_by("session").select_related("session")
    return [vector.session for vector in unread.defer("embedding")[:ROUNDS_AT_ONCE]]


def chunks_withdraw(space_id: int, round_ids: Collection[int]) -> None:
    """Take rounds out of the index in the caller's transaction, with the windows of what was said right after them."""
    leaving = {*round_ids, *postings.rounds_after(round_ids)}
    sessions = Round.objects.filter(pk__in=leaving).values("session")
    SessionVector.objects.filter(session__in=sessions).update(embedding=None, is_full=False, read_words=0)
    postings.rounds_remove(space_id, leaving)

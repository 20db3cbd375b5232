"""What a space's stored sentence graph and indexes are, beside what they must be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from django.db import transaction
from django.db.models import QuerySet
from django.test import TestCase

from memory.core.bm25 import words
from memory.core.sentence_graph.neighbours import all_neighbours
from memory.core.types import Neighbour
from memory.models import (
    LexiconRecord,
    RoundVector,
    SentenceEdge,
    SentenceRecord,
    SessionPosting,
    SessionVector,
    Space,
    TurnVector,
    WordPosting,
    WordRecord,
)
from memory.services.indexing import space_index
from memory.stores.neighbour_graphs import NEIGHBOURS


@contextmanager
def committed() -> Iterator[None]:
    """Run what waits for the commit, which a test's own transaction never sees."""
    with TestCase.captureOnCommitCallbacks(execute=True):
        yield


def index_wholly(space: Space) -> None:
    """Do what the promised task does, as often as it promises itself again."""
    for _ in range(50):
        with committed():
            if space_index(space_id=space.pk):
                return
    raise AssertionError("The index never was whole.")


def evidence_of(space: Space) -> QuerySet[SentenceRecord]:
    return SentenceRecord.objects.filter(space=space, is_evidence=True)


def stored_lists(space: Space) -> dict[int, list[Neighbour]]:
    lists: dict[int, list[Neighbour]] = {one: [] for one in evidence_of(space).values_list("pk", flat=True)}
    for edge in SentenceEdge.objects.filter(space=space).order_by("sentence", "rank"):
        assert edge.rank == len(lists[edge.sentence_id])
        lists[edge.sentence_id].append(Neighbour(edge.neighbour_id, edge.similarity))
    return lists


def lists_from_scratch(space: Space) -> dict[int, list[Neighbour]]:
    rows = list(evidence_of(space).order_by("pk").values_list("pk", "embedding"))
    if not rows:
        return {}
    return all_neighbours([pk for pk, _ in rows], np.array([vector for _, vector in rows], np.float32), k=NEIGHBOURS)


def assert_is_exact(space: Space) -> None:
    """Fail unless edges, words and counts are those that an index built now would have."""
    assert stored_lists(space) == lists_from_scratch(space)
    space.refresh_from_db()
    spoken = Counter(evidence_of(space).values_list("turn_id", flat=True))
    assert set(TurnVector.objects.filter(space=space).values_list("turn_id", flat=True)) == set(spoken)
    assert dict(TurnVector.objects.filter(space=space).values_list("turn_id", "sentences")) == spoken
    rounds = set(evidence_of(space).values_list("turn__round_id", flat=True))
    assert set(RoundVector.objects.filter(space=space).values_list("round_id", flat=True)) == rounds
    sessions = set(evidence_of(space).values_list("turn__session_id", flat=True))
    assert set(SessionVector.objects.filter(space=space).values_list("session_id", flat=True)) == sessions
    assert not SessionVector.objects.filter(space=space, embedding=None).exists()
    for vector in TurnVector.objects.filter(space=space).select_related("turn"):
        said = Counter(words(f"{vector.turn.speaker}: {vector.turn.text}"))
        kept = WordPosting.objects.filter(turn=vector.turn, in_turn__gt=0).values_list("word__text", "in_turn")
        assert dict(kept) == said
        assert vector.words == said.total()
    for word in WordRecord.objects.filter(space=space):
        mine = WordPosting.objects.filter(word=word)
        assert word.turns == mine.filter(in_turn__gt=0).count()
        assert word.windows == mine.filter(in_window__gt=0).count()
        assert word.sentences == sum(mine.values_list("in_sentences", flat=True))
        assert word.sessions == SessionPosting.objects.filter(word=word).count()
        assert word.turns or word.windows or word.sessions
    assert_totals(space)


def assert_totals(space: Space) -> None:
    turns = TurnVector.objects.filter(space=space)
    sessions = SessionVector.objects.filter(space=space)
    lexicon = LexiconRecord.objects.filter(space=space).first() or LexiconRecord(space=space)
    assert (lexicon.turns, lexicon.sessions) == (turns.count(), sessions.count())
    for total, field in (
        (lexicon.turn_words, "words"),
        (lexicon.window_words, "window_words"),
        (lexicon.sentence_words, "sentence_words"),
        (lexicon.sentences, "sentences"),
    ):
        assert total == sum(turns.values_list(field, flat=True))
    assert lexicon.session_words == sum(sessions.values_list("words", flat=True))
    assert lexicon.session_words == sum(
        SessionPosting.objects.filter(word__space=space).values_list("count", flat=True)
    )


def all_words(space: Space) -> set[str]:
    return set(WordRecord.objects.filter(space=space).values_list("text", flat=True))


@contextmanager
def killed_before_commit() -> Iterator[None]:
    """Lose what the block wrote, as a process does that ends before its commit."""
    try:
        with transaction.atomic():
            yield
            raise InterruptedError
    except InterruptedError:
        return

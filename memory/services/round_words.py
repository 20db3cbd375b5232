"""Gives the core the words of a round: its sentences, and what was said before them."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Prefetch
from django.utils import timezone

from memory.core.types import Role, Utterance
from memory.models import Round, SentenceRecord, Turn

# A role that somebody plays lasts over many turns; of these only the last few are parsed.
CONTEXT_TURNS = 20


def round_sentences(round: Round) -> list[SentenceRecord]:
    """Return the round's sentences in order.

    Sentences of one turn share one `Turn` object, so that a long text is read once.
    """
    return list(
        SentenceRecord.objects.filter(turn__round=round)
        .prefetch_related(Prefetch("turn", Turn.objects.defer("search")))
        .defer("embedding", "search")
        .order_by("turn__index", "index")
    )


def recent_context(round: Round) -> list[Utterance]:
    first = Turn.objects.filter(round=round).order_by("index").values_list("index", flat=True).first() or 0
    before = Turn.objects.filter(session_id=round.session_id, index__lt=first).order_by("-index")[:CONTEXT_TURNS]
    return [
        Utterance(speaker=turn.speaker, role=Role(turn.role), text=turn.text, said_at=timezone.localtime(turn.said_at))
        for turn in reversed(before)
    ]


def utterances(sentences: Sequence[SentenceRecord]) -> list[Utterance]:
    """Return a round's sentences as the core's `Utterance`s, in order."""
    ends: dict[int, int] = {}
    told = []
    for sentence in sentences:
        turn = sentence.turn
        between = turn.text[ends.get(turn.pk, sentence.start) : sentence.start]
        ends[turn.pk] = sentence.end
        told.append(
            Utterance(
                speaker=turn.speaker,
                role=Role(turn.role),
                text=sentence.text,
                said_at=timezone.localtime(turn.said_at),
                breaks=between.count("\n"),
            )
        )
    return told

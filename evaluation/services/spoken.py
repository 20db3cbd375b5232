"""Reads stored dialogue for scoring: turns with their sentences, and the sentences' vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from django.db import transaction
from numpy.typing import NDArray

from evaluation.core.turn_consistency.turns import TurnToScore
from evaluation.core.turn_consistency.types import Passage, SpokenTurn
from memory import bootstrap
from memory.core.types import Role, SentenceSpan, Span
from memory.models import SentenceRecord, Turn


def stored_turn_to_score(turn: Turn) -> TurnToScore:
    """Return a stored turn and the turns of its session before it, in two queries. Raises `Turn.DoesNotExist`.

    Sentences are the stored ones; turns without them (not remembered, or not processed yet) are segmented here. Replies to
    wishes are left out: they tell of the memory.
    """
    records = SentenceRecord.objects.filter(turn__session_id=turn.session_id, turn__index__lte=turn.index)
    with transaction.atomic():
        said = list(
            Turn.objects.filter(session_id=turn.session_id, index__lte=turn.index)
            .exclude(role=Role.ASSISTANT, round__is_wish=True)
            .order_by("index")
            .values_list("pk", "speaker", "role", "text")
        )
        spans = list(records.order_by("turn_id", "index").values_list("turn_id", "start", "end", "text"))
    if not said or said[-1][0] != turn.pk:
        raise Turn.DoesNotExist
    sentences: dict[int, list[SentenceSpan]] = {}
    for turn_id, start, end, text in spans:
        sentences.setdefault(turn_id, []).append(SentenceSpan(text, Span(start, end)))
    unread = [(key, text) for key, _, _, text in said if key not in sentences]
    segmented = bootstrap.segmenter().segment_many([text for _, text in unread])
    sentences |= {key: found for (key, _), found in zip(unread, segmented, strict=True)}
    turns = [SpokenTurn(key, speaker, Role(role), text, tuple(sentences[key])) for key, speaker, role, text in said]
    *history, reply = turns
    return TurnToScore(reply, tuple(history))


def asker_of(turn: TurnToScore) -> str:
    """Return who said what a reply answers; "" where nobody did."""
    others = (said for said in reversed(turn.history) if said.speaker != turn.reply.speaker)
    return next((said.speaker for said in others if said.role is Role.USER), "")


@dataclass
class StoredVectors:
    """`SentenceVectors` of a stored dialogue: the stored vectors where they are of this embedder, else embedded anew."""

    turn: TurnToScore

    def __call__(self, passages: Sequence[Passage]) -> NDArray[np.float32]:
        stored = SentenceRecord.objects.filter(
            turn_id__in={passage.turn for passage in passages},
            embedding__isnull=False,
            space__embedder__in=("", bootstrap.embedder().name),
        )
        found = {
            (turn_id, start): vector for turn_id, start, vector in stored.values_list("turn_id", "start", "embedding")
        }
        texts = {turn.key: turn.text for turn in (*self.turn.history, self.turn.reply)}
        lacking = [passage for passage in passages if place(passage) not in found]
        if lacking:
            words = [texts[passage.turn][passage.span.start : passage.span.end] for passage in lacking]
            found |= dict(zip(map(place, lacking), bootstrap.embedder().embed(words), strict=True))
        return np.array([found[place(passage)] for passage in passages], dtype=np.float32)


@dataclass
class SpokenVectors:
    """`SentenceVectors` of a dialogue that is not stored: each sentence is embedded once, at its first use."""

    dialogue: Sequence[SpokenTurn]
    known: dict[Passage, NDArray[np.float32]] = field(default_factory=dict)

    def __call__(self, passages: Sequence[Passage]) -> NDArray[np.float32]:
        texts = {turn.key: turn.text for turn in self.dialogue}
        lacking = [passage for passage in dict.fromkeys(passages) if passage not in self.known]
        if lacking:
            words = [texts[passage.turn][passage.span.start : passage.span.end] for passage in lacking]
            self.known |= dict(zip(lacking, bootstrap.embedder().embed(words), strict=True))
        return np.array([self.known[passage] for passage in passages], dtype=np.float32)


def place(passage: Passage) -> tuple[int, int]:
    return passage.turn, passage.span.start

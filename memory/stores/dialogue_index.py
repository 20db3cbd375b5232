"""Searches what was said in one space, and its digests, on PostgreSQL and pgvector (SGMem, section 3.3).

Only evidence is found: sentences that only ask are in no index, and the product's replies are neither in an index nor in the
text of a round or session. Vectors are searched by HNSW, an approximate index whose cost does not grow with the space; the
edges are exact. Every call is one or two queries for a whole batch; BM25 takes a few (`lexicon`).
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import numpy as np
from django.db.models import Case, F, OuterRef, QuerySet, Subquery, Value, When
from django.db.models.functions import JSONObject
from django.utils import timezone
from numpy.typing import NDArray
from pgvector.django import CosineDistance

from memory.core.ports import Embedder
from memory.core.sentence_graph.hierarchy import context_text, round_text, turn_text, window_text
from memory.core.types import BY_HAND, DIGESTS, Neighbour, Passage, ScoredUnit, SentencePlace, Unit
from memory.models import (
    DigestRecord,
    RoundVector,
    SentenceEdge,
    SentenceRecord,
    Session,
    SessionVector,
    Turn,
    TurnVector,
)
from memory.stores.lexicon import matching_units

# Of units that are equally near the lower id comes first; an approximate index gives them in any order.
BESIDE = 10
# So many vectors are compared within some milliseconds.
FEW = 2_000
TURNS_A_ROUND = 8


class SpaceDialogueIndex:
    """Implements `DialogueIndex` over the memory of one space."""

    def __init__(self, space_id: int, *, embedder: Embedder) -> None:
        self._space_id = space_id
        self._embedder = embedder

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._embedder.embed(texts)

    def nearest(self, unit: Unit, vector: NDArray[np.float32], *, limit: int) -> list[ScoredUnit]:
        if limit < 1:
            return []
        rows, field = self._vectors_of(unit)
        found = nearest_rows(rows, distance_of(field, vector), limit=limit + BESIDE)
        return [ScoredUnit(unit, one, 1 - distance) for distance, one in sorted(found)[:limit]]

    def matching(self, unit: Unit, text: str, *, limit: int) -> list[ScoredUnit]:
        return matching_units(self._space_id, unit, text, limit=limit)

    def neighbours_of(self, sentence_ids: Sequence[int], *, k: int) -> dict[int, list[Neighbour]]:
        """Return stored neighbours, at most `k`. A list that lost a neighbour is short until it is completed."""
        there = self._sentences(sentence_ids).values_list("pk", flat=True)
        lists: dict[int, list[Neighbour]] = {one: [] for one in there.order_by()}
        edges = SentenceEdge.objects.filter(space=self._space_id, sentence__in=list(lists), rank__lt=k)
        for one, neighbour_id, similarity in edges.order_by("sentence", "rank").values_list(
            "sentence_id", "neighbour_id", "similarity"
        ):
            lists[one].append(Neighbour(neighbour_id, similarity))
        return {one: lists[one] for one in sentence_ids if one in lists}

    def similarities_to(self, sentence_ids: Sequence[int], vector: NDArray[np.float32]) -> dict[int, float]:
        rows = self._sentences(sentence_ids).exclude(embedding=None).annotate(distance=distance_of("embedding", vector))
        distances = dict(rows.order_by().values_list("pk", "distance"))
        return {one: 1 - distances[one] for one in sentence_ids if one in distances}

    def places_of(self, sentence_ids: Sequence[int]) -> dict[int, SentencePlace]:
        rows = self._sentences(sentence_ids).values_list("pk", "turn_id", "turn__round_id", "turn__session_id")
        places = {row[0]: SentencePlace(*row) for row in rows}
        return {one: places[one] for one in sentence_ids if one in places}

    def sentences_of(self, turn_ids: Sequence[int]) -> dict[int, list[int]]:
        found: dict[int, list[int]] = defaultdict(list)
        rows = SentenceRecord.objects.filter(space=self._space_id, turn__in=list(turn_ids), is_evidence=True)
        for turn_id, sentence_id in rows.order_by("turn_id", "index").values_list("turn_id", "pk"):
            found[turn_id].append(sentence_id)
        return {one: found[one] for one in turn_ids if one in found}

    def passages_of(self, unit: Unit, ids: Sequence[int]) -> list[Passage]:
        if unit in DIGESTS:
            found = self._digest_passages(unit, ids)
        elif unit is Unit.SENTENCE:
            found = self._sentence_passages(ids)
        elif unit is Unit.SESSION:
            found = self._session_passages(ids)
        elif unit is Unit.ROUND:
            found = self._round_passages(ids)
        else:
            found = self._turn_passages(unit, ids)
        return [found[one] for one in ids if one in found]

    def latest(self, unit: Unit, *, limit: int) -> list[int]:
        if unit is Unit.SESSION:
            sessions = Session.objects.filter(space=self._space_id, vector__isnull=False)
            return list(sessions.order_by("-started_at", "-pk").values_list("pk", flat=True)[:limit])
        if unit in DIGESTS:
            digests = DigestRecord.objects.filter(space=self._space_id, kind=unit.value)
            return list(digests.order_by("-said_at", "-pk").values_list("pk", flat=True)[:limit])
        turns = Turn.objects.filter(space=self._space_id, vector__isnull=False).order_by("-said_at", "-pk")
        if unit in (Unit.TURN, Unit.WINDOW):
            return list(turns.values_list("pk", flat=True)[:limit])
        if unit is Unit.SENTENCE:
            newest = list(turns.values_list("pk", flat=True)[:limit])
            of_turns = self.sentences_of(newest)
            return [one for turn_id in newest for one in reversed(of_turns.get(turn_id, []))][:limit]
        rounds: dict[int, tuple[datetime, int]] = {}
        for round_id, said_at in turns.values_list("round_id", "said_at")[: limit * TURNS_A_ROUND]:
            rounds[round_id] = (said_at, round_id)
        return [round_id for _, round_id in sorted(rounds.values(), reverse=True)[:limit]]

    def count(self, unit: Unit) -> int:
        return self._vectors_of(unit)[0].count()

    def _sentences(self, sentence_ids: Sequence[int]) -> QuerySet[SentenceRecord]:
        return SentenceRecord.objects.filter(space=self._space_id, pk__in=list(sentence_ids))

    def _vectors_of(self, unit: Unit) -> tuple[QuerySet[Any], str]:
        """Return the rows with the vectors of a kind of unit, keyed by unit id, and the name of the vector field."""
        if unit in DIGESTS:
            rows: QuerySet[Any] = DigestRecord.objects.filter(kind=unit.value)
        else:
            rows = ROWS[unit].objects.filter(**({"is_evidence": True} if unit is Unit.SENTENCE else {}))
        field = "window" if unit is Unit.WINDOW else "embedding"
        return rows.filter(space=self._space_id, **{f"{field}__isnull": False}), field

    def _sentence_passages(self, ids: Sequence[int]) -> dict[int, Passage]:
        rows = self._sentences(ids).values_list(
            "pk", "text", "turn__said_at", who_said("turn__"), "turn__session_id", "turn_id"
        )
        return {row[0]: passage(Unit.SENTENCE, *row) for row in rows}

    def _turn_passages(self, unit: Unit, ids: Sequence[int]) -> dict[int, Passage]:
        turns = Turn.objects.filter(space=self._space_id, pk__in=list(ids))
        if unit is Unit.TURN:
            rows = turns.values_list("pk", "text", "said_at", who_said(), "session_id", "pk")
            return {row[0]: passage(unit, *row) for row in rows}
        before = Turn.objects.filter(session=OuterRef("session"), index__lt=OuterRef("index")).order_by("-index")
        said = JSONObject(speaker="speaker", text="text", is_generated="is_generated")
        found = {}
        for turn in turns.annotate(before=Subquery(before.values(said=said)[:1])).defer("search"):
            earlier = context_text(**turn.before) if turn.before is not None else ""
            words = window_text(earlier, turn_text(turn.speaker, turn.text))
            found[turn.pk] = passage(unit, turn.pk, words, turn.said_at, "", turn.session_id, turn.pk)
        return found

    def _round_passages(self, ids: Sequence[int]) -> dict[int, Passage]:
        said: dict[int, list[Turn]] = defaultdict(list)
        turns = Turn.objects.filter(space=self._space_id, round__in=list(ids), is_generated=False).defer("search")
        for turn in turns.order_by("round", "index"):
            said[turn.round_id].append(turn)
        return {
            one: passage(Unit.ROUND, one, spoken(turns), turns[0].said_at, "", turns[0].session_id)
            for one, turns in said.items()
        }

    def _session_passages(self, ids: Sequence[int]) -> dict[int, Passage]:
        said: dict[int, list[Turn]] = defaultdict(list)
        turns = Turn.objects.filter(space=self._space_id, session__in=list(ids), is_generated=False).defer("search")
        for turn in turns.order_by("session", "index"):
            said[turn.session_id].append(turn)
        sessions = Session.objects.filter(space=self._space_id).in_bulk(list(ids))
        return {
            one: passage(Unit.SESSION, one, spoken(said[one]), session.started_at, "", one)
            for one, session in sessions.items()
        }

    def _digest_passages(self, unit: Unit, ids: Sequence[int]) -> dict[int, Passage]:
        rows = DigestRecord.objects.filter(space=self._space_id, kind=unit.value, pk__in=list(ids))
        found = rows.values_list("pk", "text", "said_at", "session_id")
        return {one: passage(unit, one, text, said_at, "", session_id) for one, text, said_at, session_id in found}


ROWS: Mapping[Unit, type[Any]] = {
    Unit.SESSION: SessionVector,
    Unit.ROUND: RoundVector,
    Unit.TURN: TurnVector,
    Unit.WINDOW: TurnVector,
    Unit.SENTENCE: SentenceRecord,
}


def nearest_rows(rows: QuerySet[Any], distance: CosineDistance, *, limit: int) -> list[tuple[float, int]]:
    """Return the distances and keys of the nearest rows.

    The HNSW index holds the vectors of all spaces and of rows deleted lately. It may miss some of a few rows among them, and
    stops after hnsw.max_scan_tuples rows of others. Where there are few rows, or too few were found, all rows are compared
    instead.
    """
    columns = ("distance", "pk")
    measured = rows.annotate(distance=distance)
    if rows.order_by()[: FEW + 1].count() > FEW:
        found = list(measured.order_by("distance").values_list(*columns)[:limit])
        if len(found) == limit:
            return found
    return list(measured.order_by(F("distance") + 0.0).values_list(*columns)[:limit])


def distance_of(field: str, vector: NDArray[np.float32]) -> CosineDistance:
    return CosineDistance(field, np.asarray(vector, np.float32))


def who_said(turn: str = "") -> Case:
    """Return who said the words of a turn: nobody, where the product wrote them down for what was done on a page."""
    return Case(When(**{f"{turn}key__startswith": f"{BY_HAND}:"}, then=Value("")), default=F(f"{turn}speaker"))


def spoken(turns: Sequence[Turn]) -> str:
    return round_text(turn_text(turn.speaker, turn.text) for turn in turns)


def passage(
    unit: Unit,
    unit_id: int,
    text: str,
    said_at: datetime,
    speaker: str,
    session_id: int | None,
    turn_id: int | None = None,
) -> Passage:
    return Passage(
        unit=unit,
        id=unit_id,
        text=text,
        said_at=timezone.localtime(said_at),
        speaker=speaker,
        session_id=session_id,
        turn_id=turn_id,
    )

"""Finds what a space already holds of an export: sessions with their rounds, turns and triples, and entities by name."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field

from memory.core.knowledge_graph.rdf.records import EntityData, GraphRecords
from memory.core.naming import key_of
from memory.models import AliasRecord, EntityRecord, Round, SentenceRecord, Session, Space, TripleRecord, Turn
from memory.services.entities import LABEL_LIMIT, kinds_agree


@dataclass
class Places:
    """The row id of each record of the export that the space holds already, by kind: record id to row id."""

    sessions: dict[int, int] = field(default_factory=dict)
    rounds: dict[int, int] = field(default_factory=dict)
    turns: dict[int, int] = field(default_factory=dict)
    sentences: dict[int, int] = field(default_factory=dict)
    entities: dict[int, int] = field(default_factory=dict)
    triples: dict[int, int] = field(default_factory=dict)


def sessions_known(space: Space, records: GraphRecords) -> dict[int, int]:
    """Return the rows of the export's sessions that the space has: by key, or by identical words where a session has no key.

    A session without rounds does not count: an undone import leaves one behind.
    """
    keys = [session.key for session in records.sessions if session.key]
    told = Session.objects.filter(space=space, key__in=keys).exclude(rounds=None)
    by_key = dict(told.values_list("key", "pk").distinct())
    found = {session.id: by_key[session.key] for session in records.sessions if session.key in by_key}
    keyless = [session for session in records.sessions if not session.key]
    moments = {session.started_at for session in keyless}
    rows = Session.objects.filter(space=space, key="", started_at__in=moments).order_by("pk")
    words = _words_of_rows(rows.values_list("pk", flat=True))
    free: dict[Hashable, list[int]] = defaultdict(list)
    for row in rows:
        free[row.title, row.started_at, words[row.pk]].append(row.pk)
    said = _words_of_file(records)
    for session in keyless:
        same = free[session.title, session.started_at, said[session.id]]
        if same:
            found[session.id] = same.pop(0)
    return found


def _words_of_rows(session_ids: Iterable[int]) -> dict[int, tuple[Hashable, ...]]:
    words: dict[int, list[Hashable]] = defaultdict(list)
    fields = ("session_id", "index", "role", "speaker", "text", "said_at")
    for session_id, *turn in Turn.objects.filter(session__in=session_ids).order_by("index").values_list(*fields):
        words[session_id].append(tuple(turn))
    return defaultdict(tuple, {session_id: tuple(turns) for session_id, turns in words.items()})


def _words_of_file(records: GraphRecords) -> dict[int, tuple[Hashable, ...]]:
    session_of = {round.id: round.session for round in records.rounds}
    words: dict[int, list[Hashable]] = defaultdict(list)
    for turn in sorted(records.turns, key=lambda turn: turn.index):
        words[session_of[turn.round]].append((turn.index, turn.role, turn.speaker, turn.text, turn.said_at))
    return defaultdict(tuple, {session_id: tuple(turns) for session_id, turns in words.items()})


def places_known(records: GraphRecords, sessions: Mapping[int, int]) -> Places:
    """Return the rows of the known sessions' contents, matched by position; what was forgotten has no row."""
    places = Places(sessions=dict(sessions))
    session_ids = list(sessions.values())
    rounds = dict(_pairs(Round.objects.filter(session__in=session_ids).values_list("session_id", "index", "pk")))
    for round in records.rounds:
        if (sessions.get(round.session), round.index) in rounds:
            places.rounds[round.id] = rounds[sessions[round.session], round.index]
    session_of = {round.id: sessions.get(round.session) for round in records.rounds}
    turns = dict(_pairs(Turn.objects.filter(session__in=session_ids).values_list("session_id", "index", "pk")))
    for turn in records.turns:
        if (session_of[turn.round], turn.index) in turns:
            places.turns[turn.id] = turns[session_of[turn.round], turn.index]
    kept = SentenceRecord.objects.filter(turn__session__in=session_ids)
    sentences = dict(_pairs(kept.values_list("turn_id", "index", "pk")))
    for sentence in records.sentences:
        if (places.turns.get(sentence.turn), sentence.index) in sentences:
            places.sentences[sentence.id] = sentences[places.turns[sentence.turn], sentence.index]
    fields = ("sentence_id", "predicate", "value", "polarity", "modality", "span_start", "span_end", "recorded_at")
    taught = TripleRecord.objects.filter(round__session__in=session_ids)
    triples = dict(_pairs(taught.values_list(*fields, "pk")))
    for triple in records.triples:
        where = tuple(
            places.sentences.get(triple.sentence) if name == "sentence_id" else getattr(triple, name) for name in fields
        )
        if where in triples:
            places.triples[triple.id] = triples[where]
    return places


def _pairs(rows: Iterable[tuple[object, ...]]) -> Iterable[tuple[Hashable, int]]:
    return ((tuple(key), int(str(pk))) for *key, pk in rows)


def entities_known(space: Space, entities: Iterable[EntityData]) -> dict[int, EntityRecord]:
    """Return, for each entity of the export, the space's entity with the same name and a compatible kind, each used once."""
    entities = list(entities)
    keys = {key_of(entity.label)[:LABEL_LIMIT] for entity in entities} - {""}
    by_key: dict[str, dict[int, EntityRecord]] = defaultdict(dict)
    rows = AliasRecord.objects.filter(space=space, key__in=keys).select_related("entity")
    shared: dict[int, EntityRecord] = {}
    for alias in rows.order_by("entity_id"):
        by_key[alias.key][alias.entity_id] = shared.setdefault(alias.entity_id, alias.entity)
    found: dict[int, EntityRecord] = {}
    taken: set[int] = set()
    for entity in entities:
        named = by_key.get(key_of(entity.label)[:LABEL_LIMIT], {}).values()
        free = [row for row in named if row.pk not in taken and kinds_agree(row.kind, entity.kind)]
        best = max(free, key=lambda row: (row.is_speaker == entity.is_speaker, row.kind == entity.kind), default=None)
        if best is not None:
            found[entity.id] = best
            taken.add(best.pk)
    return found

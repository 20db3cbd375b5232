"""Stores the records of an export as rows of a space, in the order of their ids."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from django.contrib.auth.models import User

from memory.core.english.questions import only_asks
from memory.core.knowledge_graph.rdf.records import COLUMN, Form, GraphRecords, Record, RoundData, TripleData
from memory.core.naming import key_of
from memory.models import (
    AliasRecord,
    ConflictRecord,
    EntityRecord,
    MaintenanceState,
    PredicateRecord,
    Round,
    SentenceRecord,
    Session,
    Space,
    TripleRecord,
    Turn,
)
from memory.services.edits.journal import Journal
from memory.services.entities import LABEL_LIMIT
from memory.services.exchange.known import entities_known, places_known, sessions_known
from memory.services.graph import KEY_LIMIT
from memory.services.stages import LAST_STAGE

BATCH = 500


class RecordsWriter:
    """Stores what a space lacks of an export, in the caller's transaction and under the lock of the space's row."""

    def __init__(self, space: Space, records: GraphRecords, *, journal: Journal) -> None:
        self._journal = journal
        self._space = space
        self._records = records
        self._places = places_known(records, sessions_known(space, records))
        self._members = {user.get_username(): user for user in User.objects.filter(memberships__space=space)}
        self.new_rounds: list[Round] = []
        self.new_triple_ids: set[int] = set()
        self.known_entity_ids: set[int] = set()

    def write(self) -> None:
        self._dialogue()
        self._entities()
        self._aliases()
        self._declarations()
        self._triples()
        self._conflicts()

    def _dialogue(self) -> None:
        places, space = self._places, self._space
        is_new_session = {item.id for item in self._records.sessions if item.id not in places.sessions}
        sessions = {
            item.id: Session(space=space, **columns_of(item))
            for item in self._records.sessions
            if item.id in is_new_session
        }
        emptied = dict(Session.objects.filter(space=space).exclude(key="").values_list("key", "pk"))
        Session.objects.bulk_create((row for row in sessions.values() if row.key not in emptied), batch_size=BATCH)
        places.sessions |= {place: row.pk or emptied[row.key] for place, row in sessions.items()}
        rounds = {item.id: self._round_row(item) for item in self._records.rounds if item.session in is_new_session}
        Round.objects.bulk_create(rounds.values(), batch_size=BATCH)
        places.rounds |= {place: row.pk for place, row in rounds.items()}
        self.new_rounds = list(rounds.values())
        self._journal.rounds_made(self.new_rounds)
        turns = {
            item.id: Turn(
                space=space,
                session_id=rounds[item.round].session_id,
                round_id=places.rounds[item.round],
                **columns_of(item),
            )
            for item in self._records.turns
            if item.round in rounds
        }
        Turn.objects.bulk_create(turns.values(), batch_size=BATCH)
        places.turns |= {place: row.pk for place, row in turns.items()}
        sentences = {
            item.id: SentenceRecord(
                space=space,
                turn_id=places.turns[item.turn],
                **columns_of(item),
                is_evidence=not (turns[item.turn].is_generated or only_asks(item.text)),
            )
            for item in self._records.sentences
            if item.turn in turns
        }
        SentenceRecord.objects.bulk_create(sentences.values(), batch_size=BATCH)
        places.sentences |= {place: row.pk for place, row in sentences.items()}

    def _round_row(self, item: RoundData) -> Round:
        # Whoever was reading it is not reading it here.
        is_running = item.maintenance == MaintenanceState.RUNNING
        is_done = item.maintenance == MaintenanceState.DONE
        state = {"maintenance": MaintenanceState.PENDING} if is_running else {}
        return Round(
            space=self._space,
            session_id=self._places.sessions[item.session],
            maintenance_stage=LAST_STAGE if is_done else "",
            is_backlog=True,
            **columns_of(item) | state,
        )

    def _entities(self) -> None:
        known = entities_known(self._space, self._records.entities)
        self.known_entity_ids = {row.pk for row in known.values()}
        made = {
            item.id: EntityRecord(space=self._space, **columns_of(item))
            for item in self._records.entities
            if item.id not in known
        }
        EntityRecord.objects.bulk_create(made.values(), batch_size=BATCH)
        self._places.entities = {place: row.pk for place, row in (known | made).items()}

    def _aliases(self) -> None:
        """Store the entities' names; an entity without a name gets its label as one."""
        places = self._places
        names: dict[int, dict[str, tuple[str, int | None]]] = defaultdict(dict)
        for item in self._records.aliases:
            key = key_of(item.name)[:LABEL_LIMIT]
            if key:
                source = places.rounds.get(item.source_round) if item.source_round is not None else None
                names[places.entities[item.entity]].setdefault(key, (item.name, source))
        for entity in self._records.entities:
            key = key_of(entity.label)[:LABEL_LIMIT]
            if key and places.entities[entity.id] not in names:
                names[places.entities[entity.id]][key] = (entity.label, None)
        rows = [
            AliasRecord(space=self._space, entity_id=entity_id, text=text, key=key, source_round_id=source)
            for entity_id, given in names.items()
            for key, (text, source) in given.items()
        ]
        AliasRecord.objects.bulk_create(rows, batch_size=BATCH, ignore_conflicts=True)

    def _declarations(self) -> None:
        for item in self._records.declarations:
            said = {"is_functional": item.is_functional, "declared_by": self._members.get(item.declared_by)}
            PredicateRecord.objects.get_or_create(space=self._space, name=item.predicate, defaults=said)

    def _triples(self) -> None:
        places = self._places
        new = {item.id: item for item in self._records.triples if item.id not in places.triples}
        # What a session taught and was forgotten since does not come back with the session's own words.
        kept = set(places.sessions.values()) - {row.session_id for row in self.new_rounds}
        session_of = {item.id: places.sessions[item.session] for item in self._records.rounds}
        rows = {place: self._triple_row(item) for place, item in new.items() if session_of[item.round] not in kept}
        TripleRecord.objects.bulk_create(rows.values(), batch_size=BATCH)
        self.new_triple_ids = {row.pk for row in rows.values()}
        places.triples |= {place: row.pk for place, row in rows.items()}
        self._supersede(rows)

    def _triple_row(self, item: TripleData) -> TripleRecord:
        places = self._places
        return TripleRecord(
            space=self._space,
            subject_id=places.entities[item.subject],
            object_id=places.entities[item.object] if item.object is not None else None,
            value_key=key_of(item.value)[:KEY_LIMIT],
            superseded_in_id=places.rounds.get(item.superseded_in) if item.superseded_in is not None else None,
            round_id=places.rounds[item.round],
            sentence_id=places.sentences[item.sentence],
            **columns_of(item),
        )

    def _supersede(self, rows: Mapping[int, TripleRecord]) -> None:
        """Link superseded triples to their successors; a triple of the space's own is superseded by an imported successor."""
        places = self._places
        linked: list[TripleRecord] = []
        giving_way: dict[int, TripleRecord] = {}
        for item in self._records.triples:
            successor = places.triples.get(item.superseded_by) if item.superseded_by is not None else None
            if successor is None or item.id not in places.triples:
                continue
            if item.id in rows:
                rows[item.id].superseded_by_id = successor
                linked.append(rows[item.id])
            elif successor in self.new_triple_ids:
                row = self._triple_row(item)
                row.pk, row.superseded_by_id = places.triples[item.id], successor
                giving_way[row.pk] = row
        TripleRecord.objects.bulk_update(linked, ["superseded_by"], batch_size=BATCH)
        active = TripleRecord.objects.filter(pk__in=giving_way, superseded_at=None).values_list("pk", flat=True)
        self._journal.watch("triple", active)
        changed = [giving_way[pk] for pk in active]
        TripleRecord.objects.bulk_update(changed, ["superseded_at", "superseded_by", "superseded_in"], batch_size=BATCH)

    def _conflicts(self) -> None:
        places = self._places
        rows = []
        for item in self._records.conflicts:
            old, new = places.triples.get(item.old), places.triples.get(item.new)
            if old is not None and new is not None and {old, new} & self.new_triple_ids:
                by = {"decided_by": self._members.get(item.decided_by)}
                row = ConflictRecord(space=self._space, old_id=old, new_id=new, **columns_of(item) | by)
                rows.append((row, item.created_at))
        ConflictRecord.objects.bulk_create([row for row, _ in rows], batch_size=BATCH)
        for row, decided_at in rows:
            row.created_at = decided_at
        ConflictRecord.objects.bulk_update([row for row, _ in rows], ["created_at"], batch_size=BATCH)


def columns_of(item: Record) -> dict[str, Any]:
    """Return what a record says in its own words, by the columns of the same names; not its id, nor what it links to."""
    told = (field.name for field in fields(item) if field.name != "id" and field.metadata[COLUMN].form != Form.LINK)
    return {name: getattr(item, name) for name in told}

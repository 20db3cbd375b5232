"""Imports RDF into a space: an export with its whole history, or plain facts from elsewhere. Everything is stored or nothing.

Sessions of an export that the space has already, by key or by identical words, are left as they are, so importing the same
export twice adds nothing. Facts from elsewhere become a session of their own, one sentence each, and go through the same
update as everything that is said. Vectors of the sentences are made afterwards, by the task that completes the indexes.
"""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone

from memory import bootstrap
from memory.core.errors import EmbedderChanged
from memory.core.knowledge_graph.rdf.foreign import ForeignFact, foreign_facts
from memory.core.knowledge_graph.rdf.parsing import GraphFileLimits, GraphFileRefused, parsed
from memory.core.knowledge_graph.rdf.reading import GraphFile, graph_file_of
from memory.core.knowledge_graph.rdf.terms import GraphFormat
from memory.core.naming import key_of
from memory.core.types import GraphFragment, Role
from memory.models import (
    AliasRecord,
    EditRecord,
    MaintenanceState,
    Round,
    SentenceRecord,
    Session,
    Space,
    TripleRecord,
    Turn,
)
from memory.services.dialogue import maintenance_enqueue, session_create
from memory.services.edits.audit import edit_write
from memory.services.edits.journal import Journal
from memory.services.edits.settling import settle
from memory.services.entities import LABEL_LIMIT, nodes_of
from memory.services.exchange.storing import RecordsWriter
from memory.services.graph import fragments_commit
from memory.services.quotas import import_count, room_check
from memory.services.sentence_graph import index_promise
from memory.services.spaces import space_lock
from memory.services.stages import LAST_STAGE
from memory.stores import ontology_of, triples_of

# The key of a session that an import made goes on with the digest of its file.
IMPORTED = "import:"
FACTS_A_ROUND = 100
# Shares of an import: the file is read, and all is stored but for the record of what was done.
READING, STORED = 0.15, 0.95


@dataclass(frozen=True)
class GraphImported:
    """How many rows an import added. All counts are 0 where the space had everything already."""

    sessions: int
    sentences: int
    triples: int

    def __str__(self) -> str:
        if not (self.sessions or self.triples):
            return "Everything in the file was here already."
        parts = ((self.triples, "fact"), (self.sentences, "sentence"), (self.sessions, "conversation"))
        facts, sentences, sessions = (f"{count:,} {noun}{'' if count == 1 else 's'}" for count, noun in parts)
        return f"{facts} from {sentences} in {sessions}."


def graph_import(
    *,
    space: Space,
    content: bytes,
    form: GraphFormat,
    name: str = "",
    by: User | None = None,
    on_progress: Callable[[float], None] = lambda share: None,
) -> GraphImported:
    """Import a file and return what was added. `name` is the file's name; `by` is the importing user, None for a command.

    Raises `GraphFileRefused` for a file that cannot be imported, and `QuotaReached` where there is no room for it; nothing is
    stored then. Nothing is fetched from the network.
    """
    file = graph_file_of(parsed(content, form, limits()))
    facts = foreign_facts(file.others, file.labels)
    on_progress(READING)
    key = IMPORTED + hashlib.sha256(content).hexdigest()
    embedder_check(space)
    try:
        with transaction.atomic():
            space_lock(space.pk)
            import_count(space)
            journal, before = Journal(space.pk), counts(space)
            records_store(space, file, journal=journal)
            if facts and not is_imported(space, key):
                facts_store(space, facts, key=key, name=name, journal=journal, on_progress=on_progress)
            added = GraphImported(*(late - early for early, late in zip(before, counts(space), strict=True)))
            room_check(space, turns=0, size=0)
            if counts(space) != before:
                index_promise(space.pk)
                edit_write(
                    journal, kind=EditRecord.Kind.IMPORT, summary=f"Imported {name[:200] or 'a graph'}. {added}", by=by
                )
    except IntegrityError as error:
        raise GraphFileRefused("The file says the same thing twice in ways that cannot both be kept.") from error
    return added


def limits() -> GraphFileLimits:
    """Return the limits of an import file's size and contents from the settings."""
    return GraphFileLimits(size=int(settings.DSMART_IMPORT_MB * 1024 * 1024), triples=settings.DSMART_IMPORT_TRIPLES)


def counts(space: Space) -> tuple[int, int, int]:
    sessions = Session.objects.filter(space=space).exclude(rounds=None).distinct().count()
    sentences, triples = (table.objects.filter(space=space).count() for table in (SentenceRecord, TripleRecord))
    return sessions, sentences, triples


def is_imported(space: Space, key: str) -> bool:
    """Return whether the file's facts were imported before; a session without rounds is an undone import, so it is none."""
    return Round.objects.filter(session__space=space, session__key=key).exists()


def embedder_check(space: Space) -> None:
    """Raise `GraphFileRefused` where the vectors that the space has are not of the embedder that will make the new ones."""
    try:
        bootstrap.space_embedder(space.pk).check()
    except EmbedderChanged as error:
        raise GraphFileRefused(str(error)) from error


def records_store(space: Space, file: GraphFile, *, journal: Journal) -> None:
    """Store what the space lacks of an export; settle its triples with the space's own by what was said last."""
    writer = RecordsWriter(space, file.records, journal=journal)
    writer.write()
    active = TripleRecord.objects.filter(space=space, superseded_at=None, subject_id__in=writer.known_entity_ids)
    if writer.new_triple_ids and writer.known_entity_ids:
        triples = triples_of(active)
        journal.watch("triple", [triple.id for triple in triples])
        settle(
            triples,
            journal=journal,
            ontology=ontology_of(space.pk),
            moved=writer.new_triple_ids,
            round=writer.new_rounds[-1],
        )
    if any(round.maintenance == MaintenanceState.PENDING for round in writer.new_rounds):
        maintenance_enqueue(space_id=space.pk)


def facts_store(
    space: Space,
    facts: Sequence[ForeignFact],
    *,
    key: str,
    name: str,
    journal: Journal,
    on_progress: Callable[[float], None],
) -> None:
    """Store facts from elsewhere as a session of rounds that need no maintenance: turns of sentences, one fact a sentence."""
    watch_named(space, facts, journal)
    now = timezone.now()
    title = name or "a file"
    session = session_create(space=space, key=key, title=f"Imported from {title}", started_at=now)
    for index, start in enumerate(range(0, len(facts), FACTS_A_ROUND)):
        on_progress(READING + (STORED - READING) * start / len(facts))
        part = slice(start, start + FACTS_A_ROUND)
        turn = turn_of_facts(session, index, [fact.sentence for fact in facts[part]], speaker=title, now=now)
        journal.rounds_made([turn.round])
        sentences = list(sentence_rows(turn, facts[part]))
        SentenceRecord.objects.bulk_create(sentences)
        fragments = [GraphFragment((fact.fact,)) for fact in facts[part]]
        fragments_commit(round=turn.round, sentences=sentences, fragments=fragments)


def watch_named(space: Space, facts: Sequence[ForeignFact], journal: Journal) -> None:
    """Let the journal watch the entities that the facts name and their active triples, before the facts are merged."""
    nodes = nodes_of([GraphFragment((fact.fact,)) for fact in facts])
    keys = {key_of(name)[:LABEL_LIMIT] for node in nodes for name in (node.label, *node.aliases)}
    named = list(AliasRecord.objects.filter(space=space, key__in=keys).values_list("entity_id", flat=True))
    about = Q(subject__in=named) | Q(object__in=named)
    active = TripleRecord.objects.filter(about, space=space, superseded_at=None)
    journal.watch("entity", named)
    journal.watch("triple", active.values_list("pk", flat=True))


def turn_of_facts(session: Session, index: int, texts: Iterable[str], *, speaker: str, now: datetime) -> Turn:
    round = Round.objects.create(
        session=session,
        space_id=session.space_id,
        index=index,
        maintenance=MaintenanceState.DONE,
        maintenance_stage=LAST_STAGE,
        maintained_at=now,
    )
    return Turn.objects.create(
        round=round,
        session=session,
        space_id=session.space_id,
        index=index,
        role=Role.USER,
        speaker=speaker[:120],
        text=" ".join(texts),
        said_at=now,
    )


def sentence_rows(turn: Turn, facts: Sequence[ForeignFact]) -> Iterable[SentenceRecord]:
    start = 0
    for index, fact in enumerate(facts):
        end = start + len(fact.sentence)
        yield SentenceRecord(
            space_id=turn.space_id,
            turn=turn,
            index=index,
            start=start,
            end=end,
            text=fact.sentence,
        )
        start = end + 1

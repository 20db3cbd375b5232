"""Writes a person's edit down as an utterance of its own, which is stored and merged like any other sentence."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.db.models import Max
from django.utils import timezone
from numpy import float32
from numpy.typing import NDArray

from memory import bootstrap
from memory.core.errors import EmbedderChanged, QuotaReached
from memory.core.knowledge_graph.consistency.explanation import explain
from memory.core.types import ConflictCase, Fact, GraphFragment, Role, Span, Triple
from memory.models import MaintenanceState, Round, SentenceRecord, Session, Space, TripleRecord
from memory.services.coherence import Neighbourhood
from memory.services.dialogue import session_create, turn_append
from memory.services.edits.audit import EditRefused
from memory.services.edits.journal import Journal
from memory.services.edits.settling import merged
from memory.services.entities import EntityRegister, nodes_of
from memory.services.graph import current_candidates, triples_add
from memory.services.graph_writes import GraphWrites
from memory.services.quotas import room_check
from memory.services.round_words import space_state
from memory.services.sentence_graph import embedder_claim, index_promise
from memory.stores import ontology_of

BY_HAND = "by-hand"


@dataclass(frozen=True)
class Utterance:
    """A fact that a person asserts by hand, its sentence, and the sentence's vector with the name of its embedder."""

    fact: Fact
    text: str
    speaker: str
    vector: NDArray[float32]
    embedder: str


@dataclass(frozen=True)
class Outcome:
    """The result of an utterance: the triple that states it now, its round, and the triples that it superseded.

    `round` is None where the memory had the fact already; then nothing of the utterance is stored.
    """

    triple: TripleRecord
    round: Round | None
    replaced: frozenset[int]


def utterance_of(fact: Fact, *, text: str, speaker: str, space_id: int) -> Utterance:
    """Return an embedded utterance; call it outside of any transaction.

    Raises `EditRefused` where the fact cannot be said.
    """
    embedder = bootstrap.space_embedder(space_id)
    try:
        [vector] = embedder.embed([text])
    except EmbedderChanged as error:
        raise EditRefused(str(error)) from error
    return Utterance(replace(fact, span=Span(0, len(text))), text, speaker, vector, embedder.name)


def utterance_merge(said: Utterance, *, space: Space, journal: Journal, preferred: Collection[int] = ()) -> Outcome:
    """Store an utterance and merge it into the graph, in the caller's transaction, which holds the space's lock.

    It counts as said after every triple that it meets, whatever their dates: clocks differ, and imported dialogues may lie in
    the future. `preferred` are ids of entities that a name of the utterance means before any other.
    """
    sentence = utterance_write(said, space=space)
    round = sentence.turn.round
    journal.rounds_made([round])
    register = EntityRegister(round, nodes_of([GraphFragment((said.fact,))]), preferred=preferred)
    journal.watch("entity", register.known)
    [fragment] = register.resolve_many([GraphFragment((said.fact,))])
    ontology = ontology_of(space.pk)
    known = current_candidates(space.pk, register, [fragment], ontology=ontology)
    journal.watch("triple", [triple.id for triple in known])
    say_after(sentence, known)
    case = ConflictCase(fragment, tuple(known), sentence.turn.said_at, speaker=said.speaker)
    change = merged(case, ontology=ontology)
    if not change.confirmed:
        # Who sets the memory right by hand has looked at it: that counts like a word about oneself.
        change = merged(replace(case, speaker=fragment.facts[0].subject.label), ontology=ontology)
    around = Neighbourhood(fragment.facts, space_id=space.pk, register=register, ontology=ontology)
    violations = around.violations_of(change)
    if violations:
        raise EditRefused(explain(violations[0]))
    writes = GraphWrites(round, expected=len(change.added))
    added = triples_add(writes, round, sentence, register, change)
    replaced = frozenset(writes.supersede(change, added))
    writes.write()
    if added:
        return Outcome(added[0][1], round, replaced)
    [(_, confirmed)] = change.confirmed
    round.delete()
    emptied_session_delete(space.pk)
    return Outcome(TripleRecord.objects.get(pk=confirmed.id), None, replaced)


def utterance_write(said: Utterance, *, space: Space) -> SentenceRecord:
    """Store the sentence in a new round of the space's session of edits by hand, and return it.

    Raises `EditRefused` where the space has no room for it.
    """
    try:
        room_check(space, turns=1, size=len(said.text.encode()))
    except QuotaReached as reached:
        raise EditRefused(str(reached)) from reached
    now = timezone.now()
    session = session_create(space=space, started_at=now, title="Written by hand", key=BY_HAND)
    last = Round.objects.filter(session=session).aggregate(last=Max("index"))["last"]
    round = Round.objects.create(
        session=session,
        space=space,
        index=0 if last is None else last + 1,
        statement=said.text,
        maintenance=MaintenanceState.DONE,
        maintained_at=now,
    )
    turn = turn_append(round, speaker=said.speaker, role=Role.USER, text=said.text, said_at=now, key="")
    embedder_claim(space_state(space.pk), said.embedder)
    index_promise(space.pk)
    return SentenceRecord.objects.create(
        space=space, turn=turn, index=0, start=0, end=len(said.text), text=said.text, embedding=said.vector
    )


def say_after(sentence: SentenceRecord, known: Sequence[Triple]) -> None:
    turn = sentence.turn
    latest: datetime = max((triple.source.said_at for triple in known), default=turn.said_at)
    if latest > turn.said_at:
        turn.said_at = latest
        turn.save(update_fields=["said_at"])


def emptied_session_delete(space_id: int) -> None:
    """Delete the session of edits by hand if it has no round any more."""
    Session.objects.filter(space_id=space_id, key=BY_HAND, rounds=None).delete()

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
from memory.core.types import BY_HAND, ConflictCase, Fact, GraphFragment, Role, Span, Triple
from memory.models import MaintenanceState, Round, SentenceRecord, Session, Space, TripleRecord, Turn
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


@dataclass(frozen=True)
class Utterance:
    """A fact that a person asserts, its sentence, and the sentence's vector with the name of its embedder.

    The sentence is the message `heard` in a chat; on a page the product writes it for what was `done`: "corrected", "added".
    """

    fact: Fact
    text: str
    speaker: str
    vector: NDArray[float32]
    embedder: str
    done: str
    heard: Turn | None = None


@dataclass(frozen=True)
class Outcome:
    """The result of an utterance: the triple that states it now, its round, and the triples that it superseded.

    `round` is None where the memory had the fact already; then nothing of the utterance is stored.
    """

    triple: TripleRecord
    round: Round | None
    replaced: frozenset[int]


def utterance_of(
    fact: Fact, *, text: str, speaker: str, space_id: int, done: str, heard: Turn | None = None
) -> Utterance:
    """Return an embedded utterance: the message heard, letter by letter, else the text. Call it outside of any transaction.

    Raises `EditRefused` where the fact cannot be said.
    """
    embedder = bootstrap.space_embedder(space_id)
    text = heard.text if heard is not None else text
    start = max(0, text.find(fact.object.label)) if heard is not None else 0
    span = Span(start, start + len(fact.object.label)) if start else Span(0, len(text))
    try:
        [vector] = embedder.embed([text])
    except EmbedderChanged as error:
        raise EditRefused(str(error)) from error
    return Utterance(replace(fact, span=span), text, speaker, vector, embedder.name, done, heard)


def utterance_merge(said: Utterance, *, space: Space, journal: Journal, preferred: Collection[int] = ()) -> Outcome:
    """Store an utterance and merge it into the graph, in the caller's transaction, which holds the space's lock.

    It counts as said after every triple that it meets, whatever their dates: clocks differ, and imported dialogues may lie in
    the future. `preferred` are ids of entities that a name of the utterance means before any other.
    """
    sentence = utterance_write(said, space=space)
    round = sentence.turn.round
    if said.heard is None:
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
    if said.heard is None:
        round.delete()
        emptied_session_delete(space.pk)
    return Outcome(TripleRecord.objects.get(pk=confirmed.id), None, replaced)


def utterance_write(said: Utterance, *, space: Space) -> SentenceRecord:
    """Store the sentence with the message heard, else in a new round of the space's session of edits by hand; return it.

    Raises `EditRefused` where the space has no room for it.
    """
    try:
        room_check(space, turns=1, size=len(said.text.encode()))
    except QuotaReached as reached:
        raise EditRefused(str(reached)) from reached
    embedder_claim(space_state(space.pk), said.embedder)
    index_promise(space.pk)
    if said.heard is not None:
        return sentence_write(said, said.heard)
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
    key = f"{BY_HAND}:{said.done}:{round.index}"
    turn = turn_append(round, speaker=said.speaker, role=Role.USER, text=said.text, said_at=now, key=key)
    return sentence_write(said, turn)


def sentence_write(said: Utterance, turn: Turn) -> SentenceRecord:
    """Return the one sentence that is all of a turn's words; a message that was heard before has it already."""
    words = {"end": len(said.text), "text": said.text, "embedding": said.vector}
    return SentenceRecord.objects.get_or_create(
        turn=turn, index=0, defaults={"space_id": turn.space_id, "start": 0, **words}
    )[0]


def say_after(sentence: SentenceRecord, known: Sequence[Triple]) -> None:
    """Date an utterance after what it meets; the time of a message that was heard stays as it is stored."""
    turn = sentence.turn
    latest: datetime = max((triple.source.said_at for triple in known), default=turn.said_at)
    if latest > turn.said_at:
        turn.said_at = latest
        if turn.by_hand:
            turn.save(update_fields=["said_at"])


def emptied_session_delete(space_id: int) -> None:
    """Delete the session of edits by hand if it has no round any more."""
    Session.objects.filter(space_id=space_id, key=BY_HAND, rounds=None).delete()

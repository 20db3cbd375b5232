"""Forgets completely: words, sentences, vectors, triples, names, and everything derived from them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, fields
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from memory import events
from memory.adapters.deadlocks import made_again
from memory.adapters.row_security.scope import everything
from memory.core.naming import key_of
from memory.core.types import Role
from memory.models import (
    ActRecord,
    AliasRecord,
    EntityRecord,
    HeldFragmentRecord,
    MaintenanceState,
    Round,
    SentenceRecord,
    Session,
    Space,
    TripleRecord,
)
from memory.services.acts import act_record, acts_forget
from memory.services.dialogue import session_lock
from memory.services.edits.audit import edits_scrub
from memory.services.sentence_graph import words_withdraw
from memory.services.spaces import space_lock
from memory.services.tracing import maintenance_traces_forget, traces_forget

FORGOTTEN_REASON = "What it clashed with was forgotten since."
ENDING = ("superseded_by_id", "superseded_at", "superseded_in_id")
# The columns of a round that taught nothing yet.
UNLEARNT: dict[str, Any] = {
    "maintenance_stage": "",
    "maintenance_error": "",
    "maintained_at": None,
    "stage_ms": {},
}


@dataclass(frozen=True)
class Forgotten:
    """The ids of what was removed. The audit log of edits must not keep words of any of them."""

    triples: frozenset[int] = frozenset()
    sentences: frozenset[int] = frozenset()
    entities: frozenset[int] = frozenset()
    aliases: frozenset[int] = frozenset()
    rounds: frozenset[int] = frozenset()

    def __or__(self, other: Forgotten) -> Forgotten:
        return Forgotten(*(getattr(self, part.name) | getattr(other, part.name) for part in fields(self)))

    def scrub(self, space_id: int) -> None:
        edits_scrub(space_id, triple=self.triples, entity=self.entities, alias=self.aliases, round=self.rounds)
        traces_forget(space_id=space_id, triples=self.triples, sentences=self.sentences)


@transaction.atomic
def round_retract(*, round: Round) -> None:
    """Undo what a round taught and delete its reply, but keep the person's words; the round then waits for a new reply."""
    rounds_unlearn(round.space_id, [round.pk]).scrub(round.space_id)
    round.turns.filter(role=Role.ASSISTANT).delete()
    Round.objects.filter(pk=round.pk).update(maintenance=MaintenanceState.WAITING, **UNLEARNT)


def rounds_unlearn(space_id: int, round_ids: Collection[int]) -> Forgotten:
    """Undo what rounds of a space taught, in the caller's transaction, and return what was removed; their words stay."""
    space_lock(space_id)
    words_withdraw(space_id, round_ids=round_ids)
    gone = learning_undo(round_ids)
    maintenance_traces_forget(round_ids)
    memory_changed_after_commit(space_id)
    return gone


@made_again
def session_forget(*, session: Session) -> None:
    """Delete a session with its words, everything learnt from them, and its conversation."""
    try:
        session_lock(session.pk)
    except Session.DoesNotExist:
        return
    space_lock(session.space_id)
    words_withdraw(session.space_id, round_ids=session.rounds.values_list("pk", flat=True))
    learning_undo(list(session.rounds.values_list("pk", flat=True))).scrub(session.space_id)
    # Not `session.delete()`: it takes the row's number away even where the commit fails.
    Session.objects.filter(pk=session.pk).delete()
    memory_changed_after_commit(session.space_id)


def space_forget(*, space: Space, by: User | None = None) -> None:
    """Delete a space and everything in it, also what refers to it from others, as a run does to its scratch space.

    The log of acts keeps that `by` did, and no words of the space.
    """
    with everything():
        space_delete(space.pk, by=by)


@made_again
def space_delete(space_id: int, *, by: User | None) -> None:
    Space.objects.select_for_update().only("pk").filter(pk=space_id).first()
    acts_forget(space_id=space_id)
    # Not `space.delete()`: it takes the row's number away even where the commit fails.
    Space.objects.filter(pk=space_id).delete()
    if by is not None:
        act_record(kind=ActRecord.Kind.FORGET, by=by, space=space_id)


def learning_undo(round_ids: Collection[int]) -> Forgotten:
    """Remove the triples, held-back fragments, sentences and names of rounds, and return what was removed.

    Triples that theirs had superseded hold again. The number of queries does not grow with the number of rounds.
    """
    taught = TripleRecord.objects.filter(round__in=round_ids)
    ends = list(taught.values_list("pk", "subject_id", "object_id"))
    superseded_release(round_ids)
    said = frozenset(pk for pk, _, _ in ends)
    entity_ids = {end for _, *pair in ends for end in pair if end is not None}
    HeldFragmentRecord.objects.filter(round__in=round_ids).delete()
    held_forget(said)
    taught.delete()
    sentences = frozenset(SentenceRecord.objects.filter(turn__round__in=round_ids).values_list("pk", flat=True))
    SentenceRecord.objects.filter(pk__in=sentences).delete()
    gone = Forgotten(triples=said, sentences=sentences, rounds=frozenset(round_ids))
    return gone | aliases_withdraw(round_ids) | entities_prune(entity_ids)


def superseded_release(round_ids: Collection[int]) -> None:
    """Let what these rounds superseded hold again, or be superseded by what superseded their triples in turn."""
    own = TripleRecord.objects.filter(round__in=round_ids)
    after: dict[int | None, list[Any]] = {
        pk: ending for pk, *ending in own.exclude(supersedes=None).values_list("pk", *ENDING)
    }
    ended = TripleRecord.objects.filter(Q(superseded_by__in=after) | Q(superseded_in__in=round_ids))
    freed = list(ended.exclude(round__in=round_ids).only("superseded_by", "superseded_at", "superseded_in"))
    for triple in freed:
        ending: list[Any] = [triple.superseded_by_id, triple.superseded_at, triple.superseded_in_id]
        while ending[0] in after:
            ending = after[ending[0]]
        if ending[2] in round_ids:
            ending = [None, None, None]
        triple.superseded_by_id, triple.superseded_at, triple.superseded_in_id = ending
    if freed:
        TripleRecord.objects.bulk_update(freed, ["superseded_by", "superseded_at", "superseded_in"])


def held_forget(triple_ids: Collection[int]) -> None:
    """Blank the reasons of held-back fragments that quote triples which are being forgotten."""
    HeldFragmentRecord.objects.filter(against__in=triple_ids).update(reason=FORGOTTEN_REASON)


def aliases_withdraw(round_ids: Collection[int]) -> Forgotten:
    """Remove the names that only these rounds gave, except entity labels; return what was removed."""
    given = AliasRecord.objects.filter(source_round__in=round_ids).select_related("entity")
    spare = frozenset(alias.pk for alias in given if alias.key != key_of(alias.entity.label))
    AliasRecord.objects.filter(pk__in=spare).delete()
    return Forgotten(aliases=spare)


def entities_prune(entity_ids: Collection[int]) -> Forgotten:
    """Remove those of the entities that no triple mentions any more, with their names; return what was removed."""
    spoken_of = TripleRecord.objects.filter(subject_id=OuterRef("pk"))
    pointed_at = TripleRecord.objects.filter(object_id=OuterRef("pk"))
    silent = EntityRecord.objects.filter(~Exists(spoken_of), ~Exists(pointed_at), pk__in=entity_ids)
    named = silent.values_list("pk", "aliases")
    pruned, names = frozenset(pk for pk, _ in named), frozenset(name for _, name in named if name is not None)
    AliasRecord.objects.filter(entity__in=pruned).delete()
    # Nothing else refers to them: no triple does, and a deletion by Django would look for such once more.
    gone = EntityRecord.objects.filter(pk__in=pruned)
    gone._raw_delete(gone.db)
    return Forgotten(entities=pruned, aliases=names)


def memory_changed_after_commit(space_id: int) -> None:
    transaction.on_commit(lambda: events.memory_changed(space_id=space_id))

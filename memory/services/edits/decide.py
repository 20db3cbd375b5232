"""Decides a conflict by hand."""

from enum import StrEnum

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from memory.core.knowledge_graph.ontology import are_compatible
from memory.models import ConflictRecord, EditRecord, TripleRecord
from memory.services.edits.audit import EditRefused, edit_write
from memory.services.edits.correct import refusal_of
from memory.services.edits.journal import Journal
from memory.services.edits.returning import return_check
from memory.services.edits.stamps import conflict_unchanged
from memory.services.edits.wording import sentence_of_row
from memory.services.spaces import space_lock

NEITHER = "Neither of the two holds now as it was then. Decide about what replaced them."


class Verdict(StrEnum):
    """`ACCEPT`: the new triple holds. `REVERSE`: the old triple holds again and the new one is superseded."""

    ACCEPT = "accept"
    REVERSE = "reverse"


@transaction.atomic
def conflict_decide(*, conflict: ConflictRecord, decision: Verdict, by: User, seen: str = "") -> ConflictRecord:
    """Decide a conflict as a person says, whatever the rules or somebody else decided before, and return it.

    Triples that were superseded together with the old one because they said the same less exactly ("France" beside "Paris")
    are restored with it. Raises `EditRefused` where neither side holds now, where restoring a side would break an axiom, and
    where the conflict changed since the person saw it (`stamps`).
    """
    conflict = conflict_locked(conflict, seen, by=by)
    reverses = Verdict(decision) is Verdict.REVERSE
    winner, loser = (conflict.old, conflict.new) if reverses else (conflict.new, conflict.old)
    journal = Journal(conflict.space_id)
    beside = list(beside_of(conflict)) if reverses else []
    pairs = ConflictRecord.objects.filter(old__in=beside, new=conflict.new)
    journal.watch("conflict", [conflict.pk, *pairs.values_list("pk", flat=True)])
    journal.watch("triple", [winner.pk, loser.pk, *(row.pk for row in beside)])
    if winner.superseded_at is not None:
        hand_over(winner=winner, loser=loser, beside=beside, by=by)
    elif conflict.decision == ConflictRecord.Decision.BOTH:
        TripleRecord.objects.filter(pk=loser.pk).update(superseded_at=timezone.now(), superseded_by=winner)
    kept = ConflictRecord.Decision.KEPT if reverses else ConflictRecord.Decision.SUPERSEDED
    ConflictRecord.objects.filter(pk=conflict.pk).update(decision=kept, decided_by=by)
    pairs.update(decision=kept, decided_by=by)
    edit_write(
        journal,
        kind=EditRecord.Kind.CONFLICT,
        summary=f"Decided that {sentence_of_row(winner)} holds, not {sentence_of_row(loser)}.",
        by=by,
        triples=[winner.pk, loser.pk],
        refused=[refusal_of(loser)],
    )
    conflict.refresh_from_db()
    return conflict


@transaction.atomic
def conflict_leave_both(*, conflict: ConflictRecord, by: User, seen: str = "") -> ConflictRecord:
    """Decide that both sides of a conflict hold: the one that gave way to the other holds again. Raises `EditRefused`."""
    conflict = conflict_locked(conflict, seen, by=by)
    old, new = conflict.old, conflict.new
    back = [one.pk for one, other in ((old, new), (new, old)) if one.superseded_by_id == other.pk]
    if any(one.superseded_at is not None and one.pk not in back for one in (old, new)):
        raise EditRefused(NEITHER)
    return_check(conflict.space_id, by=by, back=back)
    journal = Journal(conflict.space_id)
    journal.watch("conflict", [conflict.pk])
    journal.watch("triple", back)
    TripleRecord.objects.filter(pk__in=back).update(superseded_at=None, superseded_by=None, superseded_in=None)
    ConflictRecord.objects.filter(pk=conflict.pk).update(decision=ConflictRecord.Decision.BOTH, decided_by=by)
    edit_write(
        journal,
        kind=EditRecord.Kind.CONFLICT,
        summary=f"Decided that both hold: {sentence_of_row(old)} and {sentence_of_row(new)}.",
        by=by,
        triples=[old.pk, new.pk],
    )
    conflict.refresh_from_db()
    return conflict


def conflict_locked(conflict: ConflictRecord, seen: str, *, by: User) -> ConflictRecord:
    """Lock the space of a conflict and return it as it is now. Raises `EditOutdated` where it is not as it was `seen`."""
    space_lock(conflict.space_id)
    sides = ("old__subject", "old__object", "new__subject", "new__object")
    conflict = ConflictRecord.objects.select_related(*sides).get(pk=conflict.pk)
    conflict_unchanged(conflict, seen, by=by)
    return conflict


def hand_over(*, winner: TripleRecord, loser: TripleRecord, beside: list[TripleRecord], by: User) -> None:
    """Restore the winner and supersede the loser by it."""
    if winner.superseded_by_id != loser.pk or loser.superseded_at is not None:
        raise EditRefused(NEITHER)
    again = [winner.pk, *(row.pk for row in beside)]
    return_check(winner.space_id, by=by, back=again, gone=[loser.pk])
    TripleRecord.objects.filter(pk__in=again).update(superseded_at=None, superseded_by=None, superseded_in=None)
    TripleRecord.objects.filter(pk=loser.pk).update(superseded_at=timezone.now(), superseded_by=winner)


def beside_of(conflict: ConflictRecord) -> list[TripleRecord]:
    old = conflict.old
    rows = TripleRecord.objects.filter(
        superseded_by=conflict.new, subject=old.subject, predicate=old.predicate, polarity=old.polarity
    )
    return [row for row in rows.exclude(pk=old.pk) if are_compatible(old.predicate, old.value, row.value)]

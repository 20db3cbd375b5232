"""Corrects a triple, or retracts one that is wrong."""

from dataclasses import replace

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from memory.core.naming import key_of
from memory.core.types import ConflictRule, Fact, Polarity, Tense
from memory.models import ConflictRecord, EditRecord, Space, TripleRecord, Turn
from memory.services.accounts import speaker_name
from memory.services.edits.add import fact_by_hand, subject_node
from memory.services.edits.audit import EditRefused, edit_write
from memory.services.edits.journal import Journal
from memory.services.edits.refusals import refused_fact
from memory.services.edits.stamps import triple_unchanged
from memory.services.edits.utterances import Outcome, utterance_merge, utterance_of
from memory.services.edits.wording import predicate_of, quoted, sentence_of_fact, sentence_of_row, words_checked
from memory.services.graph import VALUE_LIMIT
from memory.services.spaces import space_lock

REPLACED = "This fact was replaced meanwhile. Correct the one that replaced it."


def triple_correct(
    *,
    triple: TripleRecord,
    value: str | None = None,
    predicate: str | None = None,
    subject: str | None = None,
    by: User | None = None,
    seen: str = "",
    heard: Turn | None = None,
) -> TripleRecord:
    """Supersede a triple by the same statement with another value, predicate or subject, and return the new triple.

    The source of the new triple is the message that the correction was `heard` in, else an utterance of its own; the old
    triple keeps its source. Reading older words again does not restore it. `seen` is the stamp of what the person saw
    (`stamps`). Raises `EditRefused`.
    """
    right = corrected_words(value, what="what is right. To remove the fact, choose forget")
    about = corrected_words(subject, what="who or what it is about")
    named = predicate_of(predicate) if predicate is not None else None
    if right is None and about is None and named is None:
        raise EditRefused("Write what is right. To remove the fact, choose forget.")
    speaker = speaker_name(by) if by is not None else triple.said_by
    fact = corrected_fact(triple, value=right, predicate=named, subject=about, speaker=speaker)
    right_now = sentence_of_fact(fact, at=timezone.now())
    said = utterance_of(fact, text=right_now, speaker=speaker, space_id=triple.space_id, done="corrected", heard=heard)
    with transaction.atomic():
        space_lock(triple.space_id)
        old = TripleRecord.objects.select_related("object", "subject").get(pk=triple.pk)
        triple_unchanged(old, seen, by=by)
        if old.superseded_at is not None:
            raise EditRefused(REPLACED)
        if is_same_statement(old, fact):
            return old
        journal = Journal(old.space_id)
        journal.watch("triple", [old.pk])
        preferred = [old.subject_id] if about is None else []
        space = Space.objects.get(pk=old.space_id)
        outcome = utterance_merge(said, space=space, journal=journal, preferred=preferred)
        correction_decide(old, outcome, by=by)
        edit_write(
            journal,
            kind=EditRecord.Kind.CORRECT,
            summary=f"Corrected {sentence_of_row(old)} to {quoted(right_now.removesuffix('.'))}.",
            by=by,
            triples=[old.pk, outcome.triple.pk],
            refused=[refusal_of(old)],
        )
    return outcome.triple


def triple_retract(*, triple: TripleRecord, by: User, seen: str = "") -> None:
    """Supersede a triple that a person calls wrong, without a successor; its history stays.

    Reading the same or older words again does not restore it; saying it again in a new message does. Raises `EditRefused`.
    """
    with transaction.atomic():
        space_lock(triple.space_id)
        old = TripleRecord.objects.select_related("object", "subject").get(pk=triple.pk)
        triple_unchanged(old, seen, by=by)
        if old.superseded_at is not None:
            raise EditRefused("This fact does not hold any more as it is.")
        journal = Journal(old.space_id)
        journal.watch("triple", [old.pk])
        TripleRecord.objects.filter(pk=old.pk).update(superseded_at=timezone.now())
        edit_write(
            journal,
            kind=EditRecord.Kind.CORRECT,
            summary=f"Said that this is wrong: {sentence_of_row(old)}.",
            by=by,
            refused=[refusal_of(old)],
        )


def corrected_words(words: str | None, *, what: str) -> str | None:
    return None if words is None else words_checked(words, what=what, limit=VALUE_LIMIT)


def corrected_fact(
    triple: TripleRecord, *, value: str | None, predicate: str | None, subject: str | None, speaker: str
) -> Fact:
    """Return the fact of a triple with the given value, predicate or subject in place of its own."""
    node = subject_node(triple.subject.label if subject is None else subject, speaker=speaker)
    if subject is None:
        node = replace(node, kind=triple.subject.kind, is_speaker=triple.subject.is_speaker)
    label = triple.object.label if triple.object is not None else triple.value
    fact = fact_by_hand(
        subject=node,
        predicate=predicate or triple.predicate,
        value=label if value is None else value,
        phrase="" if predicate is not None else triple.phrase,
        # "No sister" put right is a sister.
        is_negative=triple.polarity == Polarity.NEGATIVE and not (triple.is_any and value is not None),
        valid_from=triple.valid_from,
        valid_to=triple.valid_to,
    )
    if predicate is None:
        is_literal = triple.object is None and not triple.is_any
        kind = triple.object.kind if triple.object is not None else fact.object.kind
        fact = replace(fact, object=replace(fact.object, kind="" if is_literal else kind, is_literal=is_literal))
    if triple.is_any and value is None:
        fact = replace(fact, object=replace(fact.object, is_any=True, is_literal=True))
    return replace(fact, tense=Tense(triple.tense))


def is_same_statement(old: TripleRecord, fact: Fact) -> bool:
    label = old.object.label if old.object is not None else old.value
    return (
        key_of(fact.subject.label) == key_of(old.subject.label)
        and fact.predicate == old.predicate
        and key_of(fact.object.label) in {key_of(label), old.value_key}
        and fact.polarity == old.polarity
    )


def correction_decide(old: TripleRecord, outcome: Outcome, *, by: User | None) -> None:
    """Record the conflict of a triple with its correction as decided by the person, whatever the rules say of the two."""
    if outcome.triple.pk == old.pk:
        raise EditRefused("That is the same under another name. Nothing was changed.")
    if old.pk not in outcome.replaced:
        TripleRecord.objects.filter(pk=old.pk).update(
            superseded_at=timezone.now(), superseded_by=outcome.triple, superseded_in=outcome.round
        )
    ConflictRecord.objects.update_or_create(
        old=old,
        new=outcome.triple,
        defaults={"space_id": old.space_id, "rule": ConflictRule.CORRECTED, "decided_by": by},
    )


def refusal_of(row: TripleRecord) -> str:
    return refused_fact(
        row.space_id,
        subject=row.subject.label,
        predicate=row.predicate,
        value=row.object.label if row.object is not None else row.value,
        polarity=row.polarity,
    )

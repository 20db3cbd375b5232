"""Forgets one fact or one digest, for good.

Forgetting is a privacy act: nothing is kept that could restore the words, so it cannot be undone. A person who only wants a
fact to stop holding retracts it instead (`triple_retract`), which can be undone.
"""

from django.contrib.auth.models import User
from django.db import transaction

from memory.core.types import BY_HAND
from memory.models import DigestRecord, EditRecord, Round, SentenceRecord, TripleRecord
from memory.services.edits.audit import edit_write
from memory.services.edits.journal import Journal
from memory.services.edits.utterances import emptied_session_delete
from memory.services.forgetting import Forgotten, aliases_withdraw, entities_prune, held_forget
from memory.services.sentence_graph import digests_withdraw, words_withdraw
from memory.services.spaces import space_lock
from memory.services.tracing import version_traces_forget


@transaction.atomic
def triple_forget(*, triple: TripleRecord, by: User | None = None) -> None:
    """Delete a triple and, if it was written by hand, its words.

    The triples that it superseded are not restored. The audit log keeps that something was forgotten, but not what.
    """
    triple_id, space_id = triple.pk, triple.space_id
    space_lock(space_id)
    row = TripleRecord.objects.filter(pk=triple_id).values_list("subject_id", "object_id", "round_id").first()
    if row is None:
        return
    subject_id, object_id, round_id = row
    held_forget([triple_id])
    triple.delete()
    forgotten = Forgotten(triples=frozenset({triple_id}), rounds=frozenset({round_id}))
    forgotten |= utterance_forget(round_id)
    forgotten |= entities_prune({subject_id, object_id} - {None})
    forgotten.scrub(space_id)
    version_traces_forget([round_id])
    edit_write(Journal(space_id), kind=EditRecord.Kind.FORGET, summary="Forgot a fact.", by=by)


@transaction.atomic
def digest_forget(*, digest: DigestRecord, by: User | None) -> None:
    """Delete a digest and the insights that were drawn from it; the sentences that it rests on stay.

    The audit log keeps that something was forgotten, but not what.
    """
    space_lock(digest.space_id)
    digests_withdraw({digest.pk})
    words = {DigestRecord.Kind.INSIGHT: "an insight", DigestRecord.Kind.SUMMARY: "a summary"}
    what = words.get(DigestRecord.Kind(digest.kind), "a fact that was written down")
    edit_write(Journal(digest.space_id), kind=EditRecord.Kind.FORGET, summary=f"Forgot {what}.", by=by)


def utterance_forget(round_id: int) -> Forgotten:
    """Delete a round that was written by hand if nothing rests on its words any more; return what was removed."""
    round = Round.objects.filter(pk=round_id, session__key=BY_HAND, triples=None, held_fragments=None).first()
    if round is None:
        return Forgotten()
    sentences = frozenset(SentenceRecord.objects.filter(turn__round=round).values_list("pk", flat=True))
    withdrawn = Forgotten(sentences=sentences) | aliases_withdraw([round.pk])
    space_id = round.space_id
    words_withdraw(space_id, round_ids=[round_id])
    round.delete()
    emptied_session_delete(space_id)
    return withdrawn

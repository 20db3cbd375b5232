"""Forgetting what was written from what was said: a summary, a fact or an insight, for good."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction

from memory.models import DigestRecord, EditRecord
from memory.services.edits.audit import edit_write
from memory.services.edits.journal import Journal
from memory.services.sentence_graph import digests_withdraw
from memory.services.spaces import space_lock


@transaction.atomic
def digest_forget(*, digest: DigestRecord, by: User | None) -> None:
    """Delete a digest and the insights that were drawn from it; the words that it rests on stay.

    That something was forgotten stays in the audit, without what it was.
    """
    space_lock(digest.space_id)
    digests_withdraw({digest.pk})
    words = {DigestRecord.Kind.INSIGHT: "an insight", DigestRecord.Kind.SUMMARY: "a summary"}
    what = words.get(DigestRecord.Kind(digest.kind), "a fact that was written down")
    edit_write(Journal(digest.space_id), kind=EditRecord.Kind.FORGET, summary=f"Forgot {what}.", by=by)

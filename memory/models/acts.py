"""The log of who did what to whom. It only grows: a trigger of the database refuses everything but the loss of words."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from memory.models.spaces import Space


class ActRecord(models.Model):
    """One act. What people edit in a memory is an `EditRecord`, what reviewers do a `ReviewEvent`; neither is told twice.

    Nothing refers to rows that may be deleted, so an act outlives its space and its person; `words` (names, files) are
    emptied when either is forgotten. `actor` is null for the command line and for a sign-in that failed. `subject` is whom it
    concerns: the member that was added, the account of a link, the one whose name failed to sign in.
    """

    class Kind(models.TextChoices):
        SIGN_IN = "sign_in", "Signed in"
        SIGN_IN_FAILED = "sign_in_failed", "Failed to sign in"
        SIGN_OUT = "sign_out", "Signed out"
        LINK = "link", "Made a sign-in link"
        TOKEN_MADE = "token_made", "Made a token"
        TOKEN_REVOKED = "token_revoked", "Revoked a token"
        INVITED = "invited", "Invited"
        MEMBER_ADDED = "member_added", "Added a member"
        MEMBER_REMOVED = "member_removed", "Removed a member"
        EXPORT = "export", "Took out"
        IMPORT = "import", "Brought in"
        STAFF_READ = "staff_read", "Read as an administrator"
        STAFF_CHANGE = "staff_change", "Changed as an administrator"
        ACCOUNT_DELETED = "account_deleted", "Deleted an account"
        ENGINE_ADDED = "engine_added", "Added an engine"
        ENGINE_CHANGED = "engine_changed", "Changed an engine"
        ENGINE_REMOVED = "engine_removed", "Removed an engine"
        QUOTA = "quota", "Changed a quota"
        FORGET = "forget", "Forgot a memory"
        BACKUP = "backup", "Made a backup"
        RESTORE = "restore", "Restored a backup"

    OF_A_SPACE = (
        *(Kind.TOKEN_MADE, Kind.TOKEN_REVOKED, Kind.INVITED, Kind.MEMBER_ADDED, Kind.MEMBER_REMOVED),
        *(Kind.EXPORT, Kind.IMPORT, Kind.STAFF_READ, Kind.STAFF_CHANGE, Kind.QUOTA),
    )

    kind = models.CharField(max_length=20, choices=Kind.choices)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        db_index=False,
        related_name="+",
    )
    subject = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+"
    )
    space = models.ForeignKey(
        Space, null=True, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+"
    )
    words = models.CharField(max_length=300, blank=True)
    address = models.CharField(max_length=45, blank=True)
    request_id = models.CharField(max_length=64, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [
            models.Index(fields=["space", "-id"], name="act_of_space"),
            models.Index(fields=["actor", "-id"], name="act_of_actor"),
            models.Index(fields=["kind", "-id"], name="act_of_kind"),
        ]

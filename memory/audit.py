"""Tells the log of acts what Django's own pages do: signing in and out, changes by administrators, deleted accounts."""

from __future__ import annotations

from typing import Any

from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.db.models.signals import post_save, pre_delete
from django.dispatch import receiver

from memory.models import ActRecord, Space
from memory.services.acts import act_record, acts_forget

Kind = ActRecord.Kind


@receiver(user_logged_in, dispatch_uid="log a sign-in")
def signed_in(user: User, **signal: object) -> None:
    act_record(kind=Kind.SIGN_IN, by=user)


@receiver(user_logged_out, dispatch_uid="log a sign-out")
def signed_out(user: User | None, **signal: object) -> None:
    if user is not None:
        act_record(kind=Kind.SIGN_OUT, by=user)


@receiver(user_login_failed, dispatch_uid="log a failed sign-in")
def sign_in_failed(credentials: dict[str, Any], **signal: object) -> None:
    """Log the name that was tried, and whose it is. What was typed as its password is no part of it."""
    name = str(credentials.get("username") or "")[:150]
    whose = User.objects.filter(username=name).values_list("pk", flat=True).first()
    act_record(kind=Kind.SIGN_IN_FAILED, subject=whose, words=name)


@receiver(post_save, sender=LogEntry, dispatch_uid="log a change by an administrator")
def staff_changed(instance: LogEntry, created: bool, **signal: object) -> None:
    """Log an addition or a change: accounts and their powers, members and their roles."""
    changed = instance.content_type.model_class() if instance.content_type is not None else None
    number = str(instance.object_id or "")
    row = int(number) if number.isdecimal() else None
    if created:
        act_record(
            kind=Kind.STAFF_CHANGE,
            by=instance.user,
            space=row if changed is Space else None,
            subject=row if changed is User else None,
            words=f"{instance.object_repr}: {instance.get_change_message()}",
        )


@receiver(pre_delete, sender=User, dispatch_uid="log a deleted account")
def account_deleted(instance: User, **signal: object) -> None:
    acts_forget(user_id=instance.pk)
    act_record(kind=Kind.ACCOUNT_DELETED, subject=instance)

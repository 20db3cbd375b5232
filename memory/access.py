"""Announces what may end a user's access: an ended session, a changed password, a closed account, a lost membership."""

from __future__ import annotations

from functools import partial

from django.contrib.auth import SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session as BrowserSession
from django.db import transaction
from django.db.models.signals import post_delete, post_save
from django.dispatch import receiver
from django.utils import timezone

from memory import events
from memory.models import Membership

DECISIVE = {"password", "is_active"}


@receiver(post_delete, sender=BrowserSession, dispatch_uid="tell of an ended session")
def session_ended(instance: BrowserSession, **signal: object) -> None:
    user_id = instance.get_decoded().get(SESSION_KEY)
    if user_id is not None and instance.expire_date > timezone.now():
        tell(int(user_id))


@receiver(post_save, sender=User, dispatch_uid="tell of a changed account")
def account_changed(instance: User, created: bool, update_fields: frozenset[str] | None, **signal: object) -> None:
    if not created and (update_fields is None or update_fields & DECISIVE):
        tell(instance.pk)


@receiver(post_delete, sender=User, dispatch_uid="tell of a deleted account")
def account_deleted(instance: User, **signal: object) -> None:
    tell(instance.pk)


@receiver(post_delete, sender=Membership, dispatch_uid="tell of an ended membership")
def membership_ended(instance: Membership, **signal: object) -> None:
    tell(instance.user_id)


def tell(user_id: int) -> None:
    transaction.on_commit(partial(events.access_changed, user_id=user_id))

"""Reads the imports that a person began. Others of a space do not see them: what an export holds is its person's."""

from django.contrib.auth.models import User
from django.db.models import QuerySet

from memory.models import TO_MAINTAIN, ImportJobRecord, Round
from memory.selectors.owned import spaces_of


def import_jobs_of(user: User) -> QuerySet[ImportJobRecord]:
    return ImportJobRecord.objects.filter(by=user, space__in=spaces_of(user)).order_by("-pk")


def backlog_of(space_id: int) -> int:
    """Return how many rounds that were brought into a space are still to be learnt."""
    return Round.objects.filter(space=space_id, maintenance__in=TO_MAINTAIN, is_backlog=True).count()

"""Reads the imports that a person began. Others of a space do not see them: what an export holds is its person's."""

from django.contrib.auth.models import User
from django.db.models import QuerySet

from memory.models import ImportJobRecord
from memory.selectors.owned import spaces_of


def import_jobs_of(user: User) -> QuerySet[ImportJobRecord]:
    return ImportJobRecord.objects.filter(by=user, space__in=spaces_of(user)).order_by("-pk")

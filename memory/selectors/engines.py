"""Which added engines somebody may change, offer and choose."""

from collections.abc import Iterable

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet

from memory.models import ADDED, EngineRecord, Space, added_id

REMOVED = "an engine that was removed"


def engines_added_by(user: User) -> QuerySet[EngineRecord]:
    """Return somebody's engines, each with those of their own spaces that offer it."""
    offered = Prefetch("offered_in", Space.objects.filter(members=user).order_by("pk"))
    return EngineRecord.objects.filter(added_by=user).order_by("name", "pk").prefetch_related(offered)


def engines_to_offer(user: User, space: Space) -> QuerySet[EngineRecord]:
    """Return the engines that an owner of a space may offer in it or withdraw: their own, shared ones, offered ones.

    Each has `is_offered`.
    """
    mine = Q(added_by=user) | Q(is_shared=True) | Q(offered_in=space)
    there = Space.objects.filter(engines=OuterRef("pk"), pk=space.pk)
    return EngineRecord.objects.filter(mine).distinct().annotate(is_offered=Exists(there)).order_by("name", "pk")


def engines_offered(spaces: Iterable[Space]) -> QuerySet[EngineRecord]:
    """Return the added engines that conversations over these spaces may choose, with those of the spaces that offer them."""
    ids = [space.pk for space in spaces]
    offered = Prefetch("offered_in", Space.objects.filter(pk__in=ids).order_by("pk"))
    rows = EngineRecord.objects.filter(offered_in__in=ids).distinct()
    return rows.order_by("name", "pk").prefetch_related(offered)


def engines_to_test(user: User) -> QuerySet[EngineRecord]:
    """Return the added engines that somebody sees: their own, and what is offered in their spaces."""
    seen = Q(added_by=user) | Q(offered_in__members=user)
    return EngineRecord.objects.filter(seen).distinct().order_by("name", "pk")


def is_offered(engine: str, space_id: int) -> bool:
    """Return whether an added engine is offered in a space."""
    return EngineRecord.objects.filter(pk=added_id(engine), offered_in=space_id).exists()


def engine_labels(engines: Iterable[str]) -> dict[str, str]:
    """Return how people call engines, by the engines' names; at most one query."""
    names = set(engines)
    ids = {added_id(name) for name in names} - {0}
    known = {row.engine: row.name for row in EngineRecord.objects.filter(pk__in=ids)} if ids else {}
    return {name: known.get(name, REMOVED if name.startswith(ADDED) else name) for name in names}

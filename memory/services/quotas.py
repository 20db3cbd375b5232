"""How much a space holds, how much it may hold, and the refusal of more.

The database counts what is stored (`UsageRecord`). Whoever would store more in a space with a limit takes the space's lock
first, so that of two who come at once the second sees what the first has stored. Deleting frees.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Count, Q, Sum
from django.utils import timezone

from memory.core.errors import QuotaReached
from memory.models import ActRecord, Space, UsageRecord
from memory.services.acts import act_record

LOCK_QUOTA = 0x71_756F7461 << 24  # "quota"
ROWS_TO_FOLD = 200
FOLD = """
with gone as (
    delete from memory_usagerecord where space_id = %(space)s and (imported_on is null or imported_on < %(today)s)
    returning turns, bytes
)
insert into memory_usagerecord (space_id, turns, bytes) select %(space)s, sum(turns), sum(bytes) from gone having count(*) > 0
"""


@dataclass(frozen=True)
class Amounts:
    """Turns, bytes of their words, and imports of today: what a space holds, or may hold, where 0 is no limit."""

    turns: int
    bytes: int
    imports: int


def usage_of(space: Space) -> Amounts:
    """Return what a space holds. Where its changes have become many, they are summed up on the way."""
    today = timezone.localdate()
    found = UsageRecord.objects.filter(space=space).aggregate(
        turns=Sum("turns", default=0),
        bytes=Sum("bytes", default=0),
        imports=Count("pk", filter=Q(imported_on=today)),
        rows=Count("pk"),
    )
    if found.pop("rows") > ROWS_TO_FOLD:
        with connection.cursor() as cursor:
            cursor.execute(FOLD, {"space": space.pk, "today": today})
    return Amounts(**found)


def quota_of(space: Space) -> Amounts:
    """Return what a space may hold: its own limits, else those of the settings."""
    own = (space.turn_limit, space.byte_limit, space.import_limit)
    usual = (settings.DSMART_QUOTA_TURNS, settings.DSMART_QUOTA_BYTES, settings.DSMART_QUOTA_IMPORTS)
    return Amounts(*(default if limit is None else limit for limit, default in zip(own, usual, strict=True)))


def room_check(space: Space, *, turns: int, size: int) -> None:
    """Raise `QuotaReached` unless the space has room for more turns with this many bytes of words.

    In the caller's transaction, which keeps the space's lock where it has a limit. With 0 and 0 it is asked afterwards
    whether what was stored fits.
    """
    quota = quota_of(space)
    if not (quota.turns or quota.bytes):
        return
    quota_lock(space)
    used = usage_of(space)
    if quota.turns and used.turns + turns > quota.turns:
        raise QuotaReached(
            f"This memory may hold {quota.turns:,} turn{'' if quota.turns == 1 else 's'}, and holds {used.turns:,}. "
            "Forget a conversation, or ask an administrator for more.",
            measure="turns",
        )
    if quota.bytes and used.bytes + size > quota.bytes:
        raise QuotaReached(
            f"This memory may hold {in_bytes(quota.bytes)} of words, and holds {in_bytes(used.bytes)}. "
            "Forget a conversation, or ask an administrator for more.",
            measure="bytes",
        )


def import_count(space: Space) -> None:
    """Count an import of today in the caller's transaction. Raises `QuotaReached` where there were as many as may be."""
    limit = quota_of(space).imports
    if limit:
        quota_lock(space)
        if usage_of(space).imports >= limit:
            raise QuotaReached(
                f"{limit:,} import{'' if limit == 1 else 's'} a day may be brought into this memory. "
                "Try again tomorrow, or ask an administrator for more.",
                measure="imports",
            )
    UsageRecord.objects.create(space=space, imported_on=timezone.localdate())


@transaction.atomic
def space_quota_set(*, space: Space, turns: int | None, size: int | None, imports: int | None) -> None:
    """Give a space limits of its own; None is the settings' limit, 0 none."""
    space.turn_limit, space.byte_limit, space.import_limit = turns, size, imports
    space.save(update_fields=["turn_limit", "byte_limit", "import_limit"])
    told = zip(("turns", "bytes", "imports a day"), (turns, size, imports), strict=True)
    words = ", ".join(f"{name}: {'the default' if limit is None else limit or 'no limit'}" for name, limit in told)
    act_record(kind=ActRecord.Kind.QUOTA, space=space, words=words)


def quota_lock(space: Space) -> None:
    with connection.cursor() as cursor:
        cursor.execute("select pg_advisory_xact_lock(%s)", [LOCK_QUOTA | space.pk])


def in_bytes(size: int) -> str:
    """Return a number of bytes for people: "1.5 MB"."""
    for unit, factor in (("GB", 1024**3), ("MB", 1024**2), ("KB", 1024)):
        if size >= factor:
            return f"{size / factor:.1f} {unit}".replace(".0 ", " ")
    return f"{size} bytes"

"""What people ruled out: that a fact is so, or that an entity has a name. Reading older words does not bring it back.

A ruling is stored as a digest (a hash), so that it outlives the words that it was about without containing them.
"""

import hashlib
import json
from collections.abc import Collection
from datetime import datetime

from memory.core.naming import key_of
from memory.core.types import GraphFragment
from memory.models import EditRecord


def refused_fact(space_id: int, *, subject: str, predicate: str, value: str, polarity: str) -> str:
    return digest("fact", space_id, key_of(subject), predicate, key_of(value), str(polarity))


def refused_name(space_id: int, *, label: str, name: str) -> str:
    return digest("name", space_id, key_of(label), key_of(name))


def digest(*parts: object) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]


def refusals_of(space_id: int, *, since: datetime | None = None) -> set[str]:
    """Return the digests of what the space's people ruled out, only those after `since` if it is given."""
    # An import rules nothing out; what it did fills megabytes, which are better not read.
    ruling = EditRecord.objects.filter(space_id=space_id).exclude(kind=EditRecord.Kind.IMPORT)
    rows = ruling.filter(undo__has_key="refused").exclude(undo__refused=[])
    if since is not None:
        rows = rows.filter(created_at__gte=since)
    return {one for refused in rows.values_list("undo__refused", flat=True) for one in refused}


def without_refused(fragment: GraphFragment, refused: Collection[str], *, space_id: int) -> GraphFragment:
    """Return the fragment without the facts that were ruled out."""
    if not refused:
        return fragment
    return GraphFragment(
        tuple(
            fact
            for fact in fragment.facts
            if refused_fact(
                space_id,
                subject=fact.subject.label,
                predicate=fact.predicate,
                value=fact.object.label,
                polarity=fact.polarity,
            )
            not in refused
        )
    )

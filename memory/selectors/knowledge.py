"""Reads the knowledge bases of a space for pages and the API."""

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet

from memory.core.grounded_generation.knowledge import KnowledgeTriple, name_key
from memory.models import KnowledgeBaseRecord, KnowledgeNameRecord, Space
from memory.selectors.owned import spaces_of
from memory.stores.knowledge import triples_of_entities

ENTITIES, TRIPLES = 20, 10
State = KnowledgeBaseRecord.State


@dataclass(frozen=True)
class FoundEntity:
    """An entity, how many triples it has, and the first of them. `alias` is the name that was found, where it is another."""

    name: str
    alias: str
    base: KnowledgeBaseRecord
    count: int
    triples: tuple[KnowledgeTriple, ...]


@dataclass(frozen=True)
class FoundEntities:
    """A page of entities, and the number of the name that the next page comes after."""

    entities: tuple[FoundEntity, ...] = ()
    after: int | None = None


def knowledge_bases_of(user: User) -> QuerySet[KnowledgeBaseRecord]:
    return KnowledgeBaseRecord.objects.filter(space__in=spaces_of(user))


def entities_starting_with(
    space: Space, text: str, *, base: KnowledgeBaseRecord | None = None, after: int | None = None
) -> FoundEntities:
    """Return a page of the entities of ready bases with a name that begins like a text, in the order of their names."""
    key = name_key(text)
    rows = KnowledgeNameRecord.objects.filter(base__space=space, base__state=State.READY, key__startswith=key)
    if base is not None:
        rows = rows.filter(base=base)
    last = rows.filter(pk=after).first() if after is not None else None
    if last is not None:
        rows = rows.filter(Q(key__gt=last.key) | Q(key=last.key, pk__gt=last.pk))
    if not key:
        return FoundEntities()
    found = list(rows.select_related("base").order_by("key", "pk")[: ENTITIES + 1])
    shown = found[:ENTITIES]
    names = dict(KnowledgeNameRecord.objects.filter(pk__in={row.entity for row in shown}).values_list("pk", "name"))
    triples = triples_of_entities([row.entity for row in shown], limit=TRIPLES)
    return FoundEntities(
        tuple(
            FoundEntity(
                name=names[row.entity],
                alias=row.name if row.pk != row.entity else "",
                base=row.base,
                count=row.triples,
                triples=triples.get(row.entity, ()),
            )
            for row in shown
        ),
        shown[-1].pk if len(found) > ENTITIES else None,
    )

"""What can be chosen: the values that a list's filters offer, and the engines that a person may choose.

Values are read by jumping along an index from one distinct value to the next.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import connection
from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet
from django.utils import timezone

from memory.core.english.inflection import words_of_name
from memory.core.knowledge_graph.ontology import Ontology
from memory.models import ADDED, EngineRecord, Space, added_id

OFFERED = 200
SESSIONS_OFFERED = 30
# Each step looks for the next larger value: as many looks into the index as there are values, however many rows have them.
DISTINCT = """
(with recursive found(name, n) as (
    (select {column}, 1 from {table} where space_id = %(space)s order by {column} limit 1)
    union all
    select (select {column} from {table} where space_id = %(space)s and {column} > found.name order by {column} limit 1),
           n + 1
    from found where found.name is not null and n < %(limit)s
) select '{kind}', name, null from found where name is not null)
"""
DECLARED = """
(select 'declared', name, is_functional::text from memory_predicaterecord where space_id = %(space)s limit %(limit)s)
"""
SESSIONS = """
(select 'session', id::text,
        coalesce(nullif(title, ''), to_char(started_at at time zone %(zone)s, '"of" FMDD Mon YYYY, HH24:MI'))
 from memory_session
 where space_id = %(space)s and is_remembered order by started_at desc limit %(sessions)s)
"""
SOURCES = {
    "predicate": DISTINCT.format(kind="predicate", table="memory_triplerecord", column="predicate"),
    "said_by": DISTINCT.format(kind="speaker", table="memory_triplerecord", column="said_by"),
    "speaker": DISTINCT.format(kind="speaker", table="memory_turn", column="speaker"),
    "kind": DISTINCT.format(kind="kind", table="memory_entityrecord", column="kind"),
    "declared": DECLARED,
    "session": SESSIONS,
}


@dataclass(frozen=True)
class PredicateChoice:
    name: str
    words: str
    is_functional: bool


@dataclass(frozen=True)
class SessionChoice:
    """A session to filter by; `title` is its start time where it has no name."""

    id: int
    title: str


@dataclass(frozen=True)
class Choices:
    predicates: tuple[PredicateChoice, ...]
    speakers: tuple[str, ...]
    kinds: tuple[str, ...]
    sessions: tuple[SessionChoice, ...]


def choices_in(space: Space, *sources: str) -> Choices:
    """Return the values of the filters named by `sources` (keys of SOURCES) in a space, in one query."""
    found: dict[str, list[tuple[str, str]]] = {
        "predicate": [],
        "declared": [],
        "speaker": [],
        "kind": [],
        "session": [],
    }
    values: dict[str, int | str] = {
        "space": space.pk,
        "limit": OFFERED,
        "sessions": SESSIONS_OFFERED,
        "zone": timezone.get_current_timezone_name(),
    }
    with connection.cursor() as cursor:
        cursor.execute(" union all ".join(SOURCES[source] for source in sources), values)
        for kind, name, more in cursor.fetchall():
            found[kind].append((name, more))
    ontology = Ontology(declared={name: more == "true" for name, more in found["declared"]})
    return Choices(
        predicates=tuple(
            PredicateChoice(name, " ".join(words_of_name(name)), ontology.predicate_named(name).is_functional)
            for name, _ in found["predicate"]
        ),
        speakers=tuple(name for name, _ in found["speaker"]),
        kinds=tuple(name for name, _ in found["kind"] if name),
        sessions=tuple(SessionChoice(int(name), title) for name, title in found["session"]),
    )


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

"""Reads the dashboard's lists of a space: facts, held-back fragments, sentences, entities and conflicts.

Each filter has an index of its own; with several filters PostgreSQL starts at the most selective one.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

from django.contrib.auth.models import User
from django.contrib.postgres.search import SearchQuery
from django.db.models import F, Max, Prefetch, Q, QuerySet

from memory.core.naming import key_of
from memory.core.types import ConflictRule, Modality, Polarity, Tense
from memory.models import (
    AliasRecord,
    ConflictRecord,
    DigestRecord,
    EditRecord,
    EntityRecord,
    HeldFragmentRecord,
    SentenceRecord,
    Space,
    TripleRecord,
    Turn,
    words_of,
)
from memory.selectors.as_of import believed_as_of, not_replaced_as_of
from memory.selectors.owned import HEAVY, edits_of, entity_records_of, with_parts, with_sides_and_places
from memory.selectors.pages import PAGE, Page, page_of, place_in, smaller

WORDS_SOUGHT = 8
ENTITIES_SOUGHT = 200
FACTS_A_SENTENCE = 8
COUNTED = 999
# A conflict takes the room, and the time, of two facts.
CONFLICTS = 20
EDITS_LOOKED_AT = 30
NEWEST_FIRST = ("pk",)
# As of a turn, the newest of what was known then are the last of the rounds up to it.
BY_ROUND = ("round_id", "pk")
BY_TURN = ("turn_id", "index")
BY_KNOWN = ("known_from", "pk")


class FactStatus(StrEnum):
    """What became of a fact. The values are those of the URL parameter `standing`."""

    HOLDS = "holds"
    REPLACED = "replaced"
    PLANNED = "planned"
    DENIED = "denied"
    REPORTED = "reported"
    SUPPOSED = "supposed"
    UNSURE = "unsure"
    ANY = "any"


class Decider(StrEnum):
    RULES = "rules"
    PEOPLE = "people"
    ME = "me"


@dataclass(frozen=True)
class Asked:
    """The filters of a list; an empty one does not filter. `as_of` is the turn as of which the list is read.

    `is_all` includes sentences that are no evidence: questions, and the product's own replies.
    """

    text: str = ""
    entity: int | None = None
    predicate: str = ""
    speaker: str = ""
    session: int | None = None
    as_of: Turn | None = None
    is_all: bool = False


def facts_page(
    space: Space, asked: Asked, *, status: FactStatus = FactStatus.HOLDS, before: str = "", size: int = PAGE
) -> Page[TripleRecord]:
    """Return a page of the facts with a status that match the filters, newest first."""
    order = NEWEST_FIRST if asked.as_of is None else BY_ROUND
    rows = TripleRecord.objects.filter(facts_asked(asked) & has_status(status, asked.as_of), space=space)
    is_replaced_then = status is FactStatus.REPLACED and asked.as_of is not None
    if not asked.text and not is_replaced_then:
        return page_of(with_parts(rows), order=order, before=before, size=size)
    at = place_in(before, len(order))
    older = rows.filter(smaller(order, at)) if at else rows
    if asked.text:
        found = facts_worded(older, asked.text, space=space, order=order, limit=size + 1)
    else:
        # By their numbers alone, an index answers it without a look at the many that were replaced later.
        descending = (f"-{name}" for name in order)
        found = list(older.order_by(*descending).values_list("pk", flat=True)[: size + 1])
    return page_of(with_parts(TripleRecord.objects.filter(pk__in=found)), order=order, size=size)


def facts_worded(
    rows: QuerySet[TripleRecord], text: str, *, space: Space, order: tuple[str, ...], limit: int
) -> list[int]:
    """Return the ids of the newest facts whose sentence has the words, or whose subject or object has such a name.

    Each of the three conditions is read by its own index, newest first; the newest of their union are the newest of all.
    """
    # Known to the planner by their ids: the facts of one entity, however many, then come in the order of an index.
    called = list(entities_named_so(space, text).values_list("entity", flat=True)[:ENTITIES_SOUGHT])
    ways = (Q(sentence__search=words_query(text)), Q(subject__in=called), Q(object__in=called))
    descending = [f"-{name}" for name in order]
    first, *others = (rows.filter(way).order_by(*descending).values_list(*order)[:limit] for way in ways)
    found = first.union(*others).order_by(*descending)[:limit]
    return [row[-1] for row in found]


def facts_asked(asked: Asked) -> Q:
    condition = Q()
    if asked.entity is not None:
        condition &= Q(subject=asked.entity) | Q(object=asked.entity)
    if asked.predicate:
        condition &= Q(predicate=asked.predicate)
    if asked.speaker:
        condition &= Q(said_by=asked.speaker)
    if asked.session is not None:
        condition &= Q(round__session=asked.session)
    return condition


def has_status(status: FactStatus, turn: Turn | None) -> Q:
    """Return the condition on facts that have a status, now or as of a turn."""
    still = Q(superseded_at=None) if turn is None else not_replaced_as_of(turn)
    known = Q() if turn is None else Q(round__lte=turn.round_id)
    if status is FactStatus.HOLDS:
        return Q(superseded_at=None, modality=Modality.ASSERTED) if turn is None else believed_as_of(turn)
    if status is FactStatus.REPLACED:
        return known & (Q(superseded_at__isnull=False) if turn is None else ~still)
    if status is FactStatus.PLANNED:
        return known & still & Q(tense=Tense.FUTURE)
    if status is FactStatus.DENIED:
        return known & still & Q(polarity=Polarity.NEGATIVE)
    if status is FactStatus.REPORTED:
        return known & still & Q(modality=Modality.REPORTED)
    if status is FactStatus.SUPPOSED:
        return known & still & Q(modality=Modality.HYPOTHETICAL)
    if status is FactStatus.UNSURE:
        return known & still & Q(modality=Modality.UNSURE)
    return known


def held_page(space: Space, asked: Asked, *, before: str = "", size: int = PAGE) -> Page[HeldFragmentRecord]:
    """Return a page of held-back fragments, newest first, with the triples that they clash with."""
    against = TripleRecord.objects.select_related("subject", "object")
    rows = HeldFragmentRecord.objects.filter(space=space).select_related("sentence__turn").defer(*HEAVY)
    if asked.as_of is not None:
        rows = rows.filter(round__lte=asked.as_of.round_id)
    if asked.session is not None:
        rows = rows.filter(round__session=asked.session)
    return page_of(rows.prefetch_related(Prefetch("against", queryset=against)), before=before, size=size)


def sentences_page(space: Space, asked: Asked, *, before: str = "", size: int = PAGE) -> Page[SentenceRecord]:
    """Return a page of sentences, newest first, each with its turn and the first facts that were extracted from it."""
    rows = sentences_asked(space, asked)
    rows = rows if asked.is_all else rows.filter(is_evidence=True)
    facts = TripleRecord.objects.select_related("subject", "object").order_by("pk")[:FACTS_A_SENTENCE]
    shown = rows.select_related("turn").defer("embedding", "search", "turn__search")
    return page_of(
        shown.prefetch_related(Prefetch("triples", queryset=facts, to_attr="facts")),
        order=BY_TURN,
        before=before,
        size=size,
    )


def no_evidence_count(space: Space, asked: Asked) -> int:
    """Return how many of the sentences that are asked for are no evidence; it stops counting one above `COUNTED`."""
    return sentences_asked(space, asked).filter(is_evidence=False)[: COUNTED + 1].count()


def sentences_asked(space: Space, asked: Asked) -> QuerySet[SentenceRecord]:
    rows = SentenceRecord.objects.filter(space=space)
    if asked.text:
        rows = rows.filter(search=words_query(asked.text))
    if asked.speaker:
        rows = rows.filter(turn__speaker=asked.speaker)
    if asked.session is not None:
        rows = rows.filter(turn__session=asked.session)
    if asked.as_of is not None:
        last = Turn.objects.filter(round=asked.as_of.round_id).aggregate(last=Max("pk"))["last"]
        # A reply may be older than the message after it, and written down later.
        rows = rows.filter(turn__lte=last, turn__round__lte=asked.as_of.round_id)
    return rows


def entities_page(
    user: User, space: Space, asked: Asked, *, kind: str = "", before: str = "", size: int = PAGE
) -> Page[EntityRecord]:
    """Return a page of a space's entities, the newest first, each with its names."""
    rows = entity_records_of(user).filter(space=space)
    if asked.text:
        rows = rows.filter(pk__in=entities_named_so(space, asked.text).values("entity"))
    if kind:
        rows = rows.filter(kind=kind)
    return page_of(rows, before=before, size=size)


def conflicts_page(
    user: User,
    space: Space,
    asked: Asked,
    *,
    rule: ConflictRule | None = None,
    decision: str = "",
    decider: Decider | None = None,
    before: str = "",
    size: int = CONFLICTS,
) -> Page[ConflictRecord]:
    """Return a page of conflicts, newest first, with both sides."""
    rows = with_sides_and_places(ConflictRecord.objects.filter(space=space))
    if rule is not None:
        rows = rows.filter(rule=rule)
    if decision:
        rows = rows.filter(decision=decision)
    if decider is Decider.ME:
        rows = rows.filter(decided_by=user)
    elif decider is not None:
        rows = rows.filter(decided_by__isnull=decider is Decider.RULES)
    if asked.session is not None:
        rows = rows.filter(new__round__session=asked.session)
    if asked.as_of is not None:
        rows = rows.filter(known_from__lte=asked.as_of.round_id)
        return page_of(rows, order=BY_KNOWN, before=before, size=size)
    return page_of(rows, before=before, size=size)


def edits_lately(user: User, space: Space) -> list[EditRecord]:
    """Return the last edits by hand, newest first, each with the ids of its facts."""
    edits = edits_of(user).filter(space=space).exclude(kind=EditRecord.Kind.IMPORT)
    return list(edits.annotate(facts_about=F("undo__about__triple")).order_by("-pk")[:EDITS_LOOKED_AT])


def entities_named_so(space: Space, text: str) -> QuerySet[AliasRecord]:
    """Return the names in which every word of the text is the beginning of a word."""
    words = re.findall(r"\w+", key_of(text))[:WORDS_SOUGHT]
    names = AliasRecord.objects.filter(space=space)
    if not words:
        return names.none()
    sought = SearchQuery(" & ".join(f"{word}:*" for word in words), search_type="raw", config="simple")
    return names.annotate(words=words_of("key", "simple")).filter(words=sought)


def words_query(text: str) -> SearchQuery:
    return SearchQuery(text, search_type="websearch", config="english")


# So many of what a digest rests on are shown, and one more tells that there are others.
SOURCES = 4
TOLD = 4
HEAVY_OF_SOURCE = ("embedding", "search", "turn__search", "turn__text")


def digests_page(
    space: Space, asked: Asked, *, kind: str = "", before: str = "", size: int = PAGE
) -> Page[DigestRecord]:
    """Return a page of digests of a kind, or of all, newest first, with the first of the sentences and facts behind each."""
    rows = DigestRecord.objects.filter(known_as_of(asked.as_of), space=space)
    if kind:
        rows = rows.filter(kind=kind)
    if asked.text:
        worded = rows.annotate(worded=words_of("text", "english"))
        rows = worded.filter(worded=words_query(asked.text))
    if asked.session is not None:
        rows = rows.filter(Q(session=asked.session) | Q(round__session=asked.session))
    sources = SentenceRecord.objects.select_related("turn").defer(*HEAVY_OF_SOURCE).order_by("pk")[: SOURCES + 1]
    merged = DigestRecord.objects.defer("embedding").order_by("pk")[: TOLD + 1]
    shown = rows.select_related("session").defer("embedding")
    return page_of(
        shown.prefetch_related(
            Prefetch("sentences", queryset=sources, to_attr="sources"),
            Prefetch("merges", queryset=merged, to_attr="told"),
        ),
        before=before,
        size=size,
    )


def known_as_of(turn: Turn | None) -> Q:
    """Return the condition on digests whose contents had been said as of a turn."""
    if turn is None:
        return Q()
    return Q(round__lte=turn.round_id) | Q(round=None, said_at__lte=turn.said_at)

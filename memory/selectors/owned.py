"""Reads that take a user: each returns only what the user's spaces hold."""

from django.contrib.auth.models import User
from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Case, Exists, OuterRef, Prefetch, Q, QuerySet, Value, When
from django.db.models.functions import JSONObject

from memory.core.naming import key_of
from memory.models import (
    AliasRecord,
    ConflictRecord,
    EditRecord,
    EntityRecord,
    Membership,
    Round,
    SentenceRecord,
    Session,
    Space,
    TripleRecord,
    Turn,
)
from memory.selectors.rows import HEAVY, TRIPLE_PARTS, with_both_sides, with_sides_and_places


def spaces_of(user: User) -> QuerySet[Space]:
    return Space.objects.filter(memberships__user=user).order_by("id")


def space_at_home(user: User) -> Space | None:
    """Return the first space that the user owns, else the first that they were let into."""
    own = Space.objects.filter(memberships__user=user, memberships__role=Membership.Role.OWNER)
    return own.order_by("id").first() or spaces_of(user).first()


def space_of(user: User, space_id: int) -> Space:
    """Return one of the user's spaces; `Space.DoesNotExist` for any other."""
    return spaces_of(user).get(pk=space_id)


def space_among(user: User, space_id: int, limit: int = 50) -> Space:
    """Return one of the user's spaces, with `known`: id and name of the first `limit` of all the user's spaces."""
    known = spaces_of(user).values(found=JSONObject(id="pk", name="name"))[:limit]
    return spaces_of(user).annotate(known=ArraySubquery(known)).get(pk=space_id)


def readable_by(user: User, session: str = "") -> Q:
    """Return the condition on sessions, or on rows that have one under this name, which a member of their space reads.

    What is remembered is read by all members; a conversation that is not, by whoever leads it (ADR 0044).
    """
    of = f"{session}__" if session else ""
    unled = Q(**{f"{of}conversation": None})
    return Q(**{f"{of}is_remembered": True}) | unled | Q(**{f"{of}conversation__owner": user})


def sessions_of(user: User) -> QuerySet[Session]:
    return Session.objects.filter(readable_by(user), space__memberships__user=user)


def turns_of(user: User) -> QuerySet[Turn]:
    return Turn.objects.filter(readable_by(user, "session"), space__memberships__user=user).defer("search")


def rounds_of(user: User, *, with_aside: bool = False) -> QuerySet[Round]:
    rounds = Round.everything if with_aside else Round.objects
    return rounds.filter(readable_by(user, "session"), space__memberships__user=user)


def triple_records_of(user: User) -> QuerySet[TripleRecord]:
    return TripleRecord.objects.filter(space__memberships__user=user).select_related(*TRIPLE_PARTS).defer(*HEAVY)


def triple_record_of(user: User, triple_id: int) -> TripleRecord:
    return triple_records_of(user).get(pk=triple_id)


def sentence_of(user: User, sentence_id: int) -> SentenceRecord:
    rows = SentenceRecord.objects.filter(readable_by(user, "turn__session"), space__memberships__user=user)
    rows = rows.select_related("turn__session")
    return rows.defer("embedding", "search", "turn__search").get(pk=sentence_id)


def conflicts_of(user: User) -> QuerySet[ConflictRecord]:
    return with_both_sides(ConflictRecord.objects.filter(space__memberships__user=user))


def conflict_of(user: User, conflict_id: int) -> ConflictRecord:
    """Return one conflict of the user's spaces with the conversations in which its sides were said."""
    return with_sides_and_places(ConflictRecord.objects.filter(space__memberships__user=user)).get(pk=conflict_id)


def entity_records_of(user: User) -> QuerySet[EntityRecord]:
    names = Prefetch("aliases", queryset=AliasRecord.objects.order_by("id"))
    return EntityRecord.objects.filter(space__memberships__user=user).prefetch_related(names)


def entity_record_of(user: User, entity_id: int) -> EntityRecord:
    return entity_records_of(user).select_related("space").get(pk=entity_id)


def entities_called(user: User, space: Space, name: str) -> QuerySet[EntityRecord]:
    """Return the entities of a space with a name that contains these letters; all entities for no letters."""
    entities = entity_records_of(user).filter(space=space)
    if not key_of(name):
        return entities
    so_called = AliasRecord.objects.filter(space=space, entity=OuterRef("pk"), key__contains=key_of(name))
    return entities.filter(Exists(so_called))


def edits_of(user: User) -> QuerySet[EditRecord]:
    """Return the edits by hand in the user's spaces, each with `can_undo`."""
    return undoable(EditRecord.objects.filter(space__memberships__user=user).select_related("actor", "undone_by"))


def undoable(edits: QuerySet[EditRecord]) -> QuerySet[EditRecord]:
    """Return edits, each with `can_undo`, without what an undo needs."""
    is_open = Q(undo__has_key="changes", undone_at=None) & ~Q(kind=EditRecord.Kind.FORGET)
    return edits.defer("undo").annotate(can_undo=Case(When(is_open, then=Value(True)), default=Value(False)))

"""Reads that take a user: each returns only what the user's spaces hold, waits for the user, or was begun by the user."""

from django.contrib.auth.models import User
from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Case, Exists, OuterRef, Prefetch, Q, QuerySet, Value, When
from django.db.models.functions import JSONObject
from django.utils import timezone

from memory.core.naming import key_of
from memory.models import (
    TO_MAINTAIN,
    AliasRecord,
    ConflictRecord,
    EditRecord,
    EntityRecord,
    ImportJobRecord,
    Membership,
    Round,
    SentenceRecord,
    Session,
    Space,
    SpaceInvitation,
    TripleRecord,
    Turn,
)

TRIPLE_PARTS = ("subject", "object", "sentence__turn", "superseded_by__subject", "superseded_by__object")
HEAVY = ("sentence__embedding", "sentence__search", "sentence__turn__search")


def with_parts(rows: QuerySet[TripleRecord]) -> QuerySet[TripleRecord]:
    return rows.select_related(*TRIPLE_PARTS).defer(*HEAVY)


def with_both_sides(rows: QuerySet[ConflictRecord]) -> QuerySet[ConflictRecord]:
    sides = [f"{side}__{part}" for side in ("old", "new") for part in ("subject", "object", "sentence__turn")]
    heavy = [f"{side}__{part}" for side in ("old", "new") for part in HEAVY]
    return rows.select_related(*sides, "decided_by").defer(*heavy)


def with_sides_and_places(rows: QuerySet[ConflictRecord]) -> QuerySet[ConflictRecord]:
    """Return the conflicts with both sides and the conversations in which these were said.

    The sides are fetched by queries of their own: one query would join so many tables that planning it takes longer than
    running it.
    """
    parts = ("subject", "object", "sentence__turn__session__conversation")
    sides = TripleRecord.objects.select_related(*parts).defer(*HEAVY)
    both = (Prefetch("old", queryset=sides), Prefetch("new", queryset=sides))
    return rows.select_related("decided_by").prefetch_related(*both)


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


def import_jobs_of(user: User) -> QuerySet[ImportJobRecord]:
    return ImportJobRecord.objects.filter(by=user, space__in=spaces_of(user)).order_by("-pk")


def backlog_of(space_id: int) -> int:
    """Return how many rounds that were brought into a space are still to be learnt."""
    return Round.objects.filter(space=space_id, maintenance__in=TO_MAINTAIN, is_backlog=True).count()


def invitations_for(user: User) -> QuerySet[SpaceInvitation]:
    """Return what waits for a person, who is a member of none of the spaces yet: read it within `everything`."""
    waiting = SpaceInvitation.objects.filter(
        username=user.get_username(), expires_at__gt=timezone.now(), declined_at=None
    )
    return waiting.select_related("space", "made_by").order_by("pk")


def invitations_of(space: Space) -> QuerySet[SpaceInvitation]:
    """Return what an owner sees wait: a declined invitation waits as one for a name that nobody has."""
    return space.invitations.filter(expires_at__gt=timezone.now()).order_by("pk")

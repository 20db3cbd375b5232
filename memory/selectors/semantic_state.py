"""Reads the semantic states of sessions: the lists of the panel, one element's history, the sessions that have a state."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import Count, OuterRef, Prefetch, Q, QuerySet, Subquery

from memory.core.semantic_state.elements import ElementKind, PlanMode, Status
from memory.core.semantic_state.keeping import goes_without_saying
from memory.models import Session, StateChangeRecord, StateElementRecord, StateRecord, Turn
from memory.models.semantic_state import CURRENT

SHOWN = 200
REFUSED_SHOWN = 20
NEXT_SHOWN = 3


@dataclass(frozen=True)
class StatePanel:
    """What counts of a session's state, a list a kind, what comes next, and the changes that were refused."""

    session: Session
    elements: Sequence[StateElementRecord]
    refused: Sequence[StateChangeRecord]
    state: StateRecord | None

    @property
    def known(self) -> list[StateElementRecord]:
        return self.of(ElementKind.FACT)

    @property
    def open(self) -> list[StateElementRecord]:
        """The open questions, the most urgent first."""
        return sorted(self.of(ElementKind.UNKNOWN), key=lambda one: -one.details["priority"])

    @property
    def assumed(self) -> list[StateElementRecord]:
        """What is assumed, without what is sure to answer a question: the fact that answers it stands among the known."""
        found = self.of(ElementKind.ASSUMPTION)
        is_plain = [
            goes_without_saying(answers=one.details["answers"], confidence=one.details["confidence"]) for one in found
        ]
        return [one for one, plain in zip(found, is_plain, strict=True) if not plain]

    @property
    def required(self) -> list[StateElementRecord]:
        return self.of(ElementKind.CONSTRAINT)

    @property
    def next(self) -> list[StateElementRecord]:
        """The elements to be settled before anything may be closed, the first one first; none where nothing is."""
        keyed = {one.key: one for one in self.elements}
        plans = self.state.plans if self.state is not None else []
        targets = [keyed.get(target) for _, mode, target in plans if mode == PlanMode.VERIFY]
        return [one for one in targets if one is not None][:NEXT_SHOWN]

    @property
    def is_empty(self) -> bool:
        return not self.elements and not self.refused

    def of(self, kind: ElementKind) -> list[StateElementRecord]:
        return [one for one in self.elements if one.kind == kind and one.status in CURRENT]


def state_panel(session: Session) -> StatePanel:
    """Return what counts of a session's state, in three queries."""
    state = StateRecord.objects.filter(session=session).first()
    targets = [target for _, _, target in state.plans] if state is not None else []
    elements = StateElementRecord.objects.filter(Q(status__in=CURRENT) | Q(key__in=targets), session=session)
    refused = StateChangeRecord.objects.filter(session=session, element=None).order_by("-pk")
    return StatePanel(session, list(elements.order_by("pk")[:SHOWN]), list(refused[:REFUSED_SHOWN]), state)


def state_panel_as_of(session: Session, turn: Turn) -> StatePanel:
    """Return what counted of a session's state as of a turn of the space; what came next is not kept."""
    then = Q(round__lte=turn.round_id) | Q(round=None, created_at__lte=turn.said_at)
    changes = StateChangeRecord.objects.filter(then, session=session)
    last = changes.filter(element=OuterRef("pk")).order_by("-pk").values("after")[:1]
    elements = StateElementRecord.objects.filter(session=session).annotate(then=Subquery(last))
    counted = list(elements.filter(then__in=CURRENT).order_by("pk")[:SHOWN])
    for one in counted:
        one.status = one.then
    refused = changes.filter(element=None).order_by("-pk")
    return StatePanel(session, counted, list(refused[:REFUSED_SHOWN]), None)


def state_elements_of(user: User) -> QuerySet[StateElementRecord]:
    return StateElementRecord.objects.filter(space__memberships__user=user)


def state_element_of(user: User, element_id: int) -> StateElementRecord:
    """Return one element of the user's spaces with its history; `DoesNotExist` for any other."""
    history = StateChangeRecord.objects.select_related("by").order_by("pk")
    rows = state_elements_of(user).select_related("said_in", "session").defer("said_in__search")
    return rows.prefetch_related(Prefetch("changes", queryset=history)).get(pk=element_id)


def states_of(user: User, space_id: int) -> QuerySet[StateRecord]:
    """Return the states of a space's sessions, each with how much of it counts and how many questions are open."""
    element = "session__state_elements"
    counts = Q(**{f"{element}__status__in": CURRENT})
    is_open = Q(**{f"{element}__status": Status.OPEN, f"{element}__kind": ElementKind.UNKNOWN})
    rows = StateRecord.objects.filter(space=space_id, space__memberships__user=user).select_related(
        "session__conversation"
    )
    return rows.annotate(counting=Count(element, filter=counts), unsettled=Count(element, filter=is_open))

"""Which triples a page of the graph shows, and how each of them stands: held, replaced, or differing between two turns."""

from dataclasses import dataclass
from enum import StrEnum

from django.db.models import Case, F, Q, Value, When

from memory.core.types import Modality
from memory.models import Turn
from memory.selectors.as_of import believed_as_of


class EdgeState(StrEnum):
    """The state of a fact at the shown turn; or what became of it from the earlier to the later of two."""

    HOLDS = "holds"
    ADDED = "added"
    GONE = "superseded"
    PAST = "past"


@dataclass(frozen=True)
class Sight:
    """Which triples are shown: those believed at a turn or now, those superseded by then too, or the difference to a turn."""

    at: Turn | None = None
    against: Turn | None = None
    with_past: bool = False

    @property
    def holds(self) -> Q:
        return believed(self.at)

    @property
    def shown(self) -> Q:
        """The condition on triples that are shown. Triples that were never believed are left out."""
        if self.against is not None:
            either = believed(self.at) | believed(self.against)
            # Says nothing new, and is what an index can begin at.
            return (
                either & Q(round__lte=max(self.at.round_id, self.against.round_id)) if self.at is not None else either
            )
        if not self.with_past:
            return believed(self.at)
        once = Q(superseded_at=None) | Q(superseded_at__gt=F("recorded_at"))
        said = Q(round__lte=self.at.round_id) if self.at is not None else Q()
        return Q(once, said, modality=Modality.ASSERTED)

    @property
    def state(self) -> Case:
        if self.against is None:
            return Case(When(self.holds, then=Value(EdgeState.HOLDS)), default=Value(EdgeState.PAST))
        earlier, later = (believed(turn) for turn in self.in_time)
        return Case(
            When(earlier & later, then=Value(EdgeState.HOLDS)),
            When(later, then=Value(EdgeState.ADDED)),
            default=Value(EdgeState.GONE),
        )

    @property
    def in_time(self) -> tuple[Turn | None, Turn | None]:
        """The two turns that are compared, the earlier first; now, which is None, is after all of them."""
        if self.at is not None and self.against is not None and self.at.round_id < self.against.round_id:
            return self.at, self.against
        return self.against, self.at

    @property
    def order(self) -> tuple[str, ...]:
        """Newest first, in the order of the index that answers the query."""
        is_current = self.at is None and self.against is None and not self.with_past
        return ("-pk",) if is_current else ("-round_id", "-pk")


def believed(turn: Turn | None) -> Q:
    """Return the condition on triples that are believed at a turn, or now for None."""
    return Q(superseded_at=None, modality=Modality.ASSERTED) if turn is None else believed_as_of(turn)

"""What a sentence does to what another said before."""

from dataclasses import dataclass
from enum import StrEnum


class Change(StrEnum):
    """What a new sentence does to an old one. The values are those of the labelled examples."""

    REPLACES = "replaces"
    ENDS = "ends"
    CORRECTS = "corrects"
    CONFIRMS = "confirms"
    COEXISTS = "coexists"
    UNRELATED = "unrelated"


@dataclass(frozen=True)
class ChangeVerdict:
    """The probabilities of what a new sentence does to an old one; they sum to 1."""

    replaces: float
    ends: float
    corrects: float
    confirms: float
    coexists: float
    unrelated: float

    @property
    def change(self) -> Change:
        return max(Change, key=lambda change: float(getattr(self, change.value)))

    @property
    def gives_way(self) -> float:
        """Return how probably what was said before no longer stands, for whatever reason."""
        return self.replaces + self.ends + self.corrects

"""Types of conflicts, and of what a fragment does to the graph."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from memory.core.types.dialogue import Role
from memory.core.types.graph import Fact, GraphFragment, Triple


class ConflictRule(StrEnum):
    """Which rule made an old triple give way to a new one.

    `LEARNED` is the verdict of a judge that was taught by examples, `MODEL` that of a language model.
    """

    FUNCTIONAL_VALUE = "functional_value"
    POLARITY = "polarity"
    DISJOINT_PROPERTIES = "disjoint_properties"
    TEMPORAL_PARADOX = "temporal_paradox"
    ENDED = "ended"
    CORRECTED = "corrected"
    LEARNED = "learned"
    MODEL = "model"


@dataclass(frozen=True)
class Supersession:
    """An active triple that a new fact supersedes, and the rule by which it does.

    `confidence` is how probably a learned verdict is right; None for rules that follow from what was said.
    """

    old: Triple
    new: Fact
    rule: ConflictRule
    confidence: float | None = None


@dataclass(frozen=True)
class ConflictCase:
    """A fragment and the active triples that it could clash with: the input of the conflict detection p_c.

    `speaker` and `role` say whose words the fragment was extracted from: people know best what is true of themselves.
    `sentence` are those words, where the case is of one sentence.
    """

    fragment: GraphFragment
    candidates: tuple[Triple, ...]
    said_at: datetime
    speaker: str = ""
    role: Role = Role.USER
    sentence: str = ""


@dataclass(frozen=True)
class GraphUpdate:
    """What a fragment does to the graph: facts to add, triples to supersede, facts already known.

    `overruled` are the clashes that the new fact lost, because the old triple was said with more authority: the old triple
    stays active and the fact is not added.
    """

    added: tuple[Fact, ...] = ()
    superseded: tuple[Supersession, ...] = ()
    confirmed: tuple[tuple[Fact, Triple], ...] = ()
    overruled: tuple[Supersession, ...] = ()

"""Words for facts that clash, and for what a fragment does to the graph."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from memory.core.types.dialogue import Role
from memory.core.types.graph import Fact, GraphFragment, Triple


class ConflictRule(StrEnum):
    """Which rule made an old triple give way to a new one. `MODEL` is a language model's verdict."""

    FUNCTIONAL_VALUE = "functional_value"
    POLARITY = "polarity"
    DISJOINT_PROPERTIES = "disjoint_properties"
    TEMPORAL_PARADOX = "temporal_paradox"
    ENDED = "ended"
    CORRECTED = "corrected"
    MODEL = "model"


@dataclass(frozen=True)
class Supersession:
    """An active triple that a new fact replaces, and the rule that says so."""

    old: Triple
    new: Fact
    rule: ConflictRule


@dataclass(frozen=True)
class ConflictCase:
    """A fragment and the active triples that it could clash with: what the conflict detection p_c is asked about.

    `speaker` and `role` are whose words the fragment was read from: people know better than others what is true of them.
    """

    fragment: GraphFragment
    candidates: tuple[Triple, ...]
    said_at: datetime
    speaker: str = ""
    role: Role = Role.USER


@dataclass(frozen=True)
class GraphUpdate:
    """What a fragment does to the graph: facts to add, triples to supersede, facts already known.

    `overruled` are the clashes that the new fact lost, because a better word stands behind the old triple: the old one
    stays active and the new one is not added.
    """

    added: tuple[Fact, ...] = ()
    superseded: tuple[Supersession, ...] = ()
    confirmed: tuple[tuple[Fact, Triple], ...] = ()
    overruled: tuple[Supersession, ...] = ()

"""What a user's turn brings (SLSM, equation 7): typed evidence that introduces, resolves or takes back elements.

Evidence says what was said, never what to do about it. Elements are named by their ids; evidence of the same turn by the
`ref` that its extractor gave it. `words` are the user's own, exactly as they stand in the turn.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from memory.core.semantic_state.elements import SemanticState, Source, Status
from memory.core.types import Utterance


@dataclass(frozen=True, kw_only=True)
class _Said:
    words: str = ""


@dataclass(frozen=True, kw_only=True)
class _New(_Said):
    """What brings an element: `replaces` are elements whose value it takes the place of, `against` those that cannot hold
    beside it, `basis` those without which it would not be there."""

    description: str
    ref: str = ""
    basis: tuple[str, ...] = ()
    replaces: tuple[str, ...] = ()
    against: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Asserted(_New):
    """A proposition that the user asserted or a tool returned: becomes a fact."""

    source: Source = Source.USER


@dataclass(frozen=True, kw_only=True)
class Required(_New):
    """An explicit requirement: becomes a constraint."""

    weight: float = 1.0


@dataclass(frozen=True, kw_only=True)
class Assumed(_New):
    """Something inferred or defaulted, or offered only as a guess: becomes an assumption."""

    confidence: float


@dataclass(frozen=True, kw_only=True)
class Missed(_New):
    """Something that the task needs and that is open: becomes an unknown with an askable question."""

    question: str
    priority: float = 1.0


@dataclass(frozen=True, kw_only=True)
class Resolved(_Said):
    """An open unknown is answered. `by` names the fact, constraint or assumption (id or ref) that answers it.

    The unknown closes. Where it is answered by a constraint or an assumption, that is what it became; else an assumption
    comes, valid, with the fact as its basis: that these words are the answer is the system's reading of them.
    """

    unknown: str
    by: str
    confidence: float = 1.0


@dataclass(frozen=True, kw_only=True)
class Withdrawn(_Said):
    """The user says that an element no longer holds: a fact or constraint closes, an assumption is contradicted, an unknown
    closes; what rests on it falls."""

    element: str


@dataclass(frozen=True, kw_only=True)
class Irrelevant(_Said):
    """An element no longer matters, as the task is another: it closes without being wrong."""

    element: str


@dataclass(frozen=True, kw_only=True)
class Evaluated(_Said):
    """A constraint was checked against the state: it is satisfied or violated, and why; `against` names what violates it."""

    constraint: str
    status: Status
    because: str
    against: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Ungrounded(_Said):
    """What an extractor was told and did not take for evidence, as nobody said it: kept as refused."""

    proposed: str
    because: str


Evidence = Asserted | Required | Assumed | Missed | Resolved | Withdrawn | Irrelevant | Evaluated | Ungrounded


@dataclass(frozen=True)
class StateTurn:
    """The state S_{t-1}, the user's turn x_t, and what was said just before it, oldest first."""

    state: SemanticState
    said: Utterance
    before: tuple[Utterance, ...] = ()


class EvidenceExtractor(Protocol):
    """Reads a user's turn as evidence against a state (SLSM, EXT). It never plans."""

    def extract(self, turn: StateTurn) -> Sequence[Evidence]:
        """Return the evidence in the order of the words. Raises `LanguageModelError` for a reply that is of no use."""

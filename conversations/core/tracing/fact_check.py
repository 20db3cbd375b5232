"""The trace step of a fact that a reply states, which was checked after the reply."""

from dataclasses import dataclass
from typing import ClassVar

from memory.core.tracing import SentenceIds, TraceStep, TripleIds, Words


@dataclass(frozen=True)
class FactChecked(TraceStep):
    """A fact, the verdict on it, what kind of ground decided and its words; `of` grounds it was held against.

    Without a verdict the reply states nothing that could be checked, and `why` may say why.
    """

    kind: ClassVar[str] = "fact_check"

    fact: Words = ""
    verdict: str = ""
    probability: float | None = None
    ground: str = ""
    words: Words = ""
    triples: TripleIds = ()
    sentences: SentenceIds = ()
    of: int = 0
    why: str = ""

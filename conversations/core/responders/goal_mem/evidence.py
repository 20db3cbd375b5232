"""A memory of which only what somebody told is found: what was only asked, and the product's own replies, prove nothing."""

from dataclasses import dataclass

from memory.core.ports import Recall
from memory.core.types import MemoryUnit, RetrievalQuery

# A turn that only asks is near to its question again; so many are found for each that is wanted.
_FOUND_FOR_EACH = 2


@dataclass(frozen=True)
class EvidenceRecall:
    """Implements `Recall` by the units of another that rest on sentences, which an index has of evidence alone."""

    recall: Recall

    @property
    def name(self) -> str:
        return self.recall.name

    @property
    def size(self) -> int:
        return self.recall.size

    def retrieve(self, query: RetrievalQuery, *, limit: int) -> list[MemoryUnit]:
        found = self.recall.retrieve(query, limit=_FOUND_FOR_EACH * limit)
        return [unit for unit in found if unit.sentence_ids][:limit]

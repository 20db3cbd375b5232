"""Turns as they were said, found by a `Retriever`: BM25-RAG, Dense-RAG, the sentence graph (SGMem) and `fused`.

The memory is the dialogue itself: what is added is indexed and nothing is written. A space's own index can only be asked
(`RetrievedTurns`); an index that grows can be written too (`GrowingMemory`).
"""

from collections.abc import Callable, Sequence

from memory.core.ports import DialogueIndex, Recall, Retriever
from memory.core.types import MemoryUnit, RetrievalQuery, Unit, Utterance


class RetrievedTurns:
    """Implements `Recall` by the turns that a retriever finds in its index."""

    def __init__(self, name: str, *, retriever: Retriever, index: DialogueIndex) -> None:
        self.name = name
        self._retriever = retriever
        self._index = index

    def retrieve(self, query: RetrievalQuery, *, limit: int) -> list[MemoryUnit]:
        found = self._retriever.retrieve(query, limit=limit).chunks.get(Unit.TURN, ())[:limit]
        scores = {one.id: one.score for one in found}
        sentences = self._index.sentences_of(list(scores))
        windows = {one.id: one.text for one in self._index.passages_of(Unit.WINDOW, list(scores))}
        return [
            MemoryUnit(
                id=f"turn:{turn.id}",
                text=turn.text,
                said_at=turn.said_at,
                speaker=turn.speaker,
                score=scores[turn.id],
                sentence_ids=tuple(sentences.get(turn.id, ())),
                before=windows.get(turn.id, "").rpartition(f"\n{turn.speaker}: ")[0],
            )
            for turn in self._index.passages_of(Unit.TURN, list(scores))
        ]

    @property
    def size(self) -> int:
        return self._index.count(Unit.TURN)


class GrowingMemory:
    """Implements `Backbone` by a recall and what adds turns to that which it recalls."""

    def __init__(self, recall: Recall, *, remember: Callable[[Sequence[Utterance]], object]) -> None:
        self.name = recall.name
        self._recall = recall
        self._remember = remember

    def add(self, turns: Sequence[Utterance]) -> None:
        self._remember(turns)

    def retrieve(self, query: RetrievalQuery, *, limit: int) -> list[MemoryUnit]:
        return self._recall.retrieve(query, limit=limit)

    @property
    def size(self) -> int:
        return self._recall.size

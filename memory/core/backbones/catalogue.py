"""The backbones by name: those that GOAL-MEM compares (section 5), and our own.

Every maker takes the same parts, an index and the players of an engine's roles, and makes an empty memory of them.

Turns as they were said, found by a `Retriever`: BM25-RAG, Dense-RAG, the sentence graph (SGMem) and `fused`.

The memory is the dialogue itself: what is added is indexed and nothing is written. A space's own index can only be asked
(`RetrievedTurns`); an index that grows can be written too (`GrowingMemory`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from memory.core.backbones.a_mem import AMem
from memory.core.backbones.graph_rag import GraphRag
from memory.core.backbones.knowledge_graph import KnowledgeGraphMemory, KnowledgeGraphRecall, KnownTriples, ReadTriples
from memory.core.backbones.magma import Magma
from memory.core.backbones.mem0 import Mem0, Mem0Graph
from memory.core.backbones.mem_tree import MemTree
from memory.core.backbones.raptor import Raptor
from memory.core.backbones.triples import TripleMemory, TripleReader
from memory.core.backbones.units import Summariser, TripleTeller
from memory.core.errors import RetrieverUnfit, UnknownBackbone
from memory.core.ports import (
    Backbone,
    ConflictDetector,
    DialogueIndex,
    Embedder,
    FactTeller,
    KnowledgeExtractor,
    Recall,
    Retriever,
    SentenceSegmenter,
)
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


@dataclass(frozen=True)
class Graph:
    """A knowledge graph that can be asked, and how many triples it has."""

    known: KnownTriples
    read: ReadTriples
    size: Callable[[], int]
    tell: TripleTeller


@dataclass(frozen=True)
class Said:
    """An index of what was said, its retrievers by name, and the knowledge graph beside it where there is one."""

    index: DialogueIndex
    retriever: Callable[[str], Retriever]
    graph: Graph | None = None


@dataclass(frozen=True)
class Parts:
    """What a backbone is made of. `remember` adds turns to the index and returns those that it took, by id."""

    said: Said
    remember: Callable[[Sequence[Utterance]], dict[int, Utterance]]
    embedder: Embedder
    segmenter: SentenceSegmenter
    extractor: KnowledgeExtractor
    teller: FactTeller
    conflicts: ConflictDetector
    summarise: Summariser
    tell: TripleTeller

    @property
    def reader(self) -> TripleReader:
        return TripleReader(segmenter=self.segmenter, extractor=self.extractor)

    @property
    def triples(self) -> TripleMemory:
        return TripleMemory(self.reader, conflicts=self.conflicts)


# Retrievers by the names of the sentence graph's catalogue.
BY_RETRIEVER = {"bm25": "bm25_t", "dense": "t", "sentence_graph": "sgmem_t", "fused": "fused"}


def _turns(name: str) -> Callable[[Said], Recall]:
    return lambda said: RetrievedTurns(name, retriever=said.retriever(BY_RETRIEVER[name]), index=said.index)


def _graph(said: Said) -> Recall:
    if said.graph is None:
        raise RetrieverUnfit("knowledge_graph reads a knowledge graph, and there is none beside this index.")
    graph = said.graph
    return KnowledgeGraphRecall(index=said.index, known=graph.known, read=graph.read, tell=graph.tell, size=graph.size)


def _growing(name: str) -> Callable[[Parts], Backbone]:
    return lambda parts: GrowingMemory(RECALLS[name](parts.said), remember=parts.remember)


RECALLS: Mapping[str, Callable[[Said], Recall]] = {
    **{name: _turns(name) for name in BY_RETRIEVER},
    KnowledgeGraphRecall.name: _graph,
}
MAKERS: Mapping[str, Callable[[Parts], Backbone]] = {
    "bm25": _growing("bm25"),
    "dense": _growing("dense"),
    Mem0.name: lambda parts: Mem0(
        teller=parts.teller, reader=parts.reader, conflicts=parts.conflicts, embedder=parts.embedder
    ),
    Mem0Graph.name: lambda parts: Mem0Graph(memory=parts.triples, tell=parts.tell, embedder=parts.embedder),
    AMem.name: lambda parts: AMem(reader=parts.reader, tell=parts.tell, embedder=parts.embedder),
    MemTree.name: lambda parts: MemTree(summarise=parts.summarise, embedder=parts.embedder),
    Raptor.name: lambda parts: Raptor(summarise=parts.summarise, embedder=parts.embedder),
    GraphRag.name: lambda parts: GraphRag(
        reader=parts.reader, tell=parts.tell, summarise=parts.summarise, embedder=parts.embedder
    ),
    Magma.name: lambda parts: Magma(reader=parts.reader, embedder=parts.embedder),
    "sentence_graph": _growing("sentence_graph"),
    "fused": _growing("fused"),
    KnowledgeGraphRecall.name: lambda parts: KnowledgeGraphMemory(
        index=parts.said.index, memory=parts.triples, tell=parts.tell, remember=parts.remember
    ),
}
BACKBONES = tuple(MAKERS)


def make_recall(name: str, said: Said) -> Recall:
    """Return a memory over an index that is only asked, such as a space's own.

    Raises `UnknownBackbone`, and `RetrieverUnfit` for one that needs a knowledge graph without one.
    """
    if name not in RECALLS:
        raise UnknownBackbone(f"There is no backbone {name!r} over an index. There are: {', '.join(RECALLS)}.")
    return RECALLS[name](said)


def make_backbone(name: str, parts: Parts) -> Backbone:
    """Return an empty memory of a name, to be written. Raises `UnknownBackbone`."""
    if name not in MAKERS:
        raise UnknownBackbone(f"There is no backbone {name!r}. There are: {', '.join(BACKBONES)}.")
    return MAKERS[name](parts)

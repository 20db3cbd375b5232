"""The retrievers by name: SGMem's variants, the baselines that it is compared with, and our own."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from memory.core.errors import RetrieverUnfit, UnknownRetriever
from memory.core.ports import DialogueIndex, RelevanceModel, Retriever
from memory.core.sentence_graph.baselines import (
    ChunkRetriever,
    LatestSessions,
    LdAgent,
    LexicalRetriever,
    LongMemEvalIndex,
    MemoryBank,
    NoHistory,
)
from memory.core.sentence_graph.config import LONGMEMEVAL, Recipe, SgmemConfig
from memory.core.sentence_graph.fused.config import FUSED, FusedConfig
from memory.core.sentence_graph.fused.retriever import FusedRetriever
from memory.core.sentence_graph.graph_baselines import KgRetriever, KnownRelations, LightRag, MiniRag, ReadRelations
from memory.core.sentence_graph.sgmem import Aggregate, Bm25Edges, SgmemRetriever, max_similarity, mean_similarity
from memory.core.types import DIGESTS, Unit


@dataclass(frozen=True)
class Sources:
    """What a retriever may read besides its index; None where the knowledge graph or the relevance model is missing."""

    index: DialogueIndex
    config: SgmemConfig = LONGMEMEVAL
    known: KnownRelations | None = None
    read: ReadRelations | None = None
    relevance: RelevanceModel | None = None
    fused: FusedConfig = FUSED


Maker = Callable[[Sources], Retriever]
RelationsT = TypeVar("RelationsT")

LETTERS = {"t": Unit.TURN, "r": Unit.ROUND, "s": Unit.SESSION}
MEMORIES: dict[str, tuple[Unit, ...]] = {"": (), "_f": (Unit.FACT,), "_mfi": DIGESTS}
RECIPES = {
    f"{letter}{ending}": Recipe(chunk, digests)
    for letter, chunk in LETTERS.items()
    for ending, digests in MEMORIES.items()
}


def make_retriever(
    name: str,
    index: DialogueIndex,
    *,
    config: SgmemConfig = LONGMEMEVAL,
    known: KnownRelations | None = None,
    read: ReadRelations | None = None,
    relevance: RelevanceModel | None = None,
    fused: FusedConfig = FUSED,
) -> Retriever:
    """Return the retriever of a name over an index. `config` is for those with a sentence graph, the last two for `fused`.

    Raises `UnknownRetriever` for another name, and `RetrieverUnfit` for one that needs a knowledge graph without one.
    """
    if name not in MAKERS:
        raise UnknownRetriever(f"There is no retriever {name!r}. There are: {', '.join(RETRIEVERS)}.")
    return MAKERS[name](Sources(index, config=config, known=known, read=read, relevance=relevance, fused=fused))


def _chunks(name: str, recipe: Recipe) -> Maker:
    return lambda sources: ChunkRetriever(name, sources.index, recipe=recipe)


def _sentence_graph(name: str, recipe: Recipe, *, aggregate: Aggregate = mean_similarity) -> Maker:
    return lambda sources: SgmemRetriever(
        name, sources.index, recipe=recipe, config=sources.config, aggregate=aggregate
    )


def _by_words(sources: Sources) -> Retriever:
    return SgmemRetriever(
        "sgmem_s_bm25", sources.index, recipe=RECIPES["s"], config=sources.config, edges=Bm25Edges(sources.index)
    )


def _of_graph(relations: RelationsT | None, name: str) -> RelationsT:
    if relations is None:
        raise RetrieverUnfit(f"{name} reads a knowledge graph, and there is none beside this index.")
    return relations


def _over_relations(made: type[LightRag | KgRetriever]) -> Maker:
    return lambda sources: made(
        sources.index, known=_of_graph(sources.known, made.name), read=_of_graph(sources.read, made.name)
    )


MAKERS: dict[str, Maker] = {
    **{name: _chunks(name, recipe) for name, recipe in RECIPES.items()},
    **{f"sgmem_{name}": _sentence_graph(f"sgmem_{name}", recipe) for name, recipe in RECIPES.items()},
    "sgmem_s_max": _sentence_graph("sgmem_s_max", RECIPES["s"], aggregate=max_similarity),
    "sgmem_s_bm25": _by_words,
    "bm25_t": lambda sources: LexicalRetriever("bm25_t", sources.index, chunk=Unit.TURN),
    "bm25_s": lambda sources: LexicalRetriever("bm25_s", sources.index, chunk=Unit.SESSION),
    "no_history": lambda sources: NoHistory(),
    "lc_latest": lambda sources: LatestSessions("lc_latest", sources.index),
    "lc_full": lambda sources: LatestSessions("lc_full", sources.index, is_full=True),
    "memory_bank": lambda sources: MemoryBank(sources.index),
    "ld_agent": lambda sources: LdAgent(sources.index),
    "long_mem_eval": lambda sources: LongMemEvalIndex(sources.index),
    # MemoryScope (Yu et al., 2024) consolidates observations into insights; RMM (Tan et al., 2025) reflects dialogue into
    # topics. What both find with is their digests, nearest first; their rerankers, which learn from a model's replies, are
    # left out.
    "memory_scope": _chunks("memory_scope", Recipe(Unit.ROUND, (Unit.FACT, Unit.INSIGHT))),
    "rmm": _chunks("rmm", Recipe(digests=(Unit.FACT,))),
    "light_rag": _over_relations(LightRag),
    "mini_rag": lambda sources: MiniRag(sources.index, known=_of_graph(sources.known, MiniRag.name)),
    "kg_retriever": _over_relations(KgRetriever),
    "fused": lambda sources: FusedRetriever(sources.index, config=sources.fused, relevance=sources.relevance),
}
RETRIEVERS = tuple(MAKERS)

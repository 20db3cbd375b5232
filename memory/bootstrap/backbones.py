"""What memory backbones are made of: indexes and retrievers, and the players of an engine's roles."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from memory.bootstrap.engines import Engine
from memory.bootstrap.roles import SCORE_RELEVANCE
from memory.bootstrap.tools import embedder, segmenter
from memory.core.backbones.catalogue import Parts, Said
from memory.core.ports import DialogueIndex, RelevanceModel
from memory.core.sentence_graph.catalogue import make_retriever
from memory.core.sentence_graph.in_memory import InMemoryIndex, SpokenSession
from memory.core.types import Utterance


def said_of(index: DialogueIndex, *, relevance: RelevanceModel | None = None) -> Said:
    """Return an index with its retrievers; `relevance` is for `fused`."""
    return Said(index, partial(make_retriever, index=index, relevance=relevance))


def backbone_parts(engine: Engine) -> Parts:
    """Return the parts of one empty backbone, to be written and asked by the players of an engine."""
    index = InMemoryIndex([], embedder=embedder(), segmenter=segmenter())
    return Parts(said_of(index, relevance=engine.player(SCORE_RELEVANCE)), partial(remember, index))


def remember(index: InMemoryIndex, turns: Sequence[Utterance]) -> None:
    """Add the turns of a session, or of its next part, to an index; those without words are left out."""
    spoken = tuple(turn for turn in turns if turn.text.strip())
    if spoken:
        index.add(SpokenSession(spoken[0].said_at, (spoken,)))

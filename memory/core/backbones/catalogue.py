"""The backbones by name: those that GOAL-MEM compares (section 5), and our own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from memory.core.backbones.retrieved import GrowingMemory, RetrievedTurns
from memory.core.errors import UnknownBackbone
from memory.core.ports import Backbone, DialogueIndex, Recall, Retriever
from memory.core.types import Utterance


@dataclass(frozen=True)
class Said:
    """An index of what was said, and its retrievers by name."""

    index: DialogueIndex
    retriever: Callable[[str], Retriever]


@dataclass(frozen=True)
class Parts:
    """What a backbone is made of: an empty index that `remember` adds turns to."""

    said: Said
    remember: Callable[[Sequence[Utterance]], None]


# The names of retrievers are those of the sentence graph's catalogue.
BY_RETRIEVER = {"bm25": "bm25_t", "dense": "t", "sentence_graph": "sgmem_t", "fused": "fused"}

RECALLS: Mapping[str, Callable[[str, Said], Recall]] = {
    name: lambda name, said: RetrievedTurns(name, retriever=said.retriever(BY_RETRIEVER[name]), index=said.index)
    for name in BY_RETRIEVER
}
MAKERS: Mapping[str, Callable[[str, Parts], Backbone]] = {
    name: lambda name, parts: GrowingMemory(make_recall(name, parts.said), remember=parts.remember) for name in RECALLS
}
BACKBONES = tuple(MAKERS)


def make_recall(name: str, said: Said) -> Recall:
    """Return a memory over an index that is only asked, such as a space's own. Raises `UnknownBackbone`."""
    if name not in RECALLS:
        raise UnknownBackbone(f"There is no backbone {name!r} over an index. There are: {', '.join(RECALLS)}.")
    return RECALLS[name](name, said)


def make_backbone(name: str, parts: Parts) -> Backbone:
    """Return an empty memory of a name, to be written. Raises `UnknownBackbone`."""
    if name not in MAKERS:
        raise UnknownBackbone(f"There is no backbone {name!r}. There are: {', '.join(BACKBONES)}.")
    return MAKERS[name](name, parts)

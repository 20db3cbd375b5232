"""The responder `d_smart_no_tree` with a language model: the graph without its search (D-SMART, Table 2, "w/o RT").

Departure from the paper: the neighbourhood of the entries goes into the prompt, capped, where the paper puts in the whole
graph. A memory of years fits no prompt.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from conversations.core.responders.d_smart.entries import ends_of, entities_called, said_near, triples_behind
from conversations.core.responders.writing import WRITTEN_FROM, Material, grounds_of, written
from conversations.core.types import Query, ReplyPart, Stage
from memory.core.ports import GraphWalker, LanguageModel, MemoryReader

# What fits a prompt.
_NEIGHBOURHOOD = 60
_NEIGHBOURHOOD_HOPS = 2


@dataclass(frozen=True, kw_only=True)
class PromptedNoTree:
    """Implements `Responder`. There is no variant by rule, where `graph` reads the neighbourhood already."""

    name: str = "d_smart_no_tree"
    memory: MemoryReader
    walker: GraphWalker
    write_answer: LanguageModel

    def reply(self, query: Query) -> Iterator[ReplyPart]:
        yield Stage("read", "read your message")
        said = said_near(query, memory=self.memory)
        near = triples_behind(said, walker=self.walker)
        entries = [*entities_called(query, memory=self.memory), *ends_of(near)]
        ids = list(dict.fromkeys(entity.id for entity in entries))
        around = self.walker.expand_many([ids], hops=_NEIGHBOURHOOD_HOPS, limit=_NEIGHBOURHOOD) if ids else []
        triples = [*near, *(triple for one in around for triple in one.triples)]
        known = tuple({triple.id: triple for triple in triples}.values())[:_NEIGHBOURHOOD]
        if entries:
            yield Stage("recall", f"looked around {entries[0].label}")
        yield from grounds_of(known, said, why=WRITTEN_FROM)
        yield from written(query, Material(known, tuple(said)), write_answer=self.write_answer)

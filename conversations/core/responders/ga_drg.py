"""The responder `ga_drg`: a reply by a language model that reads the graph of a dialogue (GA-DRG, equations 5 to 10).

The dialogue is said in full to choose the triples that fit it best; the model reads it as it was said, and their graph as
one vector before it. Engines whose model reads graphs play it: `graph:PATH`.

Departure from the paper: the graph is that of the space's memory and of its knowledge bases; what is denied or past says so
in its relation.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from conversations.core.responders.deltas import FAITHFUL, streamed
from conversations.core.responders.tg_drg import (
    REACH,
    Candidate,
    TextualisedGraph,
    dialogue_of,
    grounds_in,
    said_in_full,
)
from conversations.core.types import Query, ReplyPart, Stage
from memory.core.english.inflection import words_of_name
from memory.core.grounded_generation.knowledge import KnowledgeTriple, knowledge_triple
from memory.core.grounded_generation.reformulation import Reformulator
from memory.core.grounded_generation.text_graph import graph_aware_prompt, text_graph
from memory.core.knowledge_graph.verbalisation import assertion_of_triple
from memory.core.types import Polarity, TextGraph, Triple


@dataclass(frozen=True, kw_only=True)
class GraphAware(TextualisedGraph):
    """Implements `Responder` as GA-DRG."""

    name: str = "ga_drg"
    reformulate: Reformulator

    def reply(self, query: Query) -> Iterator[ReplyPart]:
        dialogue = dialogue_of(query)
        full = yield from said_in_full(dialogue, self.reformulate)
        candidates = self.candidates(full, query)
        triples = self.selected(full, candidates, query)
        yield Stage("select", f"chose {len(triples)} of {len(candidates)} facts about what was named")
        yield from grounds_in(triples)
        graph = graph_of(triples, query)
        yield Stage("write", f"writing the reply beside a graph of {len(graph.nodes)} things")
        speakers = [one.speaker for one in query.history[1 - REACH :]]
        prompt = graph_aware_prompt(graph, list(zip(speakers, dialogue[:-1], strict=True)), dialogue[-1])
        yield from streamed(self.write_answer.stream(prompt, config=FAITHFUL))


def graph_of(triples: Sequence[Candidate], query: Query) -> TextGraph:
    return text_graph(
        triple
        if isinstance(triple, KnowledgeTriple)
        else knowledge_triple(triple.subject.label, relation_of(triple, query), triple.object)
        for triple in triples
    )


def relation_of(triple: Triple, query: Query) -> str:
    """Return a predicate in words: "lives in", "formerly lives in", "not likes"."""
    is_former = assertion_of_triple(triple, at=query.asked_at).is_former
    marks = ["formerly"] * is_former + ["not"] * (triple.polarity is Polarity.NEGATIVE)
    return " ".join([*marks, *words_of_name(triple.predicate)])

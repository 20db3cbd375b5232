"""The responders `tg_drg_nr` and `tg_drg_r`: a reply from the textualised graph of a dialogue (TG-DRG, equations 1 to 4).

The triples of the entities that the dialogue names are candidates, of the space's memory and of its knowledge bases; those
that fit the dialogue best are put into the prompt in words.
`tg_drg_r` first says the dialogue in full, so that pronouns hide no entity.

Departures from the paper:
- Triples of the memory carry who said them and until when they held, those of a knowledge base its name: all is told.
- Entities are found by their names and aliases, not by ReFinED. The triples of whoever writes are candidates too.
- Of many triples of knowledge bases those are candidates that share the most words with the dialogue: a selector reads few.
"""

from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from conversations.core.responders.deltas import FAITHFUL, streamed
from conversations.core.responders.writing import WRITTEN_FROM, grounds_of
from conversations.core.types import GroundKnowledge, Grounds, Query, ReplyPart, Stage
from memory.core.english.stop_words import STOP_WORDS
from memory.core.english.telling_times import say_day
from memory.core.english.words import word_places
from memory.core.errors import LanguageModelError
from memory.core.grounded_generation.knowledge import KnowledgeIndex, KnowledgeSource, KnowledgeTriple
from memory.core.grounded_generation.reformulation import Reformulator
from memory.core.grounded_generation.selection import Bm25Scorer, TripleScorer, select
from memory.core.grounded_generation.text_graph import generation_prompt
from memory.core.knowledge_graph.verbalisation import triple_text
from memory.core.ports import LanguageModel, MemoryReader
from memory.core.types import Triple

# The turns of the dialogue that count, the message among them.
REACH = 7
LONGEST_NAME, MOST_NAMES = 4, 400
CANDIDATES = 200
# Triples of knowledge bases of which as many are candidates.
KNOWN = 1_000
# N of equation 3.
SELECTED = 10
Candidate = Triple | KnowledgeTriple


@dataclass(frozen=True, kw_only=True)
class TextualisedGraph:
    """Implements `Responder` as TG-DRG-NR."""

    name: str = "tg_drg_nr"
    memory: MemoryReader
    knowledge: KnowledgeSource = field(default_factory=lambda: KnowledgeIndex(()))
    select_triples: TripleScorer
    write_answer: LanguageModel

    def reply(self, query: Query) -> Iterator[ReplyPart]:
        yield from self.reply_from(dialogue_of(query), query)

    def reply_from(self, dialogue: Sequence[str], query: Query) -> Iterator[ReplyPart]:
        candidates = self.candidates(dialogue, query)
        triples = self.selected(dialogue, candidates, query)
        yield Stage("select", f"chose {len(triples)} of {len(candidates)} facts about what was named")
        yield from grounds_in(triples)
        yield Stage("write", "writing the reply")
        speakers = [one.speaker for one in query.history[1 - REACH :]]
        prompt = generation_prompt(
            [told_with_source(triple, query) for triple in triples],
            list(zip(speakers, dialogue[:-1], strict=True)),
            dialogue[-1],
            today=say_day(query.asked_at),
        )
        yield from streamed(self.write_answer.stream(prompt, config=FAITHFUL))

    def candidates(self, dialogue: Sequence[str], query: Query) -> list[Candidate]:
        known = self.knowledge.candidates(dialogue, limit=KNOWN)
        if len(known) > CANDIDATES:
            known = select(Bm25Scorer(), dialogue, known, limit=CANDIDATES)
        return [*candidates_of(dialogue, query, self.memory), *known]

    def selected(self, dialogue: Sequence[str], candidates: Sequence[Candidate], query: Query) -> tuple[Candidate, ...]:
        if not candidates:
            return ()
        scores = self.select_triples.score(dialogue, [told(triple, query) for triple in candidates])
        return tuple(candidates[place] for place in np.argsort(-scores, kind="stable")[:SELECTED])


@dataclass(frozen=True, kw_only=True)
class ReformulatedTextualisedGraph(TextualisedGraph):
    """Implements `Responder` as TG-DRG-R. A dialogue that cannot be said in full is read as it stands."""

    name: str = "tg_drg_r"
    reformulate: Reformulator

    def reply(self, query: Query) -> Iterator[ReplyPart]:
        full = yield from said_in_full(dialogue_of(query), self.reformulate)
        yield from self.reply_from(full, query)


def said_in_full(dialogue: Sequence[str], reformulate: Reformulator) -> Generator[ReplyPart, None, Sequence[str]]:
    """Return a dialogue said in full, as it stands where that fails, and yield what was done."""
    try:
        full = [turn.full for turn in reformulate.reformulate(dialogue)]
    except LanguageModelError as error:
        yield Stage("resolve", f"read what was said as it stands: {error}")
        return dialogue
    if full[-1] != dialogue[-1]:
        yield Stage("resolve", f"read it as “{full[-1].strip()}”")
    return full


def dialogue_of(query: Query) -> list[str]:
    """Return the last turns, oldest first, the message last."""
    return [*(one.text for one in query.history[1 - REACH :]), query.text]


def candidates_of(dialogue: Sequence[str], query: Query, memory: MemoryReader) -> list[Triple]:
    """Return the triples of the entities that a dialogue names, then those of its speaker, each once."""
    found = memory.entities_named([*names_in(dialogue), query.speaker])
    entities = list(dict.fromkeys(entity.id for some in found.values() for entity in some))
    if not entities:
        return []
    about = memory.triples_about(entities, limit=CANDIDATES)
    pointing = memory.triples_about(entities, as_object=True, limit=CANDIDATES)
    return list({triple.id: triple for triple in (*about, *pointing)}.values())[:CANDIDATES]


def names_in(dialogue: Sequence[str]) -> list[str]:
    """Return what may be names: runs of up to four words of each turn, the last turn's first, no stop words alone."""
    return list(dict.fromkeys(_runs(dialogue)))[:MOST_NAMES]


def _runs(dialogue: Sequence[str]) -> Iterable[str]:
    for text in reversed(dialogue):
        places = word_places(text)
        for length in range(LONGEST_NAME, 0, -1):
            for some in zip(*(places[start:] for start in range(length)), strict=False):
                words = [text[start:end].casefold() for start, end in some]
                if any(word[:1].isalnum() and word not in STOP_WORDS for word in words):
                    yield text[some[0][0] : some[-1][1]]


def grounds_in(triples: Sequence[Candidate]) -> Iterator[Grounds]:
    """Yield the triples as grounds, those of the memory with their sentences; nothing where there is none."""
    remembered = [one for one in triples if isinstance(one, Triple)]
    known = tuple(GroundKnowledge(one, WRITTEN_FROM) for one in triples if isinstance(one, KnowledgeTriple))
    grounds = replace(next(grounds_of(remembered, (), why=WRITTEN_FROM), Grounds()), knowledge=known)
    if grounds != Grounds():
        yield grounds


def told_with_source(triple: Candidate, query: Query) -> str:
    """Return a triple as a model is told it: of a knowledge base with its name."""
    is_known = isinstance(triple, KnowledgeTriple) and triple.source
    return told(triple, query) + (f" (source: {triple.source})" if is_known else "")


def told(triple: Candidate, query: Query) -> str:
    if isinstance(triple, KnowledgeTriple):
        return triple.text
    return triple_text(triple, asker=query.speaker, at=query.asked_at)

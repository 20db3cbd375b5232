"""What memory backbones are made of: indexes and retrievers, and the players of an engine's roles."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial

import numpy as np
from numpy.typing import NDArray

from memory.bootstrap import dialogue_index, graph_walker, relevance_model, space_memory
from memory.bootstrap.engines import Engine
from memory.bootstrap.roles import (
    DETECT_CONFLICTS,
    EXTRACT_FACTS,
    SCORE_RELEVANCE,
    STATEMENT,
    SUMMARISE,
    TELL_FACTS,
    WRITE_STATEMENT,
)
from memory.bootstrap.tools import embedder, segmenter
from memory.core.backbones.catalogue import Graph, Parts, Said
from memory.core.backbones.units import Gist
from memory.core.knowledge_graph.conflict.comparison import UNDECLARED
from memory.core.knowledge_graph.conflict.rule_based import RuleBasedConflictDetector
from memory.core.knowledge_graph.verbalisation import triple_text
from memory.core.ports import ConflictDetector, DialogueIndex, Embedder, RelevanceModel, StatementWriter
from memory.core.sentence_graph.catalogue import make_retriever
from memory.core.sentence_graph.digests.types import FactWriter, RoundWords, SessionWords, SummaryWriter
from memory.core.sentence_graph.fused.config import FUSED_FOR_READING
from memory.core.sentence_graph.in_memory import InMemoryIndex, SpokenSession
from memory.core.types import ConflictCase, DialogueRound, Statement, Supersession, Triple, Utterance
from memory.models import TripleRecord

GIST = 5  # utterances


def said_of(index: DialogueIndex, *, relevance: RelevanceModel | None = None, graph: Graph | None = None) -> Said:
    """Return an index with its retrievers; `relevance` is for `fused`, `graph` for `knowledge_graph`."""
    return Said(index, partial(make_retriever, index=index, relevance=relevance, fused=FUSED_FOR_READING), graph)


def space_said(space_id: int) -> Said:
    """Return what was said in a space, to be asked by `make_recall`."""
    active = TripleRecord.objects.filter(space_id=space_id, superseded_at=None)
    graph = Graph(space_memory(space_id), graph_walker(space_id), active.count, told)
    return said_of(dialogue_index(space_id), relevance=relevance_model(), graph=graph)


def backbone_parts(engine: Engine) -> Parts:
    """Return the parts of one empty backbone, to be written and asked by the players of an engine."""
    index = InMemoryIndex([], embedder=embedder(), segmenter=segmenter())
    has_statements = engine.kind_of(TELL_FACTS) == STATEMENT
    return Parts(
        said=said_of(index, relevance=engine.player(SCORE_RELEVANCE)),
        remember=partial(remember, index),
        embedder=embedder(),
        segmenter=segmenter(),
        extractor=engine.player(EXTRACT_FACTS),
        teller=WrittenFacts(engine.player(TELL_FACTS), engine.player(WRITE_STATEMENT) if has_statements else None),
        conflicts=RulesAndMore(engine.player(DETECT_CONFLICTS)(space_id=0, ontology=UNDECLARED)),
        summarise=WrittenGists(engine.player(SUMMARISE), embedder()),
        tell=told,
    )


def remember(index: InMemoryIndex, turns: Sequence[Utterance]) -> dict[int, Utterance]:
    """Add the turns of a session, or of its next part, to an index, and return those that have words, by id."""
    spoken = tuple(turn for turn in turns if turn.text.strip())
    if not spoken:
        return {}
    return dict(zip(index.add(SpokenSession(spoken[0].said_at, (spoken,))), spoken, strict=True))


def told(triple: Triple, *, at: datetime) -> str:
    """Return a triple as a sentence for anybody."""
    return triple_text(triple, asker="", at=at)


class RulesAndMore:
    """Implements `ConflictDetector` by the rules, which judge every update, and by what an engine adds to them."""

    def __init__(self, more: ConflictDetector) -> None:
        self._players = (RuleBasedConflictDetector(ontology=UNDECLARED), more)

    def find_many(self, cases: Sequence[ConflictCase]) -> list[list[Supersession]]:
        found = zip(*(player.find_many(cases) for player in self._players), strict=True)
        return [list({one.old.id: one for of_player in of_case for one in of_player}.values()) for of_case in found]


class WrittenFacts:
    """Implements `FactTeller` by the writer of facts, with the statement that it needs where `statements` is given."""

    def __init__(self, facts: FactWriter, statements: StatementWriter | None) -> None:
        self._facts = facts
        self._statements = statements

    def tell_many(self, sentences: Sequence[Utterance], *, context: Sequence[Utterance] = ()) -> list[list[str]]:
        said, told = tuple(sentences), list[list[str]]([] for _ in sentences)
        if not said:
            return told
        statement = Statement()
        if self._statements is not None:
            [statement] = self._statements.write_many([DialogueRound(said)])
        for fact in self._facts.write_many([RoundWords(said, tuple(context), statement)])[0]:
            told[fact.source].append(fact.text)
        return told


class WrittenGists:
    """Implements the backbones' `Summariser` by the writer of summaries. The vector of an utterance is made once."""

    def __init__(self, summaries: SummaryWriter, embedder: Embedder) -> None:
        self._summaries = summaries
        self._embedder = embedder
        self._vectors: dict[str, NDArray[np.float32]] = {}

    def summarise_many(self, groups: Sequence[Sequence[Utterance]]) -> list[Gist]:
        unseen = list({said.text: None for group in groups for said in group if said.text not in self._vectors})
        self._vectors |= dict(zip(unseen, self._embedder.embed(unseen), strict=True)) if unseen else {}
        sessions = [
            SessionWords(tuple(group), np.array([self._vectors[said.text] for said in group])) for group in groups
        ]
        written = self._summaries.write_many(sessions) if sessions else []
        return [
            Gist(summary.text, tuple(group[place] for place in summary.sources[-GIST:]))
            if summary.sources
            else last(group)
            for group, summary in zip(groups, written, strict=True)
        ]


def last(group: Sequence[Utterance]) -> Gist:
    """Return the end of what was said, for a group of which nothing can be summed up."""
    end = tuple(group[-GIST:])
    return Gist(" ".join(f"{said.speaker}: {said.text}" for said in end), end)

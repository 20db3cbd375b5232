"""What a model is asked for a reply to a turn of OpenDialKG, by each way of giving it knowledge (DRG, Tables 2 and 3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from evaluation.benchmarks.opendialkg import GroundedTurn
from memory.bootstrap.engines import Engine
from memory.bootstrap.roles import REFORMULATE, SELECT_TRIPLES
from memory.bootstrap.tools import embedder
from memory.core.errors import LanguageModelError
from memory.core.grounded_generation.g_retriever import connected_triples
from memory.core.grounded_generation.knowledge import KnowledgeIndex, KnowledgeTriple
from memory.core.grounded_generation.reformulation import Reformulator
from memory.core.grounded_generation.selection import Bm25Scorer, KapingScorer, TripleScorer, select
from memory.core.grounded_generation.text_graph import generation_prompt, graph_aware_prompt, text_graph
from memory.core.types import Prompt

SELECTED = 10
CANDIDATES = 1_000
USER, SYSTEM = "Speaker A", "Speaker B"

# Chooses among the triples of what a dialogue names.
Choice = Callable[[Sequence[str], Sequence[KnowledgeTriple]], Sequence[KnowledgeTriple]]


@dataclass(frozen=True)
class WayToGround:
    """How a reply gets its knowledge: which is chosen, and whether the dialogue is said in full for that.

    It is told in words, or given as a graph to a model that reads graphs, or both.
    """

    name: str
    choice: Callable[[Engine], Choice]
    is_said_in_full: bool = False
    is_told: bool = True
    is_graph: bool = False


def by_score(scorer: TripleScorer) -> Choice:
    return partial(select, scorer, limit=SELECTED)


def selected(engine: Engine) -> Choice:
    return by_score(engine.player(SELECT_TRIPLES))


def none(engine: Engine) -> Choice:
    return lambda dialogue, triples: ()


def every(engine: Engine) -> Choice:
    return lambda dialogue, triples: triples


GA_DRG = WayToGround("ga_drg", selected, is_said_in_full=True, is_told=False, is_graph=True)
WAYS: Mapping[str, WayToGround] = {
    way.name: way
    for way in (
        WayToGround("none", none),
        WayToGround("bm25", lambda engine: by_score(Bm25Scorer())),
        WayToGround("kaping", lambda engine: by_score(KapingScorer(embedder()))),
        WayToGround("tg_drg_nr", selected),
        WayToGround("tg_drg_r", selected, is_said_in_full=True),
        WayToGround("g_retriever", lambda engine: partial(connected_triples, embedder=embedder()), is_graph=True),
        GA_DRG,
        replace(GA_DRG, name="ga_drg_no_selection", choice=every),
        replace(GA_DRG, name="ga_drg_no_reformulation", is_said_in_full=False),
        replace(GA_DRG, name="ga_drg_no_graph", choice=none, is_said_in_full=False),
    )
}


def grounded_prompts(
    turns: Sequence[GroundedTurn], index: KnowledgeIndex, way: WayToGround, engine: Engine
) -> Iterator[tuple[tuple[KnowledgeTriple, ...], Prompt, str]]:
    """Yield of each turn the triples that are chosen for it, the prompt, and why none could be chosen.

    The engine says the dialogue in full, and selects.
    """
    choose = way.choice(engine)
    reformulator = engine.player(REFORMULATE) if way.is_said_in_full else None
    for turn in turns:
        said = dialogue_of(turn, reformulator)
        triples, error = chosen(choose, said, index.candidates(said, limit=CANDIDATES))
        yield triples, prompt_of(way, said if way.is_told else turn.dialogue, triples), error


def chosen(
    choose: Choice, said: Sequence[str], candidates: Sequence[KnowledgeTriple]
) -> tuple[tuple[KnowledgeTriple, ...], str]:
    """Return the triples that are chosen, or none and the error of a language model that was asked to choose."""
    try:
        return tuple(choose(said, candidates)), ""
    except LanguageModelError as error:
        return (), str(error)


def prompt_of(way: WayToGround, dialogue: Sequence[str], triples: Sequence[KnowledgeTriple]) -> Prompt:
    graph = text_graph(triples) if way.is_graph else None
    before, message = with_speakers(dialogue)[:-1], dialogue[-1]
    if not way.is_told:
        return graph_aware_prompt(graph, before, message)
    return replace(generation_prompt([triple.text for triple in triples], before, message), graph=graph)


def dialogue_of(turn: GroundedTurn, reformulator: Reformulator | None) -> list[str]:
    """Return the turns before a reply, in full where that succeeds."""
    if reformulator is None:
        return list(turn.dialogue)
    try:
        return [one.full for one in reformulator.reformulate(turn.dialogue)]
    except LanguageModelError:
        return list(turn.dialogue)


def with_speakers(said: Sequence[str]) -> list[tuple[str, str]]:
    """Return utterances with their speakers, who take turns; the last one is the user's."""
    return [(USER if (len(said) - place) % 2 else SYSTEM, text) for place, text in enumerate(said)]

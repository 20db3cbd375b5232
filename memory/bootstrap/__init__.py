"""The only place where settings become objects. Heavy objects are made once, at first use.

`roles` is the registry of roles and their players, `engines` chooses players, `models` and `tools` make them. This module has
what belongs to one space, and what several apps ask for.
"""

from __future__ import annotations

from functools import cache

from django.conf import settings

from memory.bootstrap import engines, tools
from memory.bootstrap.engines import (
    Engine,
    engine,
    engine_admit,
    engine_check,
    engine_names,
    has_language_model,
    roles_check,
    still_served,
    takes_graphs,
)
from memory.bootstrap.models import (
    BUILTIN,
    ENTAILMENT_BUILTIN,
    GONE,
    KEY_LOST,
    make_entailment_model,
    make_lexicon,
    make_model_of_page,
)
from memory.bootstrap.roles import (
    EXTRACT_FACTS,
    FIND_INSIGHTS,
    FIND_SENSES,
    JUDGE_ENTAILMENT,
    SCORE_RELEVANCE,
    SUMMARISE,
    TELL_FACTS,
    WRITE_STATEMENT,
)
from memory.bootstrap.tools import embedder, parser, segmenter
from memory.core.errors import ModelNotFound
from memory.core.knowledge_graph.senses.lexicon import Lexicon
from memory.core.ports import DialogueIndex, EntailmentModel, GraphWalker, RelevanceModel, SenseFinder
from memory.core.sentence_graph.digests.types import DigestWriters
from memory.stores import SpaceDialogueIndex, SpaceEmbedder, SpaceGraph, SpaceKnowledge, SpaceMemory

NO_BUILTIN_ENTAILMENT = (
    "There is no built-in entailment model here yet. "
    "Train it with `manage.py train entailment`, or name another by DSMART_ENTAILMENT."
)


@cache
def lexicon() -> Lexicon | None:
    """Return WordNet, or None where it is missing."""
    return make_lexicon()


def sense_finder() -> SenseFinder | None:
    """Return the `SenseFinder`, or None where it is off or WordNet is missing."""
    return engine().player(FIND_SENSES)


def relevance_model() -> RelevanceModel | None:
    """Return the relevance model that reranks passages, or None where none is chosen."""
    return engine().player(SCORE_RELEVANCE)


def entailment_model() -> EntailmentModel | None:
    """Return the entailment model, or None where it is off or its weights are missing (`entailment_absence` says which)."""
    return configured_entailment()[0]


def entailment_absence() -> str:
    """Return in a sentence for a person why there is no entailment model; "" where there is one."""
    return configured_entailment()[1]


@cache
def configured_entailment() -> tuple[EntailmentModel | None, str]:
    try:
        model = engine().player(JUDGE_ENTAILMENT)
    except ModelNotFound as error:
        # Whoever reads the pages has no use for a path of the server's.
        return None, NO_BUILTIN_ENTAILMENT if settings.DSMART_ENTAILMENT == ENTAILMENT_BUILTIN else str(error)
    return model, "" if model is not None else "Entailment is off: the settings say so."


def digest_writers(engine: Engine) -> DigestWriters:
    """Return the writers of summaries, facts and insights."""
    return DigestWriters(
        name=engine.name,
        summaries=engine.player(SUMMARISE),
        facts=engine.player(TELL_FACTS),
        insights=engine.player(FIND_INSIGHTS),
    )


def space_memory(space_id: int) -> SpaceMemory:
    return SpaceMemory(space_id, embedder=embedder())


def space_embedder(space_id: int, *, known: str | None = None) -> SpaceEmbedder:
    """Return the embedder of a space; it refuses if another embedder (`known`, if read) made the space's vectors."""
    return SpaceEmbedder(space_id, embedder(), known=known)


def space_knowledge(space_id: int) -> SpaceKnowledge:
    """Return the knowledge bases of a space, a `KnowledgeSource` and a `PassageSource`."""
    return SpaceKnowledge(space_id)


def dialogue_index(space_id: int) -> DialogueIndex:
    return SpaceDialogueIndex(space_id, embedder=space_embedder(space_id))


def graph_walker(space_id: int) -> GraphWalker:
    return SpaceGraph(space_id)


def engine_warm(name: str = "") -> Engine:
    """Load what the first round of an engine would otherwise wait for, and return the engine."""
    ready = engine(name)
    embedder().embed(["ready"])
    ready.player(EXTRACT_FACTS)
    ready.player(WRITE_STATEMENT)
    if not ready.has_language_model:
        parser().parse_many(["It is ready."])
    return ready


def reset() -> None:
    """Drop all cached objects, after settings changed."""
    tools.reset()
    engines.reset()
    configured_entailment.cache_clear()

"""Where names become responders over one space's memory."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType

from django.conf import settings

from conversations.core.choices import RESPONDERS
from conversations.core.errors import ResponderUnavailable
from conversations.core.ports import Responder
from conversations.core.responders.base import BaseResponder
from conversations.core.responders.d_smart.by_rule import RuleBasedDSmart
from conversations.core.responders.d_smart.no_tree import RuleBasedNoTree
from conversations.core.responders.d_smart.prompted import PromptedDSmart, PromptedNoTree
from conversations.core.responders.d_smart.rules import Roles
from conversations.core.responders.graph import GraphResponder
from conversations.core.responders.grounded import GroundedWriter
from conversations.core.responders.retrieved.recollection import SaidMemory
from conversations.core.responders.retrieved.responder import RetrievingResponder
from conversations.core.responders.retrieved.writer import ContextWriter
from memory import bootstrap as memory_bootstrap
from memory.bootstrap import Engine
from memory.bootstrap.roles import EXTRACT_FACTS
from memory.core.ports import LanguageModel
from memory.core.reasoning_tree.types import SearchConfig
from memory.core.sentence_graph.catalogue import RETRIEVERS, make_retriever
from memory.core.tracing import as_role

AUTO = "auto"
# SGMem as its paper ends up with it: sessions by the sentence graph, with summaries, facts and insights.
SGMEM = "sgmem"
SGMEM_RETRIEVER = "sgmem_s_mfi"


def responder(name: str, *, engine: str = "", space_id: int) -> Responder:
    """Return a responder by name, its roles played by an engine, over the memory of a space."""
    make = MAKERS.get(name)
    if make is None:
        raise ResponderUnavailable(f"There is no responder {name!r}. Choose one of: {', '.join(responder_names())}.")
    return make(memory_bootstrap.engine(engine), space_id)


def responder_names() -> list[str]:
    return list(MAKERS)


def has_language_model(engine: str) -> bool:
    return memory_bootstrap.engine(engine).language_model is not None


def default_responder(engine: str) -> str:
    """Return how an engine answers where nobody chose: as the settings say, else by a search where rules make it."""
    if settings.DSMART_RESPONDER != AUTO:
        return settings.DSMART_RESPONDER
    return "graph" if may_have_language_model(engine) else "d_smart"


def responder_check(name: str, *, engine: str = "") -> None:
    """Raise `ResponderUnavailable` unless an engine can play a responder. Loads nothing."""
    if name not in MAKERS:
        raise ResponderUnavailable(f"There is no responder {name!r}. Choose one of: {', '.join(responder_names())}.")
    if name in needing_a_language_model() and not may_have_language_model(engine):
        raise ResponderUnavailable(
            f"The responder {name!r} asks a language model, and the engine {engine or settings.DSMART_ENGINE!r} has none. "
            "Choose another engine, or another way of answering."
        )


def may_have_language_model(engine: str) -> bool:
    """Say without loading it whether an engine is one with a language model."""
    return memory_bootstrap.has_language_model(engine)


def needing_a_language_model() -> frozenset[str]:
    return frozenset(choice.name for choice in RESPONDERS if choice.needs_language_model)


def make_graph(engine: Engine, space_id: int) -> Responder:
    model = engine.language_model
    return GraphResponder(
        memory=memory_bootstrap.space_memory(space_id),
        parser=memory_bootstrap.parser(),
        extractor=engine.player(EXTRACT_FACTS),
        dates=memory_bootstrap.dates(),
        writer=GroundedWriter(language_model=as_role(model, "write_answer")) if model is not None else None,
    )


def make_base(engine: Engine, space_id: int) -> Responder:
    return BaseResponder(language_model=as_role(language_model_of(engine, "base"), "write_answer"))


def make_d_smart(engine: Engine, space_id: int) -> Responder:
    if engine.language_model is None:
        return RuleBasedDSmart(roles(space_id), extractor=engine.player(EXTRACT_FACTS))
    return PromptedDSmart(
        language_model=engine.language_model,
        memory=memory_bootstrap.space_memory(space_id),
        walker=memory_bootstrap.graph_walker(space_id),
        config=search_config(),
    )


def make_d_smart_no_tree(engine: Engine, space_id: int) -> Responder:
    if engine.language_model is None:
        return RuleBasedNoTree(
            memory=memory_bootstrap.space_memory(space_id),
            parser=memory_bootstrap.parser(),
            extractor=engine.player(EXTRACT_FACTS),
            dates=memory_bootstrap.dates(),
        )
    return PromptedNoTree(
        language_model=engine.language_model,
        memory=memory_bootstrap.space_memory(space_id),
        walker=memory_bootstrap.graph_walker(space_id),
    )


def make_d_smart_no_memory(engine: Engine, space_id: int) -> Responder:
    return PromptedDSmart(
        name="d_smart_no_memory",
        language_model=language_model_of(engine, "d_smart_no_memory"),
        memory=memory_bootstrap.space_memory(space_id),
        walker=None,
        config=search_config(),
    )


def make_retrieving(name: str, retriever: str) -> Callable[[Engine, int], Responder]:
    """Return the maker of a responder that answers from what a retriever finds."""

    def make(engine: Engine, space_id: int) -> Responder:
        index = memory_bootstrap.dialogue_index(space_id)
        memory = memory_bootstrap.space_memory(space_id)
        model = engine.language_model
        return RetrievingResponder(
            name=name,
            retriever=make_retriever(
                retriever,
                index,
                known=memory,
                read=memory_bootstrap.graph_walker(space_id),
                relevance=memory_bootstrap.relevance_model(),
            ),
            said=SaidMemory(index=index, sentences=memory, memory=memory),
            parser=memory_bootstrap.parser(),
            extractor=engine.player(EXTRACT_FACTS),
            dates=memory_bootstrap.dates(),
            writer=ContextWriter(language_model=as_role(model, "write_answer")) if model is not None else None,
        )

    return make


def language_model_of(engine: Engine, responder: str) -> LanguageModel:
    if engine.language_model is None:
        raise ResponderUnavailable(
            f"The responder {responder!r} asks a language model, and the engine {engine.name!r} has none. "
            "Choose another engine."
        )
    return engine.language_model


def search_config() -> SearchConfig:
    """Return the paper's search under the budgets of the settings."""
    return SearchConfig(
        max_calls=settings.DSMART_REASONING_CALLS,
        max_tokens=settings.DSMART_REASONING_TOKENS,
        max_seconds=settings.DSMART_REASONING_SECONDS,
    )


def roles(space_id: int) -> Roles:
    return Roles(
        memory=memory_bootstrap.space_memory(space_id),
        walker=memory_bootstrap.graph_walker(space_id),
        parser=memory_bootstrap.parser(),
        dates=memory_bootstrap.dates(),
    )


MAKERS: MappingProxyType[str, Callable[[Engine, int], Responder]] = MappingProxyType(
    {
        "graph": make_graph,
        "d_smart": make_d_smart,
        "d_smart_no_tree": make_d_smart_no_tree,
        "d_smart_no_memory": make_d_smart_no_memory,
        "base": make_base,
        SGMEM: make_retrieving(SGMEM, SGMEM_RETRIEVER),
        **{name: make_retrieving(name, name) for name in RETRIEVERS},
    }
)

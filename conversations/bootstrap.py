"""Makes responders by name over one space's memory, from the parts and the players of roles that each declares."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from typing import Any

from django.conf import settings

from conversations.core.choices import SEARCHES
from conversations.core.errors import ResponderUnavailable
from conversations.core.ports import Responder
from conversations.core.responders.base import BaseResponder
from conversations.core.responders.d_smart.no_memory import PromptedNoMemory
from conversations.core.responders.d_smart.no_tree import PromptedNoTree
from conversations.core.responders.d_smart.prompted import PromptedDSmart
from conversations.core.responders.d_smart.rule_based import RuleBasedDSmart
from conversations.core.responders.ga_drg import GraphAware
from conversations.core.responders.goal_mem.evidence import EvidenceRecall
from conversations.core.responders.goal_mem.kinds import Kinds
from conversations.core.responders.goal_mem.prompted import PromptedGoalMem
from conversations.core.responders.goal_mem.rule_based import RuleBasedGoalMem
from conversations.core.responders.graph.prompted import PromptedGraph
from conversations.core.responders.graph.rule_based import RuleBasedGraph
from conversations.core.responders.instructed import InstructedModel
from conversations.core.responders.naive_memory import NaiveMemoryResponder
from conversations.core.responders.retrieved.prompted import PromptedRetrieving
from conversations.core.responders.retrieved.recollection import SaidMemory
from conversations.core.responders.retrieved.rule_based import RuleBasedRetrieving
from conversations.core.responders.said_answers import SaidPassages
from conversations.core.responders.said_in_full import SaidInFull
from conversations.core.responders.slsm.no_revision import AddingStates
from conversations.core.responders.slsm.prompted import PromptedSlsm
from conversations.core.responders.slsm.rule_based import RuleBasedSlsm
from conversations.core.responders.tg_drg import ReformulatedTextualisedGraph, TextualisedGraph
from memory import bootstrap as memory_bootstrap
from memory.bootstrap import has_language_model, takes_graphs
from memory.bootstrap.backbones import space_said
from memory.bootstrap.roles import RESOLVE_REFERENCES, ROLES, WRITE_ANSWER
from memory.core.backbones.catalogue import make_recall
from memory.core.reasoning_tree.types import SearchConfig
from memory.core.sentence_graph.catalogue import RETRIEVERS, make_retriever
from memory.core.sentence_graph.fused.config import FUSED_FOR_READING
from memory.core.sentence_graph.fused.retriever import FusedRetriever
from memory.services.hearing import SpaceListener
from memory.services.semantic_state import SessionStates

AUTO = "auto"
# SGMem as its paper ends up with it: sessions by the sentence graph, with summaries, facts and insights.
SGMEM_RETRIEVER = "sgmem_s_mfi"


@dataclass(frozen=True)
class Way:
    """A way of answering: its responders, the preferred one first. An engine uses the first whose roles it can play.

    A responder is a frozen dataclass. A field named like a role gets its player, a field named like a part of `parts_of` gets
    that part. `search` is what its search of the reasoning tree has otherwise. One that gives a graph is played by engines
    whose language model reads graphs, and by no other.
    """

    responders: tuple[type[Responder], ...]
    retriever: str = ""
    search: Mapping[str, Any] = field(default_factory=dict)
    revises: bool = True
    gives_graph: bool = False


def retrieving(retriever: str) -> Way:
    return Way((PromptedRetrieving, RuleBasedRetrieving), retriever)


def searching(depth: int, beam: int, samples: int) -> Way:
    return Way((PromptedDSmart,), search={"max_depth": depth, "beam_width": beam, "samples": samples})


WAYS: Mapping[str, Way] = {
    "graph": Way((PromptedGraph, RuleBasedGraph)),
    "d_smart": Way((PromptedDSmart, RuleBasedDSmart)),
    # Rules read no prompt that a neighbourhood could be put into: without its tree, D-SMART by rule is one look.
    "d_smart_no_tree": Way((PromptedNoTree, RuleBasedGraph)),
    "d_smart_no_memory": Way((PromptedNoMemory,)),
    **{f"d_smart_{'_'.join(map(str, sizes))}": searching(*sizes) for sizes in SEARCHES},
    "goal_mem": Way((PromptedGoalMem, RuleBasedGoalMem)),
    "slsm": Way((PromptedSlsm, RuleBasedSlsm)),
    "slsm_no_revision": Way((PromptedSlsm, RuleBasedSlsm), revises=False),
    "tg_drg_nr": Way((TextualisedGraph,)),
    "tg_drg_r": Way((ReformulatedTextualisedGraph,)),
    "ga_drg": Way((GraphAware,), gives_graph=True),
    "base": Way((BaseResponder,)),
    "naive_memory": Way((NaiveMemoryResponder,)),
    "sgmem": retrieving(SGMEM_RETRIEVER),
    **{name: retrieving(name) for name in RETRIEVERS},
}


def responder(name: str, *, engine: str = "", space_id: int) -> Responder:
    """Return a responder by name, its roles played by an engine, over the memory of a space."""
    way, playing = way_named(name), memory_bootstrap.engine(engine)
    chosen = played_by(way, playing.name)
    if chosen is None:
        raise unplayed(name, playing.name)
    parts = parts_of(name, way, space_id)
    given = {role: playing.player(ROLES[role]) for role in roles_of(chosen)}
    made = chosen(**given, **{part: parts[part]() for part in field_names(chosen) if part in parts})
    references = playing.player(RESOLVE_REFERENCES)
    return made if references is None else SaidInFull(made, references)


def instructed(responder: Responder, instruction: str) -> Responder:
    """Return a responder whose language model keeps to an instruction when it writes; one that asks none, as it is."""
    if isinstance(responder, SaidInFull):
        return replace(responder, responder=instructed(responder.responder, instruction))
    if WRITE_ANSWER.name not in field_names(responder):
        return responder
    writer = getattr(responder, WRITE_ANSWER.name)
    return replace(responder, **{WRITE_ANSWER.name: InstructedModel(writer, instruction)})  # type: ignore[type-var]


def responder_names() -> list[str]:
    return list(WAYS)


def responder_unknown(name: str) -> str:
    """Return the sentence that there is no responder of a name: with the names near to it, or with all."""
    none, names = f"There is no responder {name!r}.", responder_names()
    near = get_close_matches(name, names)
    return f"{none} Did you mean {' or '.join(near)}?" if near else f"{none} Choose one of: {', '.join(names)}."


def default_responder(engine: str) -> str:
    """Return the responder where nobody chose one: the setting's, else `graph` with a language model, `d_smart` without."""
    if settings.DSMART_RESPONDER != AUTO:
        return str(settings.DSMART_RESPONDER)
    return "graph" if has_language_model(engine) else "d_smart"


def responder_check(name: str, *, engine: str = "") -> None:
    """Raise `ResponderUnavailable` unless an engine can play a responder. Loads nothing."""
    if played_by(way_named(name), engine) is None:
        raise unplayed(name, engine or settings.DSMART_ENGINE)


def playable_responder(name: str, *, engine: str) -> str:
    """Return a responder, or the default one in place of one that the engine cannot play."""
    return default_responder(engine) if played_by(way_named(name), engine) is None else name


def needs_language_model(name: str) -> bool:
    """Return whether each responder of this name has a role that only a language model plays."""
    return responder_of(way_named(name), has_model=False) is None


def is_playable(name: str) -> bool:
    """Return whether any engine of the settings can play a responder."""
    return not way_named(name).gives_graph or any(map(takes_graphs, memory_bootstrap.engine_names()))


def way_named(name: str) -> Way:
    if name not in WAYS:
        raise ResponderUnavailable(responder_unknown(name))
    return WAYS[name]


def played_by(way: Way, engine: str) -> type[Responder] | None:
    """Return the responder by which an engine plays a way, or None."""
    if way.gives_graph and not takes_graphs(engine):
        return None
    return responder_of(way, has_model=has_language_model(engine))


def responder_of(way: Way, *, has_model: bool) -> type[Responder] | None:
    """Return the first responder of a way whose roles can all be played, or None."""
    for one in way.responders:
        if all(ROLES[role].kind(has_language_model=has_model) is not None for role in roles_of(one)):
            return one
    return None


def roles_of(responder: type[Responder]) -> list[str]:
    """Return the names of a responder's roles."""
    return [name for name in field_names(responder) if name in ROLES]


def field_names(responder: Any) -> list[str]:
    return [field.name for field in fields(responder)]


def unplayed(name: str, engine: str) -> ResponderUnavailable:
    if way_named(name).gives_graph:
        return ResponderUnavailable(
            f"The responder {name!r} asks a language model that reads graphs, and the engine {engine!r} reads none. "
            "Choose an engine graph:PATH, which `manage.py train graph-generator` trains, or another way of answering."
        )
    return ResponderUnavailable(
        f"The responder {name!r} asks a language model, and the engine {engine!r} has none. "
        "Choose another engine, or another way of answering."
    )


def parts_of(name: str, way: Way, space_id: int) -> dict[str, Callable[[], object]]:
    """Return what responders are made of besides players: one space's memory, language tools, settings."""
    memory = memory_bootstrap.space_memory(space_id)
    walker = memory_bootstrap.graph_walker(space_id)
    index = memory_bootstrap.dialogue_index(space_id)
    return {
        "name": lambda: name,
        "memory": lambda: memory,
        "knowledge": lambda: memory_bootstrap.space_knowledge(space_id),
        "walker": lambda: walker,
        "said": lambda: SaidMemory(index=index, sentences=memory, memory=memory),
        "passages": lambda: SaidPassages(
            retriever=FusedRetriever(index, config=FUSED_FOR_READING, relevance=memory_bootstrap.relevance_model()),
            index=index,
            sentences=memory,
        ),
        "retriever": lambda: make_retriever(
            way.retriever, index, known=memory, read=walker, relevance=memory_bootstrap.relevance_model()
        ),
        "recall": lambda: EvidenceRecall(make_recall(settings.DSMART_PROOF_MEMORY, space_said(space_id))),
        "kinds": lambda: Kinds(memory_bootstrap.lexicon()),
        "entailment": memory_bootstrap.entailment_model,
        "parser": memory_bootstrap.parser,
        "listener": lambda: SpaceListener(space_id=space_id, within_s=settings.DSMART_MEMORY_WAIT_S),
        "search_config": lambda: replace(search_config(), **way.search),
        "states": lambda: SessionStates() if way.revises else AddingStates(SessionStates()),
    }


def search_config() -> SearchConfig:
    """Return the search's configuration: the paper's, with the budgets of the settings, ended early where they say so."""
    return SearchConfig(
        max_calls=settings.DSMART_REASONING_CALLS,
        max_tokens=settings.DSMART_REASONING_TOKENS,
        max_seconds=settings.DSMART_REASONING_SECONDS,
        enough=settings.DSMART_REASONING_ENOUGH,
        answers_last=settings.DSMART_REASONING_ENOUGH is not None,
    )

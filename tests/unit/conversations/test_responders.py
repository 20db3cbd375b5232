"""Which responder stands behind a name with an engine, and what it is made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import MISSING, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
from django.template.loader import render_to_string

from conversations import bootstrap
from conversations.core.choices import SEARCHES
from conversations.core.errors import ResponderUnavailable
from conversations.core.responders.base import BaseResponder
from conversations.core.responders.d_smart.no_memory import PromptedNoMemory
from conversations.core.responders.d_smart.no_tree import PromptedNoTree
from conversations.core.responders.d_smart.prompted import PromptedDSmart
from conversations.core.responders.d_smart.rule_based import RuleBasedDSmart
from conversations.core.responders.ga_drg import GraphAware
from conversations.core.responders.goal_mem.prompted import PromptedGoalMem
from conversations.core.responders.goal_mem.rule_based import RuleBasedGoalMem
from conversations.core.responders.graph.prompted import PromptedGraph
from conversations.core.responders.graph.rule_based import RuleBasedGraph
from conversations.core.responders.naive_memory import NaiveMemoryResponder
from conversations.core.responders.retrieved.prompted import PromptedRetrieving
from conversations.core.responders.retrieved.rule_based import RuleBasedRetrieving
from conversations.core.responders.said_in_full import SaidInFull
from conversations.core.responders.slsm.prompted import PromptedSlsm
from conversations.core.responders.slsm.rule_based import RuleBasedSlsm
from conversations.core.responders.tg_drg import ReformulatedTextualisedGraph, TextualisedGraph
from conversations.core.types import Query
from conversations.forms import engine_offers, responder_offers
from memory import bootstrap as memory_bootstrap
from memory.bootstrap import engines, roles
from memory.core.backbones.catalogue import RECALLS
from memory.core.reasoning_tree.types import SearchConfig
from memory.core.sentence_graph.catalogue import RETRIEVERS
from memory.core.tracing import TraceStep, recording
from tests.fakes.graph_models import tell_of_graph_model
from tests.unit.conversations.core.responders.test_d_smart_prompted import ANSWER, Planning

# Responder by name: with a language model, and by rule.
BEHIND: dict[str, tuple[type, type | None]] = {
    "graph": (PromptedGraph, RuleBasedGraph),
    "d_smart": (PromptedDSmart, RuleBasedDSmart),
    "d_smart_no_tree": (PromptedNoTree, RuleBasedGraph),
    "d_smart_no_memory": (PromptedNoMemory, None),
    **{f"d_smart_{depth}_{beam}_{samples}": (PromptedDSmart, None) for depth, beam, samples in SEARCHES},
    "goal_mem": (PromptedGoalMem, RuleBasedGoalMem),
    "slsm": (PromptedSlsm, RuleBasedSlsm),
    "slsm_no_revision": (PromptedSlsm, RuleBasedSlsm),
    "tg_drg_nr": (TextualisedGraph, None),
    "tg_drg_r": (ReformulatedTextualisedGraph, None),
    "ga_drg": (GraphAware, None),
    "base": (BaseResponder, None),
    "naive_memory": (NaiveMemoryResponder, None),
    "sgmem": (PromptedRetrieving, RuleBasedRetrieving),
    **dict.fromkeys(RETRIEVERS, (PromptedRetrieving, RuleBasedRetrieving)),
}
NEED_A_MODEL = [name for name, (_, by_rule) in BEHIND.items() if by_rule is None]
RESPONDERS = sorted({one for pair in BEHIND.values() for one in pair if one is not None}, key=lambda one: one.__name__)
MONDAY = datetime(2024, 5, 6, 9, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def model(settings: Any, tmp_path: Path) -> Iterator[str]:
    """The name of an engine with a language model, among the configured ones."""
    script = tmp_path / "script.jsonl"
    script.write_text('{"reply": "Noted."}\n')
    settings.DSMART_EXTRA_ENGINES = [f"scripted:{script}"]
    memory_bootstrap.reset()
    yield settings.DSMART_EXTRA_ENGINES[0]
    memory_bootstrap.reset()


def test_a_search_has_budgets_and_an_early_end_unless_the_settings_lift_them(settings: Any) -> None:
    assert bootstrap.search_config() == SearchConfig(max_calls=30, max_seconds=60, enough=0.9, answers_last=True)
    settings.DSMART_REASONING_CALLS = settings.DSMART_REASONING_SECONDS = settings.DSMART_REASONING_ENOUGH = None
    assert bootstrap.search_config() == SearchConfig()


def test_the_searches_that_are_compared_differ_in_their_sizes_alone(model: str) -> None:
    made = bootstrap.responder("d_smart_5_2_3", engine=model, space_id=1)
    assert isinstance(made, PromptedDSmart)
    assert made.search_config == replace(bootstrap.search_config(), max_depth=5, beam_width=2, samples=3)
    whole = bootstrap.responder("d_smart", engine=model, space_id=1)
    assert isinstance(whole, PromptedDSmart)
    assert whole.search_config == bootstrap.search_config()


@pytest.fixture
def graph_model(settings: Any, tmp_path: Path) -> str:
    """The name of an engine whose model reads graphs, as far as its folders tell."""
    folder = tell_of_graph_model(tmp_path / "graph", memory_bootstrap.embedder().name)
    settings.DSMART_EXTRA_ENGINES = [*settings.DSMART_EXTRA_ENGINES, f"graph:{folder}"]
    return settings.DSMART_EXTRA_ENGINES[-1]


def test_every_name_has_a_responder_for_each_engine_that_can_play_it(model: str, graph_model: str) -> None:
    assert bootstrap.responder_names() == list(BEHIND)
    for name, (prompted, by_rule) in BEHIND.items():
        for engine in (model, graph_model) if prompted is not GraphAware else (graph_model,):
            made = bootstrap.responder(name, engine=engine, space_id=1)
            assert (type(made), made.name) == (prompted, name)
            bootstrap.responder_check(name, engine=engine)
        assert bootstrap.needs_language_model(name) == (by_rule is None)
        if by_rule is not None:
            made = bootstrap.responder(name, engine="builtin", space_id=1)
            assert isinstance(made, SaidInFull)
            assert (type(made.responder), made.name) == (by_rule, name)
            bootstrap.responder_check(name, engine="builtin")


def test_a_responder_that_gives_a_graph_is_for_engines_that_read_one(model: str, graph_model: str) -> None:
    for engine in (model, "builtin"):
        with pytest.raises(
            ResponderUnavailable, match=f"reads graphs, and the engine '{engine}' reads none. Choose an"
        ):
            bootstrap.responder("ga_drg", engine=engine, space_id=1)
        with pytest.raises(ResponderUnavailable, match=r"graph:PATH, which `manage\.py train graph-generator` trains"):
            bootstrap.responder_check("ga_drg", engine=engine)
    assert bootstrap.playable_responder("ga_drg", engine=model) == "graph"
    assert bootstrap.playable_responder("ga_drg", engine=graph_model) == "ga_drg"


def test_a_responder_that_gives_a_graph_is_offered_where_an_engine_reads_one(model: str, request: Any) -> None:
    assert "ga_drg" not in [offer.value for offer in responder_offers()]
    engine = request.getfixturevalue("graph_model")
    assert [offer.value for offer in responder_offers() if offer.needs_graphs] == ["ga_drg"]
    page = render_to_string("conversations/_responders.html", {"responders": responder_offers()})
    assert (
        "data-needs-graphs" in page
        and "Write beside the graph of fitting facts (needs a model that reads graphs)" in page
    )
    page = render_to_string("conversations/_engines.html", {"engines": engine_offers(())})
    assert f'<option value="{engine}" data-has-model data-reads-graphs' in page and page.count("data-reads-graphs") == 1


@pytest.mark.parametrize("name", [name for name in NEED_A_MODEL if name != "ga_drg"])
def test_a_responder_whose_roles_nobody_plays_is_refused(name: str) -> None:
    refusal = f"The responder '{name}' asks a language model, and the engine 'builtin' has none."
    for ask in (
        lambda: bootstrap.responder_check(name, engine="builtin"),
        lambda: bootstrap.responder(name, engine="builtin", space_id=1),
    ):
        with pytest.raises(ResponderUnavailable) as raised:
            ask()
        assert str(raised.value).startswith(refusal)


@pytest.mark.parametrize("responder", RESPONDERS, ids=lambda one: one.__name__)
def test_a_responder_declares_roles_by_their_ports_and_parts_that_there_are(responder: type) -> None:
    ports = {
        role.name: get_args(get_type_hints(roles)[attribute])[0]
        for attribute, role in vars(roles).items()
        if isinstance(role, roles.RoleSpec)
    }
    declared = get_type_hints(responder)
    played = bootstrap.roles_of(responder)
    assert {name: declared[name] for name in played} == {name: ports[name] for name in played}
    parts = bootstrap.parts_of("graph", bootstrap.way_named("graph"), 1)
    required = {one.name for one in fields(responder) if one.default is MISSING and one.default_factory is MISSING}
    assert required <= {*played, *parts}


def test_what_a_responder_asks_a_model_is_recorded_under_its_roles(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "make_language_model", lambda name: Planning(action=ANSWER, then=ANSWER))
    asked: dict[str, set[str]] = {}
    for name in ("base", "d_smart_no_memory"):
        steps: list[TraceStep] = []
        with recording(steps.extend):
            list(bootstrap.responder(name, engine=model, space_id=1).reply(Query("Who?", "Ana", MONDAY)))
        asked[name] = {step.role for step in steps if step.kind == "model_call"}
    assert asked == {"base": {"write_answer"}, "d_smart_no_memory": {"propose_action", "score_state"}}


def test_a_setting_reaches_the_roles_of_a_responder(settings: Any, model: str) -> None:
    learned = bootstrap.responder("graph", engine="builtin", space_id=1).responder
    settings.DSMART_ROLES = {"read_answers": "off", "resolve_references": "off"}
    without = bootstrap.responder("graph", engine="builtin", space_id=1)
    assert (learned.read_answers is None, without.read_answers) == (False, None)


@pytest.mark.parametrize("name", RECALLS)
def test_a_setting_chooses_the_memory_that_a_proof_looks_into(settings: Any, model: str, name: str) -> None:
    settings.DSMART_PROOF_MEMORY = name
    assert bootstrap.responder("goal_mem", engine=model, space_id=1).recall.name == name

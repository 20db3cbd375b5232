"""Who plays which role: as the engine names it, as a setting does, and what is no role or no player of one."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from django.core import checks

from memory import bootstrap
from memory.bootstrap import engines, roles
from memory.bootstrap.roles import (
    DETECT_CONFLICTS,
    EXTRACT_FACTS,
    FIND_SENSES,
    JUDGE_ENTAILMENT,
    READ_QUESTIONS,
    ROLES,
    SCORE_RELEVANCE,
    WRITE_ANSWER,
    RoleSpec,
)
from memory.core.backward_chaining.nl_logic import parsed_atom
from memory.core.backward_chaining.types import (
    Attempt,
    Decomposition,
    ProofQuestion,
    RefinementTask,
    Subgoal,
    UnificationTask,
)
from memory.core.errors import MemoryCoreError, ModelUnfit, RoleUnplayed, UnknownRole, UnparsableReply
from memory.core.forward_reasoning.types import Pool
from memory.core.grounded_generation.verification import FactsToVerify
from memory.core.knowledge_graph.conflict.learned import LearnedConflictDetector
from memory.core.knowledge_graph.conflict.rule_based import RuleBasedConflictDetector
from memory.core.knowledge_graph.extraction.learned.extractor import LearnedExtractor
from memory.core.knowledge_graph.ontology import Ontology
from memory.core.knowledge_graph.round_reading.prompted import PromptedExtractor
from memory.core.ports import ConflictDetector
from memory.core.reasoning_tree.types import State
from memory.core.semantic_state.elements import EMPTY_STATE
from memory.core.semantic_state.evidence import StateTurn
from memory.core.sentence_graph.digests.types import DatedFact, RoundWords, SessionWords
from memory.core.tracing import TraceStep, recording
from memory.core.types import (
    ConflictCase,
    DialogueRound,
    MemoryUnit,
    Message,
    MessageRole,
    Prompt,
    RetrievalQuery,
    Role,
    RoundToRead,
    SamplingConfig,
    Utterance,
)
from tests.fakes.language import Saying
from tests.unit.memory.core.knowledge_graph.graphs import Graph, fact
from tests.unit.memory.core.reasoning_tree.trees import query_of

BY_RULE = {
    "extract_facts": "learned",
    "write_statement": "rule_based",
    "read_round": "off",
    "detect_conflicts": "learned",
    "summarise": "rule_based",
    "tell_facts": "rule_based",
    "find_insights": "rule_based",
    "read_questions": "learned",
    "resolve_references": "learned",
    "read_answers": "learned",
    "find_senses": "learned",
    "judge_entailment": "learned",
    "reformulate": "learned",
    "select_triples": "learned",
    "split_facts": "rule_based",
    "verify_facts": "learned",
    "score_relevance": "off",
    "propose_action": None,
    "score_state": None,
    "decompose_goal": None,
    "unify_subgoals": None,
    "refine_subgoals": None,
    "write_answer": None,
    "answer_from_facts": "learned",
    "rewrite_query": None,
    "reflect": None,
    "act_on_memory": None,
    "guide_memory": None,
    "write_title": "rule_based",
    "extract_evidence": "learned",
}
BY_MODEL = (
    BY_RULE
    | dict.fromkeys(
        set(BY_RULE)
        - {"read_questions", "read_answers", "find_senses", "judge_entailment", "score_relevance", "select_triples"},
        "prompted",
    )
    | {"tell_facts": "statement", "resolve_references": "off"}
)


@pytest.fixture(autouse=True)
def model(settings: Any, tmp_path: Path) -> Iterator[str]:
    """The name of an engine with a language model, among the configured ones."""
    script = tmp_path / "script.jsonl"
    script.write_text('{"reply": "Noted."}\n')
    settings.DSMART_EXTRA_ENGINES = [f"scripted:{script}"]
    bootstrap.reset()
    yield settings.DSMART_EXTRA_ENGINES[0]
    bootstrap.reset()


def cast(engine: str) -> dict[str, str | None]:
    """Return who plays each role."""
    made = bootstrap.engine(engine)
    return {name: made.kind_of(role) for name, role in ROLES.items()}


def test_every_role_is_in_the_registry() -> None:
    assert [role for role in vars(roles).values() if isinstance(role, RoleSpec)] == list(ROLES.values())


def test_an_engine_names_who_plays_each_role(model: str) -> None:
    assert cast("builtin") == BY_RULE
    assert cast(model) == BY_MODEL


def test_a_setting_names_another(settings: Any, model: str) -> None:
    settings.DSMART_ROLES = {"extract_facts": "learned", "detect_conflicts": "whole_graph", "find_senses": "off"}
    assert cast("builtin") == BY_RULE | {"extract_facts": "learned", "find_senses": "off"}, (
        "it has no language model that sees a whole graph"
    )
    assert cast(model) == BY_MODEL | settings.DSMART_ROLES
    assert isinstance(bootstrap.engine(model).player(EXTRACT_FACTS), LearnedExtractor)
    assert bootstrap.engine(model).player(EXTRACT_FACTS) is bootstrap.engine("builtin").player(EXTRACT_FACTS)
    assert bootstrap.sense_finder() is None


@pytest.mark.parametrize(
    ("name", "value", "role", "kind"),
    [
        ("DSMART_AMR", "http", EXTRACT_FACTS, "amr_http"),
        ("DSMART_AMR", "amrlib", EXTRACT_FACTS, "amrlib"),
        ("DSMART_AMR", "prompted", EXTRACT_FACTS, "amr"),
        ("DSMART_CONFLICTS", "whole_graph", DETECT_CONFLICTS, "whole_graph"),
        ("DSMART_ENTAILMENT", "off", JUDGE_ENTAILMENT, "off"),
        ("DSMART_RELEVANCE", "somebody/reranker", SCORE_RELEVANCE, "learned"),
    ],
)
def test_settings_of_one_role_name_its_player_and_the_setting_of_all_roles_comes_first(
    settings: Any, model: str, name: str, value: str, role: Any, kind: str
) -> None:
    usual = bootstrap.engine(model).kind_of(role)
    setattr(settings, name, value)
    assert bootstrap.engine(model).kind_of(role) == kind
    settings.DSMART_ROLES = {role.name: usual}
    assert bootstrap.engine(model).kind_of(role) == usual


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        ({"read_minds": "prompted"}, f"the role 'read_minds'. There is no such role. Roles: {', '.join(BY_RULE)}."),
        (
            {"write_statement": "whole_graph"},
            "'whole_graph' for the role 'write_statement'. Nobody of that name plays it. Players: prompted, rule_based.",
        ),
    ],
)
def test_a_role_or_player_that_there_is_not_is_named_with_those_that_there_are(
    settings: Any, chosen: dict[str, str], words: str
) -> None:
    settings.DSMART_ROLES = chosen
    for name in ("", "builtin"):
        with pytest.raises(UnknownRole) as raised:
            bootstrap.engine(name)
        assert str(raised.value) == f"DSMART_ROLES names {words}"
    [found] = checks.run_checks(tags=None)
    assert (found.id, found.msg) == ("memory.E001", f"DSMART_ROLES names {words}")


def test_a_player_that_asks_a_model_that_no_engine_has_is_refused(settings: Any) -> None:
    settings.DSMART_ROLES, settings.DSMART_EXTRA_ENGINES = {"summarise": "prompted"}, []
    with pytest.raises(UnknownRole, match=r"no engine here has one. Name one by DSMART_ENGINE or DSMART_EXTRA_ENGINES"):
        bootstrap.engine_check("builtin")


def test_a_role_without_a_player_is_named(model: str) -> None:
    with pytest.raises(RoleUnplayed, match=r"The role 'write_answer' .* the engine 'builtin' has none"):
        bootstrap.engine("builtin").player(WRITE_ANSWER)
    assert bootstrap.engine(model).player(WRITE_ANSWER).name == model


def test_a_player_is_made_once_though_many_ask_at_once(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made, start = [], threading.Barrier(8)

    def slowly(name: str) -> object:
        time.sleep(0.05)
        made.append(name)
        return SimpleNamespace(name=name)

    def ask() -> None:
        start.wait()
        players.append(bootstrap.engine(model).player(EXTRACT_FACTS))

    monkeypatch.setattr(engines, "make_language_model", slowly)
    players: list[object] = []
    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == [model]
    assert len(players) == 8
    assert len(set(map(id, players))) == 1
    assert isinstance(players[0], PromptedExtractor)


def test_a_player_that_could_not_be_made_is_tried_again(settings: Any, tmp_path: Path) -> None:
    later = tmp_path / "later.jsonl"
    settings.DSMART_EXTRA_ENGINES = [f"scripted:{later}"]
    with pytest.raises(MemoryCoreError, match="cannot be read"):
        bootstrap.engine(f"scripted:{later}").player(EXTRACT_FACTS)
    later.write_text('{"reply": "Noted."}\n')
    assert isinstance(bootstrap.engine(f"scripted:{later}").player(EXTRACT_FACTS), PromptedExtractor)


SAID = Utterance("Ana", Role.USER, "I moved to Lyon.", datetime(2024, 5, 3, 9, 0, tzinfo=UTC))
ASKED_MEMORY = RetrievalQuery("Where does Ana live?", SAID.said_at)
GOAL = ProofQuestion("Where do I live?", "Ana", SAID.said_at)
HALF_WAY = Attempt(
    1,
    Decomposition(parsed_atom("(Ana) lives in (x:city)"), (parsed_atom("(Ana) moved to (x:city)"),), ("x",)),
    subgoals=(Subgoal(1, parsed_atom("(Ana) moved to (x:city)")),),
    memory=(MemoryUnit("1", SAID.text, SAID.said_at, SAID.speaker),),
)
ASKS = Prompt((Message(MessageRole.USER, "Hello"),))
# What each role is asked for; players that ask a language model ask it once about this.
ASKED: dict[str, Callable[[Any], object]] = {
    "extract_facts": lambda player: player.extract_many([SAID]),
    "write_statement": lambda player: player.write_many([DialogueRound((SAID,))]),
    "read_round": lambda player: player.read_many([RoundToRead((SAID,))]),
    "detect_conflicts": lambda player: player(space_id=1, ontology=Ontology()).find_many([CLASH]),
    "summarise": lambda player: player.write_many([SessionWords((SAID,), np.ones((1, 1), dtype=np.float32))]),
    "tell_facts": lambda player: player.write_many([RoundWords((SAID,))]),
    "find_insights": lambda player: player.write_many([[DatedFact("Ana moved.", SAID.said_at)] * 2]),
    "reformulate": lambda player: player.reformulate(["Ana moved."]),
    "select_triples": lambda player: player.score(["Where does Ana live?"], ["Ana lives in Lyon"]),
    "split_facts": lambda player: player.split_many(["Ana moved."]),
    "verify_facts": lambda player: player.verify_many([FactsToVerify(("Ana moved.",), "Ana")]),
    "propose_action": lambda player: player.propose_many(query_of(), [State()], samples=1),
    "score_state": lambda player: player.score_many(query_of(), [State()]),
    "decompose_goal": lambda player: player.decompose(GOAL, earlier=()),
    "unify_subgoals": lambda player: player.unify(UnificationTask(GOAL, HALF_WAY)),
    "refine_subgoals": lambda player: player.refine(RefinementTask(GOAL, HALF_WAY, HALF_WAY.open, {})),
    "write_answer": lambda player: list(player.stream(ASKS, config=SamplingConfig())),
    "answer_from_facts": lambda player: player.answer(ASKED_MEMORY, []),
    "rewrite_query": lambda player: player.rewrite(ASKED_MEMORY, number=5),
    "reflect": lambda player: player.reflect(Pool(ASKED_MEMORY)),
    "act_on_memory": lambda player: player.act(ASKED_MEMORY, []),
    "guide_memory": lambda player: player.capture_intent(ASKED_MEMORY, number=5),
    "write_title": lambda player: player.title_many([["I moved to Lyon."]]),
    "extract_evidence": lambda player: player.extract(StateTurn(EMPTY_STATE, SAID)),
}
ASKING = [(role.name, kind) for role in ROLES.values() for kind in role.asking]


def clash() -> ConflictCase:
    graph = Graph()
    graph.say(fact("Ana", "livesIn", "Paris"), at=1)
    return graph.case(fact("Ana", "livesIn", "Lyon"), at=2)


CLASH = clash()


@pytest.mark.parametrize(("name", "kind"), ASKING)
def test_a_player_that_asks_is_recorded_under_the_name_of_its_role(
    settings: Any, model: str, monkeypatch: pytest.MonkeyPatch, name: str, kind: str
) -> None:
    monkeypatch.setattr(roles, "current_graph", lambda space_id: list(CLASH.candidates))
    settings.DSMART_ROLES = {name: kind}
    steps: list[TraceStep] = []
    with recording(steps.extend), suppress(UnparsableReply):
        ASKED[name](bootstrap.engine(model).player(ROLES[name]))
    assert steps
    assert {(step.kind, step.role, step.model) for step in steps} == {("model_call", name, model)}


@pytest.mark.parametrize("folder", ["nowhere", "answer_reader"])
def test_change_judge_that_is_missing_or_another_model_costs_one_line(
    settings: Any, caplog: pytest.LogCaptureFixture, folder: str
) -> None:
    assert isinstance(conflict_detector(), LearnedConflictDetector)
    bootstrap.reset()
    settings.DSMART_CHANGE_JUDGE = str(Path(settings.DSMART_CHANGE_JUDGE).parent / folder)
    assert isinstance(conflict_detector(), RuleBasedConflictDetector)
    assert isinstance(conflict_detector(), RuleBasedConflictDetector)
    [line] = [record.message for record in caplog.records]
    assert line.endswith("The rules alone decide what has changed.")


@pytest.mark.parametrize("folder", ["nowhere", "answer_reader"])
def test_question_reader_that_is_missing_or_another_model_costs_one_line(
    settings: Any, caplog: pytest.LogCaptureFixture, folder: str
) -> None:
    settings.DSMART_QUESTION_READER = str(Path(settings.DSMART_QUESTION_READER).parent / folder)
    assert [bootstrap.engine("builtin").player(READ_QUESTIONS) for _ in range(2)] == [None, None]
    [line] = [record.message for record in caplog.records]
    assert line.endswith("The rules alone read questions.")


def conflict_detector() -> ConflictDetector:
    return bootstrap.engine("builtin").player(DETECT_CONFLICTS)(space_id=1, ontology=Ontology())


def test_naming_a_player_makes_nothing(settings: Any) -> None:
    settings.DSMART_EXTRA_ENGINES = ["transformers:/no/such/folder"]
    assert bootstrap.engine("transformers:/no/such/folder").kind_of(EXTRACT_FACTS) == "prompted"
    assert bootstrap.engine("builtin").kind_of(FIND_SENSES) == "learned"
    assert engines._made == {}


def test_model_without_probabilities_cannot_select_triples(
    settings: Any, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.DSMART_ROLES = {"select_triples": "prompted"}
    monkeypatch.setattr(engines, "make_language_model", lambda name: Saying("yes"))
    with pytest.raises(ModelUnfit, match="saying cannot tell how probable an answer is, so it cannot choose facts"):
        bootstrap.engine(model).player(ROLES["select_triples"])
    assert bootstrap.engine("builtin").kind_of(ROLES["select_triples"]) == "learned"


def test_player_of_a_kind_that_only_a_language_model_plays_is_not_for_the_others(model: str) -> None:
    found = bootstrap.engine(model).player(ROLES["select_triples"], kind="prompted")
    assert (found.name, found.most) == ("prompted", 50)
    assert bootstrap.engine(model).player(ROLES["select_triples"]).name == "selector"
    with pytest.raises(RoleUnplayed, match="the engine 'builtin' has none"):
        bootstrap.engine("builtin").player(ROLES["select_triples"], kind="prompted")


def test_facts_are_chosen_by_embeddings_where_the_selector_is_missing(settings: Any, tmp_path: Path) -> None:
    settings.DSMART_TRIPLE_SELECTOR = str(tmp_path)
    assert bootstrap.engine("builtin").player(ROLES["select_triples"]).name == "kaping"

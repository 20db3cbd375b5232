"""Each forward method over a memory of a few sentences, with replies written by hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.core.answering.prompted import PromptedFactAnswerer
from memory.core.errors import LanguageModelError, UnparsableReply
from memory.core.forward_reasoning.baselines import (
    QueryReformulationConfig,
    alone,
    query_reformulation,
    react,
    self_reflection,
)
from memory.core.forward_reasoning.memguide import memguide, slot_guided
from memory.core.forward_reasoning.prompted import (
    PromptedMemoryActor,
    PromptedMemoryGuide,
    PromptedPoolReflector,
    PromptedQueryRewriter,
)
from memory.core.forward_reasoning.types import CAP, Ending, ForwardAnswer, Intent, Pool
from memory.core.types import MemoryUnit, RetrievalQuery
from tests.fakes.recalling import SUNDAY, ToldModel, WordRecall

QUESTION = RetrievalQuery("Where does Oskar's choir meet?", SUNDAY, "Lena")
SAID = (
    "Oskar: I sing in the Linden choir now.",
    "Ben: The Linden rehearse in the old mill.",
    "Ben: My choir broke up.",
    "Ana: The weather is awful.",
)
OLD_MILL = json.dumps({"answer": "the old mill"})


def reply(**fields: object) -> str:
    return json.dumps(fields)


def found(answer: ForwardAnswer) -> list[str]:
    return [unit.id for unit in answer.pool.units]


def test_backbone_alone_retrieves_once_and_answers_once() -> None:
    memory, model = WordRecall(*SAID), ToldModel(OLD_MILL)
    answer = alone(QUESTION, memory=memory, answerer=PromptedFactAnswerer(model))
    assert (answer.answer, answer.calls, answer.retrievals, answer.ending) == ("the old mill", 1, 1, Ending.AT_ONCE)
    assert memory.asked == [(QUESTION.text, CAP)]
    assert "1. [Sunday, 7 May 2023] Oskar: I sing in the Linden choir now." in model.prompts[0]
    assert "Lena: Where does Oskar's choir meet?" in model.prompts[0]


def test_rewritten_queries_retrieve_beside_the_question() -> None:
    memory = WordRecall(*SAID)
    model = ToldModel(
        reply(queries=["Linden rehearse", "LINDEN rehearse", QUESTION.text, " ", "old mill", "5", "six"]), OLD_MILL
    )
    answer = query_reformulation(
        QUESTION, memory=memory, rewriter=PromptedQueryRewriter(model), answerer=PromptedFactAnswerer(model)
    )
    assert memory.asked == [(text, 10) for text in (QUESTION.text, "Linden rehearse", "old mill", "5")], (
        "of the first five with words each is asked once"
    )
    assert found(answer) == ["0", "2", "1"]
    assert (answer.calls, answer.retrievals) == (2, 4)
    assert QueryReformulationConfig(rewrites=3).fan_out == 15


def test_reflection_asks_for_what_is_missing_until_it_suffices() -> None:
    memory = WordRecall(*SAID)
    model = ToldModel(
        reply(rationale="The choir is known.", sufficient=False, next_query="Linden rehearse"),
        reply(rationale="It is there.", sufficient=True, next_query=""),
        OLD_MILL,
    )
    answer = self_reflection(
        QUESTION, memory=memory, reflector=PromptedPoolReflector(model), answerer=PromptedFactAnswerer(model)
    )
    assert (answer.answer, answer.calls, answer.ending) == ("the old mill", 3, Ending.SUFFICIENT)
    assert memory.asked == [(QUESTION.text, 10), ("Linden rehearse", 10)]
    assert "old mill" not in model.prompts[0]
    assert "rehearse in the old mill" in model.prompts[1]
    assert "Where does Oskar's choir meet?\nLinden rehearse" in model.prompts[1], "queries that were made are shown"


@pytest.mark.parametrize(
    ("next_query", "ending", "retrievals"),
    [
        ("", Ending.NO_QUERY, 1),
        (QUESTION.text.upper(), Ending.NO_QUERY, 1),
        ("Oskar's choir", Ending.NOTHING_NEW, 2),
    ],
)
def test_reflection_stops_where_nothing_is_left_to_ask_or_to_find(
    next_query: str, ending: Ending, retrievals: int
) -> None:
    model = ToldModel(reply(rationale="", sufficient=False, next_query=next_query), OLD_MILL)
    answer = self_reflection(
        QUESTION, memory=WordRecall(*SAID), reflector=PromptedPoolReflector(model), answerer=PromptedFactAnswerer(model)
    )
    assert (answer.ending, answer.retrievals, answer.calls) == (ending, retrievals, 2)


def test_reflection_ends_after_five_turns() -> None:
    words = ["one", "two", "three", "four", "five", "six"]
    model = ToldModel(
        *(reply(rationale="", sufficient=False, next_query=word) for word in words[:5]), reply(answer="I don't know")
    )
    answer = self_reflection(
        QUESTION,
        memory=WordRecall(*(f"Ana: {word}" for word in words)),
        reflector=PromptedPoolReflector(model),
        answerer=PromptedFactAnswerer(model),
    )
    assert (answer.ending, answer.calls, answer.retrievals) == (Ending.LIMIT, 6, 6)


def test_react_observes_what_is_new_and_finishes_with_its_answer() -> None:
    memory = WordRecall(*SAID)
    model = ToldModel(
        reply(thought="Which choir?", action=" Retrieve ", words="Oskar choir"),
        "**Thought 2:** The Linden.\n**Action 2:** Retrieve[Linden choir rehearse]\nObservation 2: made up",
        "Thought: It is known.\nAction: Finish[the old mill]",
    )
    answer = react(QUESTION, memory=memory, actor=PromptedMemoryActor(model))
    assert (answer.answer, answer.calls, answer.ending) == ("the old mill", 3, Ending.FINISHED)
    assert memory.asked == [("Oskar choir", 12), ("Linden choir rehearse", 12)]
    assert "Observation 2:\n- [Monday, 8 May 2023] Ben: The Linden rehearse in the old mill.\n" in model.prompts[2]
    assert model.prompts[2].count("I sing in the Linden choir") == 1, "an observation repeats nothing"


def test_react_reminds_of_the_form_once() -> None:
    model = ToldModel("I would look around first.", reply(thought="", action="finish", words="the old mill"))
    answer = react(QUESTION, memory=WordRecall(*SAID), actor=PromptedMemoryActor(model))
    assert answer.answer == "the old mill"
    assert "could not be used: there is no JSON object in it." in model.prompts[1]
    with pytest.raises(UnparsableReply):
        react(QUESTION, memory=WordRecall(), actor=PromptedMemoryActor(ToldModel("Hm.", "Hm.")))


def test_react_has_to_finish_at_the_step_limit() -> None:
    look = reply(thought="", action="retrieve", words="choir")
    model = ToldModel(*[look] * 6, reply(thought="", action="finish", words="I don't know"))
    answer = react(QUESTION, memory=WordRecall(*SAID), actor=PromptedMemoryActor(model))
    assert (answer.answer, answer.ending, answer.retrievals, answer.calls) == ("I don't know", Ending.LIMIT, 5, 6)
    assert "No retrieval is left" in model.prompts[5]
    assert "no step is left to retrieve in" in model.prompts[6]


def test_memguide_fills_missing_slots_and_orders_by_them() -> None:
    memory = WordRecall(*SAID)
    model = ToldModel(
        reply(intent="The place where Oskar's choir meets.", queries=["Oskar sings"]),
        reply(sufficient=False, missing=["where the Linden meet"], queries=["Linden rehearse", "Linden rehearse"]),
        reply(sufficient=True, missing=[], queries=[]),
        reply(scores=[{"number": 3, "score": 1.0}, {"number": 1, "score": "0.5"}, {"number": 9, "score": 1}]),
        OLD_MILL,
    )
    answer = memguide(QUESTION, memory=memory, guide=PromptedMemoryGuide(model), answerer=PromptedFactAnswerer(model))
    assert (answer.answer, answer.calls, answer.ending) == ("the old mill", 5, Ending.SUFFICIENT)
    assert memory.asked == [(QUESTION.text, 5), ("Oskar sings", 5), ("Linden rehearse", 2)]
    assert "The place where Oskar's choir meets." in model.prompts[1]
    assert "where the Linden meet" in model.prompts[3]
    assert found(answer) == ["0", "2", "1"]
    answered = model.prompts[4]
    assert answered.index("1. [Monday, 8 May 2023] Ben: The Linden") < answered.index(
        "2. [Sunday, 7 May 2023] Oskar: I sing"
    )


def test_memguide_asks_for_no_scores_of_nothing() -> None:
    model = ToldModel(
        reply(intent="", queries=["xylophone"]),
        reply(sufficient=False, missing=["all"], queries=["marimba"]),
        reply(answer="I don't know"),
    )
    answer = memguide(
        QUESTION, memory=WordRecall(), guide=PromptedMemoryGuide(model), answerer=PromptedFactAnswerer(model)
    )
    assert (answer.answer, answer.ending, answer.calls) == ("I don't know", Ending.NOTHING_NEW, 3)


def test_filter_weighs_the_judge_against_the_order_of_retrieval() -> None:
    units = [MemoryUnit(name, name, SUNDAY) for name in "abcd"]
    ordered = slot_guided(units, {"d": 1.0, "b": 0.3}, weight=0.7)
    assert "".join(unit.id for unit in ordered) == "dbac", "by 0.775, 0.435, 0.3 and 0.15"


@pytest.mark.parametrize("bad", ["", "{}", '{"queries": []}', '{"queries": ["\\u200b"]}', "<think>{", '{"queries": 3}'])
def test_reply_that_is_none_twice_is_a_named_failure(bad: str) -> None:
    model = ToldModel(bad, bad)
    with pytest.raises(UnparsableReply, match="has not the asked form"):
        PromptedQueryRewriter(model).rewrite(QUESTION, number=5)


POOL = Pool(QUESTION, tuple(MemoryUnit(name, name, SUNDAY) for name in "abc"), (QUESTION.text,))
# What each role is asked for, and a reply that is one.
ROLES: dict[str, tuple[Callable[[ToldModel], object], dict[str, object]]] = {
    "rewrite": (lambda model: PromptedQueryRewriter(model).rewrite(QUESTION, number=5), {"queries": ["a", "b"]}),
    "reflect": (
        lambda model: PromptedPoolReflector(model).reflect(POOL),
        {"rationale": "r", "sufficient": False, "next_query": "a"},
    ),
    "act": (
        lambda model: PromptedMemoryActor(model).act(QUESTION, []),
        {"thought": "t", "action": "finish", "words": "a"},
    ),
    "intent": (
        lambda model: PromptedMemoryGuide(model).capture_intent(QUESTION, number=5),
        {"intent": "i", "queries": ["a"]},
    ),
    "gap": (
        lambda model: PromptedMemoryGuide(model).find_gap(Intent("", ()), POOL, number=5),
        {"sufficient": False, "missing": ["m"], "queries": ["a"]},
    ),
    "score": (
        lambda model: PromptedMemoryGuide(model).score(POOL, []),
        {"scores": [{"number": 2, "score": 0.5}, {"number": 2, "score": 0.7}]},
    ),
    "answer": (lambda model: PromptedFactAnswerer(model).answer(QUESTION, POOL.units), {"answer": "a"}),
}
ODD = [None, 99, -1, 1e400, "", "\u200b", "99", [], ["a"] * 99, {}, [{}], [None], True, "x" * 5_000, "\ud800\x00"]


@pytest.mark.parametrize("role", ROLES)
def test_mutated_reply_is_a_value_or_a_named_failure(role: str) -> None:
    ask, good = ROLES[role]
    whole = json.dumps(good)
    assert ask(ToldModel(f"<think>Hm.</think> Sure: ```json\n{whole}\n``` Done."))
    mutated = [json.dumps(good | {field: odd}) for field in good for odd in ODD]
    mutated += [json.dumps({name: value for name, value in good.items() if name != field}) for field in good]
    mutated += [whole[:length] for length in range(len(whole))]
    mutated += [
        whole.replace(old, new) for old, new in [("0.5", "7"), ("0.5", "NaN"), ("2", '"2"'), ("2", "99"), ('"a"', "3")]
    ]
    for text in mutated:
        with suppress(LanguageModelError):
            ask(ToldModel(text, text))


@given(st.lists(st.text(max_size=60), min_size=40, max_size=40))
def test_whatever_a_model_replies_the_cap_holds_or_a_failure_is_named(replies: list[str]) -> None:
    many = [f"Ana: choir number {number}" for number in range(200)]
    wrapped = [reply(thought=text, action="retrieve", words=f"choir number {text}") for text in replies]
    for told in (replies, wrapped):
        for method in (
            lambda memory, model: react(QUESTION, memory=memory, actor=PromptedMemoryActor(model)),
            lambda memory, model: memguide(
                replace(QUESTION, text="choir"),
                memory=memory,
                guide=PromptedMemoryGuide(model),
                answerer=PromptedFactAnswerer(model),
            ),
        ):
            memory = WordRecall(*many)
            try:
                answer = method(memory, ToldModel(*told))
            except LanguageModelError:
                continue
            assert len(answer.pool.units) <= CAP
            assert sum(limit for _, limit in memory.asked) <= CAP

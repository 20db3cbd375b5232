"""GA-DRG over a memory: which graph a model is given, beside which words."""

from __future__ import annotations

from datetime import timedelta

import pytest

from conversations.core.responders.ga_drg import GraphAware
from conversations.core.types import Delta, Stage
from memory.core.grounded_generation.selection import Bm25Scorer
from memory.core.types import Polarity, TextEdge, TextGraph
from tests.fakes.language import Saying
from tests.fakes.memory import FakeMemory
from tests.unit.conversations.core.responders.conftest import NOW
from tests.unit.conversations.core.responders.test_tg_drg import ASKED, BLINKY, IN_FULL, in_full, query, resolved


@pytest.fixture
def memory() -> FakeMemory:
    found = FakeMemory()
    found.learn("Blinky Bill", "hasAuthor", "Dorothy Wall", said="Blinky Bill is by Dorothy Wall.")
    found.learn("Blinky Bill", "likes", "water", said="Blinky Bill does not like water.", polarity=Polarity.NEGATIVE)
    found.learn(
        "Blinky Bill", "livesIn", "Sydney", said="Blinky Bill lived in Sydney.", valid_to=NOW - timedelta(days=9)
    )
    found.learn("Oslo", "locatedIn", "Norway", said="Oslo is in Norway.")
    return found


def responder(memory: FakeMemory, model: Saying, reformulation: str) -> GraphAware:
    return GraphAware(
        memory=memory, reformulate=in_full(reformulation), select_triples=Bm25Scorer(), write_answer=model
    )


def test_graph_is_of_the_dialogue_in_full_and_the_words_are_those_that_were_said(memory: FakeMemory) -> None:
    model = Saying("Dorothy Wall is.")
    parts = list(responder(memory, model, resolved(IN_FULL)).reply(query()))
    assert "".join(part.text for part in parts if isinstance(part, Delta)) == "Dorothy Wall is."
    [asked] = model.asked
    assert asked.graph is not None
    assert asked.graph.nodes[0] == "Blinky Bill" and set(asked.graph.nodes[1:]) == {"Dorothy Wall", "water", "Sydney"}
    assert {(edge.relation, asked.graph.nodes[edge.end]) for edge in asked.graph.edges} == {
        ("has author", "Dorothy Wall"),
        ("not likes", "water"),
        ("formerly lives in", "Sydney"),
    }
    words = "\n".join(message.content for message in asked.messages)
    assert ASKED in words and "assistant: Yes, it is Koala." in words
    assert IN_FULL[-1] not in words and "Dorothy Wall" not in words, "the graph alone tells what is known"
    assert Stage("write", "writing the reply beside a graph of 4 things") in parts


def test_memory_that_knows_nothing_gives_an_empty_graph() -> None:
    model = Saying("I do not know.")
    parts = list(responder(FakeMemory(), model, "no").reply(query(history=BLINKY)))
    assert model.asked[-1].graph == TextGraph()
    assert any(isinstance(part, Stage) and part.detail.startswith("read what was said as it stands") for part in parts)


def test_thing_that_is_said_of_itself_is_a_loop() -> None:
    memory = FakeMemory()
    memory.learn("Blinky Bill", "admires", "Blinky Bill", said="Blinky Bill admires himself.")
    model = Saying("He does.")
    list(responder(memory, model, "no").reply(query("Tell me of Blinky Bill", history=())))
    assert model.asked[-1].graph == TextGraph(("Blinky Bill",), (TextEdge(0, 0, "admires"),))

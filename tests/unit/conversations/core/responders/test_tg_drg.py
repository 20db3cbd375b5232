"""TG-DRG over a memory: which facts are chosen for a dialogue, with and without saying it in full, and what is asked."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from conversations.core.responders.tg_drg import (
    CANDIDATES,
    SELECTED,
    ReformulatedTextualisedGraph,
    TextualisedGraph,
    names_in,
)
from conversations.core.types import Delta, Grounds, Query, Stage
from memory.core.grounded_generation.knowledge import KnowledgeIndex, KnowledgeTriple
from memory.core.grounded_generation.reformulation import PromptedReformulator
from memory.core.grounded_generation.selection import Bm25Scorer
from memory.core.types import Role, Utterance
from tests.fakes.language import Saying
from tests.fakes.memory import FakeMemory
from tests.unit.conversations.core.responders.conftest import NOW

BLINKY = ("do you know the species of the book Blinky Bill?", "Yes, it is Koala.")
ASKED = "do you know the author of that book?"
IN_FULL = (*BLINKY, "do you know the author of Blinky Bill?")


@pytest.fixture
def memory() -> FakeMemory:
    found = FakeMemory()
    found.learn("Blinky Bill", "hasAuthor", "Dorothy Wall", said="Blinky Bill is by Dorothy Wall.")
    found.learn("Dorothy Wall", "livesIn", "Sydney", said="Dorothy Wall lived in Sydney.")
    found.learn("Oslo", "locatedIn", "Norway", said="Oslo is in Norway.")
    return found


def query(text: str = ASKED, history: Sequence[str] = BLINKY) -> Query:
    roles = [Role.ASSISTANT if place % 2 else Role.USER for place in range(len(history))]
    turns = tuple(
        Utterance(text=one, speaker="assistant" if role is Role.ASSISTANT else "Ana", said_at=NOW, role=role)
        for one, role in zip(history, roles, strict=True)
    )
    return Query(text, "Ana", NOW, history=turns)


def in_full(reply: str) -> PromptedReformulator:
    return PromptedReformulator(Saying(reply))


def resolved(turns: Sequence[str]) -> str:
    return json.dumps({"turns": [{"turn": place, "full": text} for place, text in enumerate(turns, 1)]})


def objects(parts: Sequence[object]) -> list[str]:
    return [one.triple.object for part in parts if isinstance(part, Grounds) for one in part.triples]


def test_reply_is_written_from_the_facts_of_what_is_named(memory: FakeMemory) -> None:
    model = Saying("Yes, the author is Dorothy Wall.")
    parts = list(TextualisedGraph(memory=memory, select_triples=Bm25Scorer(), write_answer=model).reply(query()))
    assert "".join(part.text for part in parts if isinstance(part, Delta)) == "Yes, the author is Dorothy Wall."
    assert objects(parts) == ["Dorothy Wall"]
    [_, user] = model.asked[0].messages
    assert "Dorothy Wall" in user.content and "assistant: Yes, it is Koala." in user.content
    assert "Oslo" not in user.content and ASKED in user.content


def test_dialogue_said_in_full_names_what_a_pronoun_hid(memory: FakeMemory) -> None:
    history = (*BLINKY, "so who wrote it?", "Dorothy Wall did.")
    asked, full = "where did she live?", "where did Dorothy Wall live?"
    model = Saying("She lived in Sydney.")
    made = ReformulatedTextualisedGraph(
        memory=memory,
        reformulate=in_full(resolved((*history, full))),
        select_triples=Bm25Scorer(),
        write_answer=model,
    )
    parts = list(made.reply(query(asked, history)))
    assert Stage("resolve", f"read it as “{full}”") in parts
    assert set(objects(parts)) == {"Sydney", "Dorothy Wall"}
    assert full in model.asked[0].messages[-1].content


def test_dialogue_that_cannot_be_said_in_full_is_read_as_it_stands(memory: FakeMemory) -> None:
    made = ReformulatedTextualisedGraph(
        memory=memory,
        reformulate=in_full("no"),
        select_triples=Bm25Scorer(),
        write_answer=Saying("Dorothy Wall."),
    )
    parts = list(made.reply(query()))
    assert any(isinstance(part, Stage) and part.detail.startswith("read what was said as it stands") for part in parts)
    assert objects(parts) == ["Dorothy Wall"]


def test_memory_without_such_a_thing_says_so_to_the_model() -> None:
    model = Saying("I don't know.")
    parts = list(
        TextualisedGraph(memory=FakeMemory(), select_triples=Bm25Scorer(), write_answer=model).reply(query(history=()))
    )
    assert objects(parts) == [] and "(nothing is known)" in model.asked[0].messages[-1].content


def test_names_are_runs_of_words_of_the_last_turn_first() -> None:
    names = names_in(["I know Blinky Bill.", "Is it by Dorothy Wall?"])
    assert names.index("Dorothy Wall") < names.index("Blinky Bill")
    assert not {"I", "it", "Is it"} & set(names)
    assert len(names_in(["word" + " word".join(map(str, range(5_000)))])) == 400


def base(*triples: tuple[str, str, str]) -> KnowledgeIndex:
    return KnowledgeIndex([KnowledgeTriple(*parts, source="Books", base_id=7) for parts in triples])


def test_triples_of_a_knowledge_base_are_told_with_its_name_and_shown_as_grounds(memory: FakeMemory) -> None:
    model = Saying("It is by Dorothy Wall, who was born in Wellington.")
    known = base(("Blinky Bill", "illustrated by", "Dorothy Wall"), ("Oslo", "in", "Norway"))
    made = TextualisedGraph(memory=memory, knowledge=known, select_triples=Bm25Scorer(), write_answer=model)
    parts = list(made.reply(query()))
    [grounds] = [part for part in parts if isinstance(part, Grounds)]
    assert [one.triple.object for one in grounds.triples] == ["Dorothy Wall"]
    assert [(one.triple.text, one.triple.source, one.triple.base_id) for one in grounds.knowledge] == [
        ("Blinky Bill illustrated by Dorothy Wall", "Books", 7)
    ]
    asked = model.asked[0].messages[-1].content
    assert "- Blinky Bill illustrated by Dorothy Wall (source: Books)" in asked and "Norway" not in asked


def test_knowledge_alone_is_enough_and_its_many_triples_are_narrowed_by_words(memory: FakeMemory) -> None:
    many = [("Blinky Bill", "has", f"thing {number}") for number in range(CANDIDATES)]
    known = base(*many, ("Blinky Bill", "author", "Dorothy Wall"))
    made = ReformulatedTextualisedGraph(
        memory=FakeMemory(),
        knowledge=known,
        reformulate=in_full(resolved(IN_FULL)),
        select_triples=Bm25Scorer(),
        write_answer=Saying("Dorothy Wall."),
    )
    parts = list(made.reply(query()))
    assert Stage("select", f"chose {SELECTED} of {CANDIDATES} facts about what was named") in parts
    [grounds] = [part for part in parts if isinstance(part, Grounds)]
    assert grounds.knowledge[0].triple.object == "Dorothy Wall" and grounds.triples == grounds.sentences == ()

"""The backbones that find turns as they were said."""

from __future__ import annotations

import pytest

from memory.bootstrap.backbones import remember, said_of
from memory.core.backbones.catalogue import BY_RETRIEVER, Parts, make_backbone, make_recall
from memory.core.errors import UnknownBackbone
from memory.core.ports import Backbone
from tests.fakes.spoken import asking, index_of, spoken


def backbone(name: str) -> Backbone:
    index = index_of()
    return make_backbone(name, Parts(said_of(index), lambda turns: remember(index, turns)))


@pytest.mark.parametrize("name", BY_RETRIEVER)
def test_what_is_added_later_is_found_beside_what_was_there(name: str) -> None:
    memory = backbone(name)
    first, second = (session.rounds for session in (
        spoken(0, "Ann: I adopted a green parrot.", "Bob: Where do you live?"),
        spoken(9, "Bob: My parrot escaped.", "Ann: The bread is burnt."),
    ))  # fmt: skip
    memory.add(first[0])
    assert memory.size == 1  # what only asks is no evidence
    assert [one.text for one in memory.retrieve(asking("Who has a parrot?"), limit=5)] == ["I adopted a green parrot."]
    memory.add(second[0])
    found = memory.retrieve(asking("Whose parrot escaped?"), limit=1)
    assert [(one.text, one.speaker, one.id) for one in found] == [("My parrot escaped.", "Bob", "turn:3")]
    assert found[0].sentence_ids == (3,)
    assert memory.size == 3


@pytest.mark.parametrize("name", BY_RETRIEVER)
def test_an_index_that_is_only_asked_gives_what_the_written_memory_gives(name: str) -> None:
    said = [spoken(0, "Ann: I adopted a green parrot.", "Bob: I bake bread."), spoken(3, "Bob: The parrot sings.")]
    written = backbone(name)
    for session in said:
        written.add([turn for turns in session.rounds for turn in turns])
    asked = make_recall(name, said_of(index_of(*said)))
    query = asking("What does the parrot do?")
    assert asked.name == written.name == name
    assert asked.retrieve(query, limit=2) == written.retrieve(query, limit=2) != []


def test_nothing_is_made_or_found_of_nothing() -> None:
    memory = backbone("fused")
    memory.add([])
    assert memory.retrieve(asking("Who has a parrot?"), limit=5) == []
    assert memory.size == 0
    with pytest.raises(UnknownBackbone, match=r"'oracle'.*bm25"):
        make_backbone("oracle", Parts(said_of(index_of()), print))
    with pytest.raises(UnknownBackbone, match="over an index"):
        make_recall("raptor", said_of(index_of()))

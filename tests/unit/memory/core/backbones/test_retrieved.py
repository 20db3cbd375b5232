"""The backbones that find turns as they were said."""

from __future__ import annotations

import pytest

from memory.bootstrap.backbones import said_of
from memory.core.backbones.catalogue import BY_RETRIEVER, make_backbone, make_recall
from memory.core.errors import RetrieverUnfit, UnknownBackbone
from tests.fakes.backbones import parts, turns
from tests.fakes.spoken import asking, index_of, spoken


@pytest.mark.parametrize("name", BY_RETRIEVER)
def test_what_is_added_later_is_found_beside_what_was_there(name: str) -> None:
    memory = make_backbone(name, parts())
    memory.add(turns("Ann: I adopted a green parrot.", "Bob: Where do you live?"))
    assert memory.size == 1  # what only asks is no evidence
    [only] = memory.retrieve(asking("Who has a parrot?"), limit=5)
    assert only.text == "I adopted a green parrot."
    memory.add(turns("Bob: My parrot escaped.", "Ann: The bread is burnt.", day=9))
    [found] = memory.retrieve(asking("Whose parrot escaped?"), limit=1)
    assert (found.text, found.speaker, found.id, found.sentence_ids) == ("My parrot escaped.", "Bob", "turn:3", (3,))
    assert memory.size == 3


@pytest.mark.parametrize("name", BY_RETRIEVER)
def test_an_index_that_is_only_asked_gives_what_the_written_memory_gives(name: str) -> None:
    said = [spoken(0, "Ann: I adopted a green parrot.", "Bob: I bake bread."), spoken(3, "Bob: The parrot sings.")]
    written = make_backbone(name, parts())
    for session in said:
        written.add([turn for turns in session.rounds for turn in turns])
    asked = make_recall(name, said_of(index_of(*said)))
    query = asking("What does the parrot do?")
    assert asked.name == written.name == name
    assert asked.retrieve(query, limit=2) == written.retrieve(query, limit=2) != []


def test_a_memory_over_an_index_is_one_that_reads_it() -> None:
    with pytest.raises(UnknownBackbone, match="over an index"):
        make_recall("raptor", said_of(index_of()))
    with pytest.raises(RetrieverUnfit, match="knowledge_graph"):
        make_recall("knowledge_graph", said_of(index_of()))

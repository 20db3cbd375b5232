"""Which triples G-Retriever takes: those that join what is near to the dialogue."""

from __future__ import annotations

from memory.core.grounded_generation.g_retriever import GRetrieverConfig, connected_triples
from memory.core.grounded_generation.knowledge import KnowledgeTriple
from tests.fakes.memory import BagOfStems

AUTHOR = KnowledgeTriple("Blinky Bill", "written by", "Dorothy Wall")
BORN = KnowledgeTriple("Dorothy Wall", "born in", "New Zealand")
FAR = [KnowledgeTriple(f"Film {number}", "has genre", f"Genre {number}") for number in range(30)]


def taken(dialogue: str, triples: list[KnowledgeTriple], **config: float) -> list[KnowledgeTriple]:
    return connected_triples([dialogue], triples, embedder=BagOfStems(), config=GRetrieverConfig(**config))


def test_nodes_that_are_near_are_joined_by_the_triples_between_them():
    asked, triples = "Is the writer of Blinky Bill from New Zealand?", [*FAR, AUTHOR, BORN, AUTHOR]
    assert taken(asked, triples, relations=0, nodes=2, edge_cost=0.25) == [AUTHOR, BORN]
    assert taken(asked, triples, relations=0, nodes=2, edge_cost=0.6) == [], "the way costs more than the second prize"


def test_relation_that_is_near_is_taken_though_its_ends_are_not():
    assert taken("Where was she born in?", [*FAR, AUTHOR, BORN], nodes=0, relations=1) == [BORN]


def test_edges_of_one_relation_share_its_prize():
    film = "Which film has which genre?"
    assert taken(film, FAR, nodes=0, relations=1) == [], "a thirtieth of a prize is less than an edge costs"
    assert taken(film, FAR[:1], nodes=0, relations=1) == FAR[:1]


def test_costs_and_what_there_is_bound_what_is_taken():
    triples = [*FAR, AUTHOR, BORN]
    asked = "Is the writer of Blinky Bill from New Zealand?"
    assert taken(asked, triples, nodes=2, relations=0, edge_cost=5.0) == []
    assert taken(asked, []) == []
    loop = KnowledgeTriple("Blinky Bill", "is", "Blinky Bill")
    assert set(taken("Blinky Bill is Blinky Bill", [loop], nodes=1, relations=1)) == {loop}

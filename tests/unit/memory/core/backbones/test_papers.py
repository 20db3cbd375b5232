"""What each paper describes of its memory, on a few sentences."""

from __future__ import annotations

import math

import numpy as np
import pytest

from memory.core.backbones.a_mem import AMem
from memory.core.backbones.catalogue import Parts, make_backbone
from memory.core.backbones.graph_rag import GraphRag
from memory.core.backbones.knowledge_graph import KnowledgeGraphMemory
from memory.core.backbones.magma import Link, Magma, MagmaConfig, intent_of
from memory.core.backbones.mem0 import Mem0, Mem0Graph
from memory.core.backbones.mem_tree import MemTree, MemTreeConfig
from memory.core.backbones.raptor import Raptor, RaptorConfig, soft_clusters
from memory.core.ports import Backbone
from tests.fakes.backbones import parts, turns
from tests.fakes.spoken import asking


@pytest.fixture
def made_of() -> Parts:
    return parts()


def texts(memory: Backbone, question: str, *, limit: int = 5) -> list[str]:
    return [unit.text for unit in memory.retrieve(asking(question), limit=limit)]


def test_mem0_updates_the_old_value_in_its_place(made_of: Parts) -> None:
    memory = make_backbone(Mem0.name, made_of)
    memory.add(turns("Ann: Ann livesIn Paris.", "Ann: Ann likes tea."))
    [before] = memory.retrieve(asking("Where does Ann livesIn Paris?"), limit=1)
    memory.add(turns("Ann: Ann livesIn Lyon.", day=5))
    assert sorted(texts(memory, "Ann")) == ["Ann likes tea.", "Ann livesIn Lyon."]
    [after] = memory.retrieve(asking("Where does Ann livesIn Lyon?"), limit=1)
    assert after.id == before.id
    assert after.said_at > before.said_at


def test_mem0_deletes_what_is_denied_and_takes_nothing_twice(made_of: Parts) -> None:
    memory = make_backbone(Mem0.name, made_of)
    memory.add(turns("Ann: Ann likes tea.", "Ann: Ann likes bread.", "Ann: Ann likes bread."))
    assert memory.size == 2
    memory.add(turns("Ann: not Ann likes tea."))
    assert texts(memory, "Ann") == ["Ann likes bread."]


def test_mem0_graph_marks_what_no_longer_holds_and_starts_from_named_entities(made_of: Parts) -> None:
    memory = make_backbone(Mem0Graph.name, made_of)
    memory.add(turns("Ann: Ann livesIn Paris.", "Bob: Bob livesIn Oslo.", "Bob: Bob likes tea."))
    memory.add(turns("Ann: Ann livesIn Lyon.", day=5))
    assert memory.size == 4
    assert {text for text in texts(memory, "Where does Ann live?") if "Ann" in text} == {
        "Ann lives in Lyon.",
        "Ann lived in Paris. (no longer true)",
    }
    assert {text[:3] for text in texts(memory, "Where did Bob live?", limit=2)} == {"Bob"}
    assert {text[:3] for text in texts(memory, "Where do I live?", limit=2)} == {"Ann"}  # Ann asks


def test_the_knowledge_graph_tells_what_holds_and_the_sentences_that_say_it(made_of: Parts) -> None:
    memory = make_backbone(KnowledgeGraphMemory.name, made_of)
    memory.add(turns("Ann: Good morning.", "Ann: Ann livesIn Paris."))
    memory.add(turns("Ann: Ann livesIn Lyon.", "Bob: Bob likes tea.", day=5))
    found = memory.retrieve(asking("Where does Ann live?"), limit=5)
    assert [(unit.text, unit.sentence_ids) for unit in found] == [
        ("Ann lives in Lyon.", (3,)),
        ("Bob likes tea.", (4,)),
    ]


def test_a_mem_links_notes_that_share_a_keyword_and_lets_the_old_one_evolve(made_of: Parts) -> None:
    memory = make_backbone(AMem.name, made_of)
    assert isinstance(memory, AMem)
    memory.add(turns("Ann: Ann likes tea.", "Bob: It rains.", "Bob: Bob worksFor Airbus."))
    assert not memory.note(0).links | memory.note(1).links | memory.note(2).links
    memory.add(turns("Bob: Bob dislikes tea.", day=3))
    assert (memory.note(0).links, memory.note(3).links) == ({3}, {0})
    assert "dislikes" in memory.note(0).tags
    assert memory.note(0).context == ("Ann likes tea.", "Bob dislikes tea.")
    # The note that does not fit the question comes with the one that does.
    assert [unit.id for unit in memory.retrieve(asking("dislikes"), limit=2)] == ["note:3", "note:0"]


def test_mem_tree_demands_more_the_deeper_it_goes() -> None:
    config = MemTreeConfig(threshold=0.4, growth=0.5)
    assert [config.threshold_at(depth) for depth in (0, 1)] == [0.4, pytest.approx(0.4 * math.exp(0.5))]


def test_mem_tree_puts_like_under_like_and_rewrites_the_parents(made_of: Parts) -> None:
    memory = make_backbone(MemTree.name, made_of)
    assert isinstance(memory, MemTree)
    memory.add(turns("Ann: The parrot sings loudly.", "Bob: Bread needs flour."))
    assert (memory.children_of(-1), memory.size) == ((0, 1), 2)
    memory.add(turns("Ann: The parrot sings sadly.", day=2))
    # The leaf became a parent of what it held and of what is new.
    assert (memory.children_of(-1), memory.children_of(0), memory.children_of(1)) == ((0, 1), (2, 3), ())
    parent = next(unit for unit in memory.retrieve(asking("parrot"), limit=9) if unit.id == "node:0")
    assert parent.text == "In sum: The parrot sings loudly. The parrot sings sadly."


def test_raptor_sums_up_what_several_sessions_say_of_the_same(made_of: Parts) -> None:
    memory = Raptor(summarise=made_of.summarise, embedder=made_of.embedder, config=RaptorConfig(members=2))
    memory.add(turns("Ann: The parrot sings.", "Ann: Bread needs flour."))
    memory.add(turns("Ann: The parrot sings again.", "Ann: Bread needs salt.", day=9))
    summaries = [unit for unit in memory.retrieve(asking("Does the parrot sing?"), limit=9) if "In sum" in unit.text]
    assert summaries[0].text == "In sum: The parrot sings. The parrot sings again."
    assert memory.size == 4 + 2 + 1  # the leaves, a summary of each topic, one of both
    memory.add(turns("Ann: The parrot sings still.", day=20))
    assert "The parrot sings still." in " ".join(texts(memory, "parrot", limit=9)[:3])


def test_soft_clusters_hold_every_row_and_one_between_two_in_both() -> None:
    vectors = np.array([[1, 0], [1, 0], [0.6, 0.8], [0.8, 0.6], [0, 1], [0, 1]], np.float32)
    middle = np.array([[2**-0.5, 2**-0.5]], np.float32)
    clusters = soft_clusters(
        np.concatenate([vectors[:3], middle, vectors[4:]]), config=RaptorConfig(members=3, margin=0.4)
    )
    assert set().union(*clusters) == set(range(6))
    assert sum(3 in cluster for cluster in clusters) == 2


def test_graph_rag_reports_on_a_community_and_goes_from_an_entity_to_its_relations(made_of: Parts) -> None:
    memory = make_backbone(GraphRag.name, made_of)
    lines = ("Bob likes tea. Bob likes milk. Bob likes honey.", "Cleo likes milk. Cleo likes honey. Cleo likes tea.")
    memory.add(
        turns(*(f"Ann: {line}" for line in lines), "Ann: Dora worksFor Airbus. Dora livesIn Oslo. Dora likes jazz.")
    )
    reports = [unit for unit in memory.retrieve(asking("tea milk honey"), limit=20) if unit.id.startswith("community")]
    assert {unit.text for unit in reports} == {
        "In sum: " + " ".join(lines),
        "In sum: " + "Dora worksFor Airbus. Dora livesIn Oslo. Dora likes jazz.",
    }
    assert all("Dora" in text for text in texts(memory, "What of Dora?", limit=4))


def magma(made_of: Parts, config: MagmaConfig) -> Magma:
    memory = Magma(reader=made_of.reader, embedder=made_of.embedder, config=config)
    memory.add(turns("Ann: Ann lost keys."))
    memory.add(turns("Bob: It rained all day.", "Bob: Ann lost keys.", "Bob: I had soup.", day=3))
    return memory


def test_magma_links_events_in_four_graphs(made_of: Parts) -> None:
    memory = magma(made_of, MagmaConfig())
    assert {link: memory.linked_to(2, link) for link in Link} == {
        Link.TEMPORAL: (1, 3),
        Link.SEMANTIC: (0,),
        Link.ENTITY: (0,),
        Link.CAUSAL: (0,),
    }
    assert memory.linked_to(0, Link.CAUSAL) == ()  # a cause comes first


def test_magma_follows_causes_for_why_and_time_for_when(made_of: Parts) -> None:
    assert [intent_of(text) for text in ("Why did he go?", "When was it?", "Who went?")] == [
        Link.CAUSAL,
        Link.TEMPORAL,
        Link.ENTITY,
    ]
    config = MagmaConfig(anchors=1, width=1, depth=1)
    memory = magma(made_of, config)
    why, when = (memory.retrieve(asking(f"{word} Bob lost keys?"), limit=2) for word in ("Why", "When"))
    assert [unit.id for unit in why] == ["event:2", "event:0"]
    assert [unit.id for unit in when] == ["event:2", "event:3"]

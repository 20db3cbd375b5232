"""What somebody is called: "my sister is Maya", "my dog is called Biscuit", "my name isn't Ann"."""

from __future__ import annotations

from dataclasses import replace

from memory.core.knowledge_graph.extraction.clauses import Clause, Scene, write
from memory.core.knowledge_graph.extraction.people import Mention, name_case
from memory.core.knowledge_graph.ontology import relation_of
from memory.core.types import Fact, Node, Polarity, Tense


def called(scene: Scene, clause: Clause, bearer: Mention, name: Mention, wrong: tuple[str, ...] = ()) -> list[Fact]:
    """Return that somebody's somebody bears a name, under which they are known from then on, as under a wrong one."""
    label = name_case(name.node.label)
    present = replace(clause, tense=Tense.PAST if clause.prefix else Tense.PRESENT)
    relation, literal = bearer.relation, replace(name, node=Node(label, is_literal=True, pos="PROPN"))
    is_denied = name.is_denied or clause.polarity is Polarity.NEGATIVE
    if relation is None or is_denied:
        return write(scene, present, "hasName", literal, subject=bearer, phrase="be called", period=(None, None))
    predicate = relation.predicate or relation_of(relation.noun)
    # "My aunts are Rosa and Pina": neither is all of the aunts.
    aliases = (*wrong, bearer.node.label, *bearer.node.aliases) if relation.predicate else ()
    node = Node(label, bearer.node.kind, aliases, pos="PROPN")
    holder = Mention(relation.owner, bearer.tokens)
    known = replace(bearer, node=node, relation=replace(relation, is_named=True), is_proper=True)
    facts = write(scene, present, predicate, replace(name, node=node), subject=holder, phrase=relation.noun)
    return [*facts, *species(scene, clause, known)]


def species(scene: Scene, clause: Clause, pet: Mention) -> list[Fact]:
    """Return what a named pet is: Rex is a dog."""
    if pet.node.kind != "Animal" or pet.relation is None or not pet.relation.is_named or pet.relation.noun == "pet":
        return []
    kind = Mention(Node(pet.relation.noun, lemma=pet.relation.noun, pos="NOUN"), pet.tokens)
    told = replace(clause, polarity=Polarity.POSITIVE)
    return write(scene, told, "isA", kind, subject=pet, phrase="be", tense=Tense.PRESENT, period=(None, None))

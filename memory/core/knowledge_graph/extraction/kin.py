"""Who is whose: "my sister Maya", "Tom's wife", and the owners in between, which other facts take for granted."""

from __future__ import annotations

from dataclasses import replace

from memory.core.knowledge_graph.extraction.clauses import Scene
from memory.core.knowledge_graph.extraction.mentions import MANY
from memory.core.knowledge_graph.extraction.people import Mention, Relation, person_of
from memory.core.knowledge_graph.extraction.rules import SaidBefore
from memory.core.knowledge_graph.ontology import relation_of
from memory.core.naming import key_of
from memory.core.types import Fact, Modality, Node, Polarity, Span


def with_relatives(scene: Scene, facts: list[Fact], _: SaidBefore) -> list[Fact]:
    """Return the facts with the relations of the people in them: a named one always, another where a fact is about them.

    A nameless friend or colleague is nobody in particular; a relation that is ended or denied is not taken for granted.
    """
    facts = [_of_kind(scene, fact) for fact in facts]
    found = [mention for head in range(len(scene.tree)) for mention in _mentioned(scene, head)]
    known = {(key_of(fact.subject.label), fact.predicate, key_of(fact.object.label)) for fact in facts}
    ended = {(key_of(fact.subject.label), fact.predicate) for fact in facts if fact.polarity is Polarity.NEGATIVE}
    bearers = {(key_of(fact.subject.label), fact.predicate) for fact in facts if fact.object.pos == "PROPN"}
    spoken_of = {key_of(node.label): fact.modality for fact in reversed(facts) for node in (fact.object, fact.subject)}
    told = list[Fact]()
    for mention in reversed(found):
        relation, label = mention.relation, key_of(mention.node.label)
        if relation is None or not relation.predicate or mention.is_denied:
            continue
        slot = (key_of(relation.owner.label), relation.predicate)
        is_nobody = not relation.is_named and (relation.predicate in MANY or label not in spoken_of or slot in bearers)
        if is_nobody or slot in ended or (*slot, label) in known:
            continue
        known.add((*slot, label))
        modality = Modality.ASSERTED if relation.is_named else spoken_of[label]
        told += _told(relation, mention.node, scene.tree.span(list(mention.tokens)), modality)
        spoken_of.setdefault(key_of(relation.owner.label), modality)
    return [*scene.put(told), *facts]


def _of_kind(scene: Scene, fact: Fact) -> Fact:
    """Return the name of a pet as that of the nameless one just spoken of: "We have a new puppy!" "Biscotte."."""
    if fact.predicate != "hasPet" or fact.object.pos != "PROPN":
        return fact
    met = [one for one in scene.earlier[-3:] if one.object.kind == "Animal" and one.object.pos == "NOUN"]
    if not met or met[-1].modality is not Modality.ASSERTED or met[-1].polarity is Polarity.NEGATIVE:
        return fact
    aliases = (met[-1].object.label, *met[-1].object.aliases)
    return replace(fact, predicate=met[-1].predicate, object=replace(fact.object, aliases=aliases))


def relatives_by_name(scene: Scene) -> list[Fact]:
    """Return who the speaker's relatives are that the words name: "my older sister Maya"."""
    told = []
    for relative in scene.reading.relatives:
        person = person_of(scene.speaker.label, relative.noun, telling=relative.telling, name=relative.name).node
        told += _told(
            Relation(scene.speaker, relation_of(relative.noun), relative.noun, is_named=True), person, relative.span
        )
    return told


def _mentioned(scene: Scene, head: int) -> list[Mention]:
    tree = scene.tree
    if tree.pos(head) not in ("NOUN", "PROPN") or tree.is_dep(head, "compound", "flat"):
        return []
    # "He is not a doctor" speaks of no doctor.
    is_role = tree.child(head, "cop") is not None and not scene.mentions.has_owner(head)
    return [] if is_role else scene.mentions.read_all(head)


def _told(relation: Relation, person: Node, span: Span, modality: Modality = Modality.ASSERTED) -> list[Fact]:
    """Return whose somebody is, and what a named pet is: Rex is Ana's dog, and a dog."""
    noun = Node(relation.noun, lemma=relation.noun, pos="NOUN")
    owned = Fact(
        relation.owner, relation.predicate, person, span, modality=modality, confidence=0.9, phrase=relation.noun
    )
    is_pet = relation.is_named and person.kind == "Animal" and relation.noun != "pet"
    return [owned, replace(owned, subject=person, predicate="isA", object=noun, phrase="be")] if is_pet else [owned]

"""Where "here" and "there" are: "I'm in Harrogate, I've lived here all my life"."""

from __future__ import annotations

from memory.core.knowledge_graph.extraction.clauses import Clause, Scene, write
from memory.core.knowledge_graph.extraction.people import Mention, placed
from memory.core.knowledge_graph.naming import key_of
from memory.core.types import Fact, Modality, Polarity

_HERE = frozenset({"here", "there"})
_BEING = frozenset({"locatedIn", "livesIn", "comesFrom", "bornIn", "grewUpIn"})
# How far back the place may have been named, in facts.
_REACH = 3


def lives_here(scene: Scene, clause: Clause) -> list[Fact]:
    """Return that somebody lives where they were just said to be, to come from or to have moved to."""
    tree = scene.tree
    adverbs = [node for node in tree.children(clause.head, "advmod") if tree.low(node) in _HERE]
    if tree.lemma(clause.head) not in ("live", "reside") or not adverbs:
        return []
    if any(tree.words(node, "case") & {"in", "at", "near"} for node in tree.children(clause.head, "obl")):
        return []
    found = []
    for subject in clause.subjects:
        place = next((fact for fact in reversed(scene.earlier[-_REACH:]) if _places(fact, subject)), None)
        if place is not None:
            value = placed(Mention(place.object, tuple(adverbs), is_proper=True))
            found += write(scene, clause, "livesIn", value, phrase="live in", subject=subject)
    return found


def _places(fact: Fact, subject: Mention) -> bool:
    is_believed = fact.modality is Modality.ASSERTED and fact.polarity is Polarity.POSITIVE
    is_place = fact.predicate in _BEING and not fact.object.is_any
    return is_believed and is_place and key_of(fact.subject.label) == key_of(subject.node.label)

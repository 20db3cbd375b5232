"""What a sentence leaves unsaid the second time: "Ed lives in Rome and Al in Turin", "no longer Sam, it's Alex"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from memory.core.knowledge_graph.extraction.clauses import Clause, Scene, write
from memory.core.knowledge_graph.extraction.people import Mention, name_case
from memory.core.knowledge_graph.extraction.relations import relation_facts
from memory.core.knowledge_graph.ontology import PREDICATES, predicate_named
from memory.core.types import Fact, Polarity, Tense

# How far the value that a second subject is given may hang from the verb that it shares.
_SHARED = ("obl", "obj", "nmod", "xcomp")


def read_gap(scene: Scene, clause: Clause, facts: Sequence[Fact]) -> list[Fact]:
    """Return what a clause says of a second subject without its verb: "and my younger brother Al in Turin"."""
    tree, found = scene.tree, []
    shared = tree.children(clause.head, *_SHARED)
    conjuncts = [node for above in (clause.head, *shared) for node in tree.children(above, "conj")]
    for node in conjuncts:
        person = scene.mentions.read(node) if tree.pos(node) in ("NOUN", "PROPN") else None
        if person is None or not (person.relation is not None or person.is_proper) or tree.child(node, "nsubj", "cop"):
            continue
        for place in tree.children(node, "nmod", "obl"):
            case = tree.words(place, "case")
            parallel = next((value for value in shared if case and tree.words(value, "case") == case), None)
            if parallel is None or parallel > node or "of" in case:
                continue
            said = [fact for fact in facts if _names(scene, parallel, fact)]
            for fact in said[:1]:
                found += relation_facts(scene, [person], modality=clause.modality)
                for value in scene.mentions.read_all(place):
                    found += write(scene, clause, fact.predicate, value, subject=person, phrase=fact.phrase)
    return found


def _names(scene: Scene, value: int, fact: Fact) -> bool:
    mention = scene.mentions.read(value)
    return mention is not None and name_case(mention.node.label) == fact.object.label


def read_restatement(scene: Scene, head: int, facts: Sequence[Fact]) -> list[Fact]:
    """Return the value of "it's Alex" after the same sentence denied another: "My name is no longer Sam"."""
    tree = scene.tree
    subject = tree.child(head, "nsubj")
    if subject is None or tree.low(subject) not in ("it", "that") or tree.child(head, "cop") is None:
        return []
    # "I went to a parade and it was awesome" says nothing of what somebody went to instead.
    states = [
        fact
        for fact in facts
        if predicate_named(fact.predicate).is_state
        and (fact.predicate in PREDICATES or fact.predicate.startswith("has"))
    ]
    if not facts and _NOWADAYS.search(tree.text):
        # "My teacher was Mr Bell last year. This year it's Ms Cole."
        states = [
            fact
            for fact in scene.earlier[-3:]
            if predicate_named(fact.predicate).is_state and fact.predicate in PREDICATES
        ]
    denied = next((fact for fact in reversed(states) if not fact.object.is_any and _is_over(fact)), None)
    if denied is not None and tree.pos(head) == "ADJ" and denied.object.pos != "ADJ":
        return []
    value = scene.mentions.read(head) if tree.pos(head) in ("PROPN", "NOUN", "NUM", "ADJ") else None
    if denied is None or value is None or value.relation is not None or _is_number(value) is not _is_digits(denied):
        return []
    label = name_case(value.node.label) if denied.object.pos == "PROPN" else value.node.label
    node = replace(denied.object, label=label, aliases=(), lemma=value.node.lemma)
    span = tree.span([subject, *value.tokens])
    right = replace(
        denied, object=node, polarity=Polarity.POSITIVE, tense=Tense.PRESENT, valid_from=None, valid_to=None, span=span
    )
    return [right]


_NOWADAYS = re.compile(
    r"\b(?:now|nowadays|these days|since then|"
    r"this (?:year|month|week|term|semester|season|summer|winter|spring|autumn|time))\b",
    re.IGNORECASE,
)


def _is_over(fact: Fact) -> bool:
    return fact.polarity is Polarity.NEGATIVE or fact.tense is Tense.PAST


def _is_number(value: Mention) -> bool:
    return value.node.label.isdigit()


def _is_digits(fact: Fact) -> bool:
    return fact.object.label.isdigit()

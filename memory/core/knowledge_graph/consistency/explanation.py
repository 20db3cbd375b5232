"""A violation in one or two sentences for a person."""

from __future__ import annotations

from memory.core.knowledge_graph.ontology import predicate_named
from memory.core.knowledge_graph.verbalisation import Assertion, assertion_of_fact, sentence, with_article
from memory.core.knowledge_graph.vocabulary import FEMALE, MALE
from memory.core.types import Axiom, Fact, Triple, Violation

_TWO = {"hasSibling": "siblings are two people", "spouse": "a marriage takes two people"}
_CLASS_WORDS = {
    "LivingBeing": "a living being",
    "Lifeless": "something lifeless",
    "TimeSpan": "a time",
}


def explain(violation: Violation, *, asker: str = "") -> str:
    """Return what cannot be and why, such as "Maya cannot be her own sister: siblings are two people."; "you" is `asker`."""
    said = " ".join(dict.fromkeys(said_of(triple, asker=asker) for triple in violation.triples))
    if violation.axiom is Axiom.IRREFLEXIVE:
        return _of_oneself(violation, asker=asker)
    if violation.axiom is Axiom.DATATYPE:
        wanted = {"number": "a number", "date": "a date"}.get(violation.terms[-1], "such a value")
        return f"{said} But {_value(violation.triples[0])!r} is not {wanted}."
    if violation.axiom is Axiom.DISJOINT_CLASSES:
        one, other = (class_in_words(name) for name in violation.terms)
        return f"{said} Nothing can be both {one} and {other}."
    return (
        said
        + {
            Axiom.FUNCTIONAL: " Only one of them can be true at a time.",
            Axiom.ASYMMETRIC: " It cannot be so both ways round.",
            Axiom.DISJOINT_PROPERTIES: " Both cannot be true at once.",
            Axiom.NEGATIVE_ASSERTION: " One denies what the other says.",
        }[violation.axiom]
    )


def class_in_words(name: str) -> str:
    """Return a class of the ontology as a person would say it: "a place"."""
    return _CLASS_WORDS.get(name) or with_article(name.lower())


def said_of(triple: Triple | Fact, *, asker: str = "") -> str:
    """Return what a triple or a fact of the present says, as a whole sentence to `asker`."""
    if isinstance(triple, Fact):
        return sentence(assertion_of_fact(triple), asker=asker)
    shown = Assertion(
        triple.subject.label,
        triple.predicate,
        triple.object,
        triple.polarity,
        triple.tense,
        triple.is_any,
        object_kind=triple.object_kind,
    )
    return sentence(shown, asker=asker)


def _of_oneself(violation: Violation, *, asker: str) -> str:
    triple = violation.triples[0]
    noun = predicate_named(triple.predicate).noun or "counterpart"
    is_asker = bool(asker) and triple.subject.label == asker
    own = "your" if is_asker else "her" if noun in FEMALE else "his" if noun in MALE else "their"
    broader = predicate_named(triple.predicate).broader or triple.predicate
    return f"{'You' if is_asker else triple.subject.label} cannot be {own} own {noun}: {_TWO.get(broader, 'that takes two')}."


def _value(triple: Triple | Fact) -> str:
    return triple.object.label if isinstance(triple, Fact) else triple.object

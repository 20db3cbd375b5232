"""A violation in one or two sentences for a person.

Puts the explanation that a reasoner prints into words.

Pellet writes axioms and triples with the last part of their names: "12 hasSister 12", "Irreflexive hasSibling". A triple of
ours becomes its sentence, an axiom a rule in words; any other line stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from memory.core.english.inflection import words_of_name
from memory.core.knowledge_graph.classes import CLASSES
from memory.core.knowledge_graph.consistency.assertions import facet_names
from memory.core.knowledge_graph.ontology import Ontology, predicate_named
from memory.core.knowledge_graph.verbalisation import Assertion, assertion_of_fact, sentence, with_article
from memory.core.knowledge_graph.vocabulary import FEMALE, MALE
from memory.core.naming import key_of
from memory.core.types import Axiom, Fact, Polarity, Triple, Violation

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


_DENIED = re.compile(r"NOT \((.+)\)")
_DENIED_WHOLLY = re.compile(r"(\S+) type not (\S+) some \S+")
# The names by which OWL tells things apart say nothing to a person.
_UNSAID = re.compile(r"\S+ uid .+|Functional uid")
_OF_ONE = {
    "functional": "“{}” has one value at a time.",
    "irreflexive": "“{}” takes two.",
    "asymmetric": "“{}” never holds both ways round.",
    "symmetric": "“{}” holds both ways round.",
    "transitive": "“{}” goes on along a chain.",
}
_OF_TWO = {
    "subPropertyOf": "“{}” is a case of “{}”.",
    "propertyDisjointWith": "“{}” excludes “{}”.",
    "inverseOf": "“{}” is “{}” the other way round.",
    "domain": "Only {1} can come before “{0}”.",
    "range": "Only {1} can come after “{0}”.",
    "subClassOf": "What is {} is {}.",
    "disjointWith": "Nothing is both {} and {}.",
    "type": "{} is {}.",
}
_DATATYPES = {"integer": "a number", "dateTime": "a date"}


def explanation_in_words(lines: Sequence[str], triples: Sequence[Triple], *, ontology: Ontology) -> list[str]:
    """Return an explanation's lines as sentences, each once; `triples` are those that were checked."""
    known = _Known(triples, ontology)
    said = (known.line_in_words(line) for line in lines if not _UNSAID.fullmatch(line))
    return [sentence for sentence in dict.fromkeys(said) if sentence]


class _Known:
    """The triples of a graph by the names that a reasoner prints."""

    def __init__(self, triples: Iterable[Triple], ontology: Ontology) -> None:
        self._labels: dict[str, str] = {}
        self._asserted: dict[tuple[str, str], list[Triple]] = {}
        self._denied: dict[tuple[str, str], list[Triple]] = {}
        self._predicates: dict[str, str] = {}
        for triple in triples:
            self._labels[str(triple.subject.id)] = triple.subject.label
            if triple.object_id is not None:
                self._labels[str(triple.object_id)] = triple.object
            kept = self._denied if triple.polarity is Polarity.NEGATIVE else self._asserted
            for part in ("", "Value", *facet_names(ontology.predicate_named(triple.predicate))):
                name = triple.predicate + part
                self._predicates[name] = triple.predicate
                kept.setdefault((str(triple.subject.id), name), []).append(triple)

    def line_in_words(self, line: str) -> str:
        if denied := _DENIED.fullmatch(line):
            return self._triple_in_words(denied[1], self._denied) or line
        if denied := _DENIED_WHOLLY.fullmatch(line):
            whole = [triple for triple in self._denied.get((denied[1], denied[2]), []) if triple.is_any]
            return said_of(whole[0]) if whole else line
        return self._triple_in_words(line, self._asserted) or self._axiom_in_words(line.split())

    def _triple_in_words(self, line: str, kept: dict[tuple[str, str], list[Triple]]) -> str:
        subject, name, value = [*line.split(maxsplit=2), "", "", ""][:3]
        printed = value.partition("^^")[0].strip('"')
        for triple in kept.get((subject, name), []):
            if printed in (str(triple.object_id), key_of(triple.object), triple.object):
                return said_of(triple)
        # A facet prints a part of the value only: the year of a birthday.
        found = kept.get((subject, name), [])
        return said_of(found[0]) if found and not value.isdigit() else ""

    def _axiom_in_words(self, words: list[str]) -> str:
        if len(words) == 2 and words[0].lower() in _OF_ONE:
            return _OF_ONE[words[0].lower()].format(self._name_in_words(words[1]))
        if len(words) == 3 and words[1] in _OF_TWO:
            names = [self._name_in_words(word) for word in (words[0], words[2])]
            # That living in a town is living somewhere needs no saying.
            return _OF_TWO[words[1]].format(*names) if names[0] != names[1] else ""
        return " ".join(words)

    def _name_in_words(self, name: str) -> str:
        if name in CLASSES:
            return class_in_words(name)
        if name in _DATATYPES:
            return _DATATYPES[name]
        return self._labels.get(name) or " ".join(words_of_name(self._predicates.get(name, name)))

"""Lifts events into state properties: live-01 with a location is `livesIn` (the step that D-SMART's graphs lack).

Departures from the paper:
- The paper merges AMR's event nodes as they are. They are fresh in every sentence, so nothing ever contradicts anything.
- A frame without a rule becomes a predicate minted from its word, between its first two participants.
- What the sentence does not name is left out, and so is whom a pronoun means: AMR resolves none across sentences.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from rdflib import RDF, RDFS, Graph
from rdflib.term import Node as Term

from memory.core.english.times import dates_in
from memory.core.knowledge_graph.extraction.amr.aligned_nodes import AlignedNode, NodeReader, date_of, lemma_of
from memory.core.knowledge_graph.extraction.amr.frames import ENDING, REPORTING, SUPPOSING, Lifting, frame_liftings
from memory.core.knowledge_graph.extraction.amr.putting import Event, putting_of, tense_of, time_of
from memory.core.knowledge_graph.extraction.amr.rdf import FRAME, ROLES, frame_of
from memory.core.knowledge_graph.extraction.people import person_of
from memory.core.knowledge_graph.ontology import minted, predicate_of_phrase, relation_of
from memory.core.knowledge_graph.update import ANY
from memory.core.types import Fact, Modality, Node, Polarity, Span, Tense, Utterance

_KIN = "have-rel-role-91"
_VALUES = frozenset({"Name", "Quantity"})
_WAS = re.compile(r"\b(?:was|were|used to be)\W+(?:\w+\W+)?$", re.IGNORECASE)
# Where somebody works or studies is a place only where it is a town or a country.
_AT_A_PLACE = {"worksFor": "worksIn", "studiesAt": "studiesIn"}


def lift(graph: Graph, said: Utterance, *, confidence: float) -> tuple[Fact, ...]:
    """Return the facts that the graph of a sentence states, in the order of its words."""
    found = dict.fromkeys(_Lifter(graph, said, confidence).facts())
    return tuple(sorted(found, key=lambda fact: (fact.span.start, fact.span.end, fact.predicate, fact.object.label)))


class _Lifter:
    def __init__(self, graph: Graph, said: Utterance, confidence: float) -> None:
        self._graph = graph
        self._said = said
        self._confidence = confidence
        self._mentions = NodeReader(graph, said.text, said.speaker)

    def facts(self) -> Iterator[Fact]:
        for node in set(self._graph.subjects(RDF.type, None)):
            frame = frame_of(self._graph, node)
            event = self._event(node, frame)
            if frame == _KIN:
                yield from self._kin(event)
            elif frame in SUPPOSING and self._is_event(node, "ARG1"):
                # "I want to buy a boat" wants no thing; the buying is lifted for itself, as supposed.
                continue
            elif frame in frame_liftings():
                yield from self._lifted(event, frame_liftings()[frame])
            elif FRAME.match(frame) and frame not in SUPPOSING | REPORTING | ENDING and not frame.endswith("-91"):
                yield from self._minted(event)
            yield from self._described(event, frame)

    def _event(self, node: Term, frame: str) -> Event:
        lemma = lemma_of(frame)
        putting = putting_of(self._graph, node, self._mentions, self._said.text)
        return Event(node, lemma.partition("-")[0], self._mentions.word(lemma), putting)

    def _lifted(self, event: Event, liftings: tuple[Lifting, ...]) -> Iterator[Fact]:
        """Yield the properties that a frame's table gives it."""
        has_object = False
        for lifting in liftings:
            subjects, taken = self._first(event.node, lifting.subject_roles)
            roles = [ROLES[role] for role in lifting.object_roles if role != taken]
            has_object = has_object or any(self._graph.value(event.node, role) is not None for role in roles)
            objects = self._objects(event.node, lifting, taken)
            yield from (self._lifted_one(event, lifting, *pair) for pair in product(subjects, objects))
        first, word = liftings[0], event.word
        if has_object or word is None:
            return
        for subject in self._first(event.node, first.subject_roles)[0]:
            if event.putting.polarity is Polarity.NEGATIVE:
                yield self._fact(event, subject, first.predicate, AlignedNode(ANY, word), first.phrase)
            elif first.predicate == "spouse":
                married = AlignedNode(Node(self._said.text[word.start : word.end], is_literal=True), word)
                yield self._fact(event, subject, "maritalStatus", married, "be", is_change=not self._was(word))

    def _lifted_one(self, event: Event, lifting: Lifting, subject: AlignedNode, found: AlignedNode) -> Fact:
        predicate, phrase = lifting.predicate, lifting.phrase
        if found.node.kind == "Place":
            predicate = _AT_A_PLACE.get(predicate, predicate)
        if predicate == "hasName" and subject.relation and subject.owner is not None:
            # "My dog is called Rex" names the dog that I have.
            named = Node(found.node.label, subject.node.kind, aliases=(subject.node.label,))
            return self._fact(
                event, replace(subject, node=subject.owner), subject.relation, replace(found, node=named), ""
            )
        if predicate == "owns" and subject.node.kind == "Person":
            predicate, found = self._owned(event, subject, found)
        return self._fact(event, subject, predicate, found, phrase, is_change=lifting.is_change)

    def _owned(self, event: Event, subject: AlignedNode, found: AlignedNode) -> tuple[str, AlignedNode]:
        """Return what somebody has: a pet or a relative is theirs by name, whatever else is owned."""
        noun, name = found.node.lemma, found.node.label if found.node.pos == "PROPN" else ""
        if not relation_of(noun):
            return "owns", found
        # "I don't have a dog" speaks of no dog.
        is_nobody = event.putting.polarity is Polarity.NEGATIVE and not name
        node = ANY if is_nobody else person_of(subject.node.label, noun, name=name).node
        return relation_of(noun), replace(found, node=node)

    def _kin(self, event: Event) -> Iterator[Fact]:
        """Yield "my sister Maya" as a fact of hers and mine."""
        person = self._graph.value(event.node, ROLES.ARG0)
        found = self._mentions.read(person) if person is not None else None
        if person is None or found is None or found.owner is None or self._graph.value(person, RDFS.label) is None:
            return
        # What is only supposed of her does not make her any less a sister, but a question teaches nothing.
        above = putting_of(self._graph, person, self._mentions, self._said.text)
        if event.putting.modality is Modality.ASSERTED and above.modality is not Modality.ASKED:
            yield self._fact(event, AlignedNode(found.owner, found.span), found.relation, found, "")

    def _minted(self, event: Event) -> Iterator[Fact]:
        predicate = predicate_of_phrase(event.lemma) or minted(event.lemma)
        subjects, objects = (self._first(event.node, roles)[0] for roles in (("ARG0",), ("ARG1", "ARG2")))
        if event.word is not None and not self._is_event(event.node, "ARG1"):
            yield from (
                self._fact(event, subject, predicate, found, event.lemma)
                for subject, found in product(subjects, objects)
            )

    def _described(self, event: Event, concept: str) -> Iterator[Fact]:
        """Yield what is said of a thing by its node: its age, or that it is something ("I am a nurse")."""
        for quantity in self._graph.objects(event.node, ROLES.age):
            subject, value = self._mentions.read(event.node), self._mentions.value(quantity)
            if subject is not None and value is not None:
                yield self._fact(event, subject, "age", value, "be")
        found = None if concept in frame_liftings() else self._mentions.read(event.node)
        if found is None:
            return
        for one in self._graph.objects(event.node, ROLES.domain):
            for subject in self._mentions.read_all(one):
                yield self._copula(event, subject, found)

    def _copula(self, event: Event, subject: AlignedNode, found: AlignedNode) -> Fact:
        if found.relation and found.owner is not None:
            named = replace(subject, node=replace(subject.node, aliases=(found.node.label,)))
            return self._fact(event, AlignedNode(found.owner, found.span), found.relation, named, "")
        if found.node.pos == "PROPN" and subject.node.is_speaker:
            name = Node(found.node.label, is_literal=True)
            return self._fact(event, subject, "hasName", replace(found, node=name), "be")
        fact = self._fact(event, subject, "worksAs" if found.node.kind == "Occupation" else "isA", found, "be")
        return replace(fact, tense=Tense.PAST if self._was(found.span) else Tense.PRESENT)

    def _was(self, word: Span) -> bool:
        return _WAS.search(self._said.text[: word.start]) is not None

    def _first(self, node: Term, roles: tuple[str, ...]) -> tuple[list[AlignedNode], str]:
        """Return the fillers of the first of some roles that is there, and that role."""
        for role in roles:
            fillers = list(self._graph.objects(node, ROLES[role]))
            if fillers:
                return [mention for filler in fillers for mention in self._mentions.read_all(filler)], role
        return [], ""

    def _objects(self, node: Term, lifting: Lifting, taken: str) -> list[AlignedNode]:
        roles = tuple(role for role in lifting.object_roles if role != taken)
        if lifting.kind == "Date" or lifting.kind in _VALUES:
            read = self._date if lifting.kind == "Date" else self._mentions.value
            values = [read(filler) for role in roles for filler in self._graph.objects(node, ROLES[role])]
            return [value for value in values if value is not None]
        return [
            one if one.node.kind or one.node.is_literal else replace(one, node=replace(one.node, kind=lifting.kind))
            for one in self._first(node, roles)[0]
        ]

    def _date(self, node: Term) -> AlignedNode | None:
        """Return the words of a date, where the node is one and the sentence has such words."""
        year, dates = date_of(self._graph, node)[:4], dates_in(self._said.text, said_at=self._said.said_at)
        found = (AlignedNode(Node(one.words, is_literal=True), one.span) for one in dates if year and year in one.words)
        return next(found, None)

    def _is_event(self, node: Term, role: str) -> bool:
        filler = self._graph.value(node, ROLES[role])
        return filler is not None and FRAME.match(frame_of(self._graph, filler)) is not None

    def _fact(
        self,
        event: Event,
        subject: AlignedNode,
        predicate: str,
        found: AlignedNode,
        phrase: str,
        *,
        is_change: bool = False,
    ) -> Fact:
        spans = [span for span in (subject.span, found.span, event.word) if span is not None]
        tense = tense_of(self._graph, event, self._said.text, is_change=is_change)
        valid_from, valid_to = time_of(self._graph, event.node, self._said, is_over=tense is Tense.PAST)
        return Fact(
            subject=subject.node,
            predicate=predicate,
            object=found.node,
            span=Span(min(span.start for span in spans), max(span.end for span in spans)),
            polarity=event.putting.polarity,
            modality=event.putting.modality,
            tense=tense,
            valid_from=valid_from,
            valid_to=valid_to,
            confidence=self._confidence,
            phrase=phrase,
            attributed_to=event.putting.attributed_to,
        )

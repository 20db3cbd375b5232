"""The things of an AMR graph as nodes of ours, each found again in the words of its sentence.

AMR keeps concepts, not words. A thing whose name does not occur in the sentence was made up by the parser, and is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from rdflib import RDFS, Graph, Literal
from rdflib.term import Node as Term

from memory.core.english.grammatical_person import FIRST_PERSON
from memory.core.english.inflection import base_form, singular
from memory.core.english.words import find_quote
from memory.core.knowledge_graph.extraction.amr.rdf import DUL, FRAME, ROLES, frame_of
from memory.core.knowledge_graph.extraction.people import person_of, with_names
from memory.core.knowledge_graph.ontology import relation_of
from memory.core.knowledge_graph.vocabulary import LANGUAGES, OCCUPATIONS, PETS
from memory.core.types import Node, Span

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_FIRST_PERSON = frozenset({"i", "we"})
_UNRESOLVED = frozenset(
    "you he she it they this that these those who someone something somebody thing amr-unknown".split()
)
_OF_KINDS = {
    "Person": "person man woman boy girl",
    "Place": "city country state province town village county island continent world-region country-region location place "
    "city-district neighborhood street",
    "Organization": "company organization university school government-organization hospital research-institute team",
    "Language": "language",
}
_KINDS = {concept: kind for kind, concepts in _OF_KINDS.items() for concept in concepts.split()}
_DOERS = ("er", "or", "ist", "ian", "ers")
_UNNAMED = frozenset("person thing".split())


@dataclass(frozen=True)
class AlignedNode:
    """A thing of the graph and its alignment, the span that names it.

    `relation` is that of "my sister" to `owner`, and empty elsewhere.
    """

    node: Node
    span: Span
    relation: str = ""
    owner: Node | None = None


class NodeReader:
    """Reads the things of one sentence's graph."""

    def __init__(self, graph: Graph, text: str, speaker: str) -> None:
        self._graph = graph
        self._text = text
        self._speaker = Node(speaker, "Person", is_speaker=True)

    def read_all(self, node: Term) -> list[AlignedNode]:
        """Return the things that a role's filler means: the members of "tea and coffee", or itself."""
        if frame_of(self._graph, node) == "and":
            members = sorted(pair for pair in self._graph.predicate_objects(node) if str(pair[0]).startswith(ROLES.op))
            return [mention for _, member in members for mention in self.read_all(member)]
        mention = self.read(node)
        return [] if mention is None else [mention]

    def read(self, node: Term, depth: int = 0) -> AlignedNode | None:
        """Return a thing, or None where the sentence does not name it."""
        if isinstance(node, Literal):
            span = find_quote(str(node), self._text)
            return None if span is None else AlignedNode(Node(str(node), is_literal=True), span)
        concept = frame_of(self._graph, node)
        if concept in _FIRST_PERSON:
            words = FIRST_PERSON.search(self._text)
            return None if words is None else AlignedNode(self._speaker, Span(*words.span()))
        if concept in _UNRESOLVED or not concept or depth > 4:
            return None
        name = self._graph.value(node, RDFS.label)
        return self._named(node, concept, str(name), depth) if name else self._common(node, concept, depth)

    def value(self, node: Term) -> AlignedNode | None:
        """Return the name, date or number that a node stands for."""
        if isinstance(node, Literal):
            return self.read(node)
        for text in (self._graph.value(node, RDFS.label), self._graph.value(node, ROLES.quant)):
            span = find_quote(str(text), self._text) if text is not None else None
            if span is not None:
                return AlignedNode(Node(self._text[span.start : span.end], is_literal=True), span)
        return None

    def _named(self, node: Term, concept: str, name: str, depth: int) -> AlignedNode | None:
        span = find_quote(name, self._text)
        if span is None:
            return None
        named = Node(self._phrase(span), _kind(concept), lemma=lemma_of(concept), pos="PROPN")
        relation = self._related(node, concept, depth)
        if relation is None:
            return AlignedNode(named, span)
        return replace(relation, node=with_names(named, relation.node), span=span)

    def _related(self, node: Term, concept: str, depth: int) -> AlignedNode | None:
        """Return somebody as somebody's somebody: "my sister" is have-rel-role-91, "my dog" is a dog of mine."""
        for role in self._graph.subjects(ROLES.ARG0, node):
            noun = self._graph.value(role, ROLES.ARG2)
            if frame_of(self._graph, role) == "have-rel-role-91" and noun is not None:
                return self._owned(self._graph.value(role, ROLES.ARG1), frame_of(self._graph, noun), depth)
        owner = self._graph.value(node, ROLES.poss)
        return self._owned(owner, concept, depth) if owner is not None and concept not in _UNNAMED else None

    def _owned(self, owner: Term | None, noun: str, depth: int) -> AlignedNode | None:
        holder = self.read(owner, depth + 1) if owner is not None else None
        word = self.word(noun)
        if holder is None or word is None:
            return None
        relation, thing = relation_of(noun), f"{holder.node.label}'s {self._phrase(word)}"
        node = person_of(holder.node.label, noun).node if relation else Node(thing, pos="NOUN")
        return AlignedNode(replace(node, lemma=noun.rpartition("-")[2]), word, relation, holder.node)

    def _common(self, node: Term, concept: str, depth: int) -> AlignedNode | None:
        related = self._related(node, concept, depth)
        if related is not None:
            return related
        word = self._worker(node) if concept in _UNNAMED else self.word(lemma_of(concept))
        if word is None:
            return None
        word = self._with_modifiers(node, word)
        label, pos = self._phrase(word), "VERB" if FRAME.match(concept) else "NOUN"
        kind = "Occupation" if singular(label.lower()) in OCCUPATIONS else _kind(concept)
        kind = "Language" if label.lower() in LANGUAGES else kind
        return AlignedNode(Node(label, kind, lemma=lemma_of(concept), pos=pos), word)

    def _worker(self, node: Term) -> Span | None:
        """Return the word for somebody who does something: AMR takes "teacher" for a person who teaches."""
        done = {lemma_of(frame_of(self._graph, frame))[:4] for frame in self._graph.subjects(ROLES.ARG0, node)}
        stems = tuple(done - {""})
        found = (word for word in _WORD.finditer(self._text) if word[0].lower().startswith(stems))
        return next((Span(*word.span()) for word in found if word[0].lower().endswith(_DOERS)), None)

    def _with_modifiers(self, node: Term, word: Span) -> Span:
        """Return the range of "black coffee" for a coffee that is black, where the words stand together."""
        for modifier in self._graph.objects(node, ROLES.mod):
            before = self.word(lemma_of(frame_of(self._graph, modifier)))
            if before is not None and before.end + 1 == word.start:
                word = Span(before.start, word.end)
        return word

    def _phrase(self, span: Span) -> str:
        return self._text[span.start : span.end]

    def word(self, lemma: str) -> Span | None:
        """Return where a word stands whose lemma is given; "ice-cream" may be two words."""
        if not lemma:
            return None
        spaced = find_quote(lemma.replace("-", " "), self._text)
        return spaced or next(self._forms(lemma), None)

    def _forms(self, lemma: str) -> Iterator[Span]:
        for match in _WORD.finditer(self._text):
            low = match[0].lower()
            if lemma.lower() in (low, singular(low), base_form(low)):
                yield Span(*match.span())


def date_of(graph: Graph, node: Term) -> str:
    """Return the date that a node is, as far as it is known ("2019-05"), or the empty string."""
    value = graph.value(node, DUL.hasDataValue)
    return "" if value is None else str(value)


def lemma_of(concept: str) -> str:
    """Return the word of a frame or concept: "move-01" is "move"."""
    return re.sub(r"-\d{2,3}\Z", "", concept)


def _kind(concept: str) -> str:
    return _KINDS.get(concept, "Animal" if concept in PETS else "")

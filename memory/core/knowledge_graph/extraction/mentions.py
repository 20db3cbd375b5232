"""Noun phrases as nodes of the graph: who "I", "she" and "my sister Maya" are, and what a thing is called."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from dataclasses import replace
from itertools import takewhile

from memory.core.english.grammatical_person import FIRST_PERSONS, FIRST_POSSESSIVES
from memory.core.english.trees import Tree
from memory.core.knowledge_graph.extraction.people import (
    NEUTER,
    TELLING,
    Focus,
    Mention,
    Relation,
    gender_of,
    person_of,
    pronoun_gender,
)
from memory.core.knowledge_graph.extraction.phrases import PhraseReader
from memory.core.knowledge_graph.ontology import relation_of
from memory.core.knowledge_graph.vocabulary import EMPTY
from memory.core.types import Node

_MYSELF = FIRST_PERSONS - {"mine"} | {"ourselves"}
_MY = FIRST_POSSESSIVES | {"mine"}
_NAMELESS = frozenset("PRON DET ADV PUNCT SCONJ PART INTJ AUX CCONJ".split())
# Several people bear such a role at once, so that an unnamed one is nobody in particular.
MANY = frozenset({"hasFriend", "hasColleague", "hasNeighbor", "hasClient", "hasStudent", "hasClassmate", "hasCrush"})


class MentionReader:
    """Reads the noun phrases of one sentence said by `speaker`, with the people in focus for pronouns."""

    def __init__(
        self,
        tree: Tree,
        speaker: Node,
        focus: Focus,
        *,
        taken: Iterable[int] = (),
    ) -> None:
        self._tree = tree
        self._speaker = speaker
        self._focus = focus
        self._taken = frozenset(taken)
        self._phrases = PhraseReader(tree, self._taken)
        # The pronouns whose antecedent is looked for: a phrase that one of them is part of needs it first.
        self._sought: frozenset[int] = frozenset()

    def read_all(self, head: int, *, owner: Node | None = None) -> list[Mention]:
        """Return the mentions of a coordinated noun phrase: "olives and cheese", "two brothers, Tom and Ben".

        `owner` is whose brothers those are where the words do not say ("Ana has two brothers").
        """
        named = self._enumerated(head, owner)
        if named:
            return named
        found = []
        for node in (head, *self._conjuncts(head)):
            mention = self.read(node)
            if mention is not None:
                found.append(replace(mention, is_denied=self._is_denied(node, head)))
        return found

    def read(self, head: int) -> Mention | None:
        """Return one noun phrase without its conjuncts, or None where it names nothing that a memory can keep."""
        tree, word = self._tree, self._tree.low(head)
        if word in _MYSELF:
            return Mention(self._speaker, (head,))
        gender = pronoun_gender(word)
        if gender and tree.pos(head) == "PRON":
            person = self._antecedent(head, gender) or self._focus.person(gender)
            return None if person is None else Mention(person, (head,))
        if head in self._taken or tree.pos(head) in _NAMELESS:
            return None
        if word in EMPTY and not tree.children(head, "compound"):
            return None
        return self._related(head) or self._several(head) or self._phrases.thing(head)

    def owner_of(self, node: int) -> Node | None:
        """Return whose thing a noun is: "my", "her", "Tom's", "my sister's", "of the shop Ana", or None."""
        tree = self._tree
        for child in tree.children(node, "nmod:poss"):
            word = tree.low(child)
            if word in _MY:
                return self._speaker
            gender = pronoun_gender(word)
            if gender:
                return self._antecedent(child, gender) or self._focus.person(gender)
            if tree.pos(child) in ("PROPN", "NOUN"):
                return self._somebody(child)
        is_role = tree.pos(node) == "NOUN" and bool(tree.words(node, "det") & {"the", "a"})
        whole = [child for child in tree.children(node, "nmod") if tree.words(child, "case") == {"of"} and is_role]
        if whole and tree.low(whole[0]) in _MY:
            return self._speaker
        return self._somebody(whole[0]) if whole else None

    def _somebody(self, node: int) -> Node | None:
        owner = self.read(node)
        is_somebody = owner is not None and (owner.relation is not None or owner.is_proper)
        return owner.node if owner is not None and is_somebody else None

    def has_owner(self, node: int) -> bool:
        return bool(self._tree.children(node, "nmod:poss"))

    def _antecedent(self, pronoun: int, gender: str) -> Node | None:
        """Return the person named earlier in the sentence that a pronoun may mean, subjects first."""
        tree, found = self._tree, []
        if pronoun in self._sought:
            return None
        reader = copy(self)
        reader._sought = self._sought | {pronoun}
        for node in range(pronoun):
            if tree.pos(node) not in ("NOUN", "PROPN") or tree.dep(node) in ("compound", "flat", "nmod"):
                continue
            # "My sister has a cat named Luna": the cat is hers, but a "she" is the sister all the same.
            # "He is not a doctor; he is ..." speaks of no doctor.
            is_role = tree.child(node, "cop") is not None
            mention = (None if is_role else reader.introduced(node)) or reader.read(node)
            if mention is None or mention.node.is_speaker or gender_of(mention.noun) not in ("", gender):
                continue
            if gender == NEUTER and mention.node.kind != "Animal":
                continue
            is_person = bool(mention.relation and mention.relation.predicate) or (
                mention.is_proper and tree.is_dep(node, "nsubj")
            )
            if is_person:
                found.append((tree.is_dep(node, "nsubj"), node, mention.node))
        return max(found, key=lambda item: item[:2])[2] if found else None

    def _conjuncts(self, head: int) -> list[int]:
        found = []
        for node in self._tree.children(head, "conj", "appos"):
            is_noun = self._tree.pos(node) in ("NOUN", "PROPN", "PRON", "NUM", "ADJ", "X", "SYM", "VERB")
            if self._tree.is_dep(node, "appos") and not self._denies(node):
                continue
            is_noun = is_noun and self._tree.tag(node) not in ("VBZ", "VBD", "VBP")
            if is_noun and self._tree.child(node, "nsubj", "cop") is None:
                found += [node, *self._conjuncts(node)]
        return found

    def _denies(self, node: int) -> bool:
        return bool(self._tree.words(node, "advmod", "cc", "case", "det") & {"not", "n't", "no"})

    def _is_denied(self, node: int, head: int) -> bool:
        return node != head and self._denies(node)

    def _enumerated(self, head: int, holder: Node | None) -> list[Mention]:
        """Return the named members of a plural relation: "two brothers, Tom and Ben"; empty where it is none."""
        tree = self._tree
        predicate = relation_of(tree.lemma(head))
        if not predicate or tree.lemma(head) == tree.low(head):
            return []
        owner = self.owner_of(head) or (None if self.has_owner(head) else holder)
        below = [node for node in tree.subtree(head) if node > head and tree.pos(node) == "PROPN"]
        names = [node for node in below if self._is_named_by(head, node)]
        if owner is None:
            return []
        return [self._person(owner, predicate, tree.lemma(head), "", name, (head,)) for name in names]

    def _is_named_by(self, plural: int, name: int) -> bool:
        """Return whether a name is one of a plural's: in "two cats and a dog named Rex" the name is the dog's."""
        between = takewhile(lambda above: above != plural, self._tree.ancestors(name))
        return not any(relation_of(self._tree.lemma(above)) for above in between)

    def _related(self, head: int) -> Mention | None:
        """Return a person or a pet by relation: "my sister", "my sister Maya", "Tom's older brother"."""
        tree = self._tree
        cluster = [head, *tree.children(head, "compound", "flat", "appos", "nmod:desc")]
        cluster += [inner for node in list(cluster[1:]) for inner in tree.children(node, "compound", "flat", "appos")]
        nouns = [node for node in cluster if relation_of(tree.lemma(node)) and tree.tag(node) not in ("NNS",)]
        if not nouns:
            return None
        noun = nouns[0]
        owned = next((node for node in [*cluster, noun] if self.has_owner(node)), None)
        if owned is None:
            return None
        owner = self.owner_of(owned)
        if owner is None:
            return None
        adjectives = [tree.low(node) for member in cluster for node in tree.children(member, "amod")]
        telling = next((word for word in adjectives if word in TELLING), "")
        name = next((node for node in cluster if node > noun and tree.pos(node) == "PROPN"), None)
        if name is None:
            name = self._phrases.called(noun) or self._phrases.called(head)
        return self._person(owner, relation_of(tree.lemma(noun)), tree.lemma(noun), telling, name, tuple(cluster))

    def _several(self, head: int) -> Mention | None:
        """Return a nameless group: "my parents", "our kids"."""
        tree = self._tree
        owner = self.owner_of(head) if tree.tag(head) == "NNS" and relation_of(tree.lemma(head)) else None
        if owner is None:
            return None
        label = f"{owner.label}'s {tree.low(head)}"
        node = Node(label, lemma=tree.lemma(head), pos="NOUN")
        return Mention(node, (head,), tree.lemma(head), Relation(owner, "", tree.lemma(head), is_named=False))

    def _person(
        self, owner: Node, predicate: str, noun: str, telling: str, name: int | None, tokens: tuple[int, ...]
    ) -> Mention:
        named = () if name is None else (name,)
        node = person_of(owner.label, noun, telling=telling, name=self._tree.words_of(list(named))).node
        relation = Relation(owner, predicate, noun, is_named=bool(named))
        return Mention(node, (*tokens, *named), noun, relation, is_proper=bool(named))

    def introduced(self, head: int, *, owner: Node | None = None) -> Mention | None:
        """Return whom or what "I have a <relation>" introduces: a dog called Biscuit, a sister, a golden retriever."""
        tree = self._tree
        predicate = relation_of(tree.lemma(head))
        if not predicate or self.has_owner(head):
            return None
        name = self._phrases.called(head)
        if name is None:
            name = next((node for node in tree.children(head, "appos") if tree.pos(node) == "PROPN"), None)
        if name is None and len(tree) > 3 and tree.low(len(tree) - 3) == "," and len(tree) - 2 > head:
            # "We have a daughter already, Esi."
            name = len(tree) - 2 if tree.pos(len(tree) - 2) == "PROPN" else None
        telling = next((tree.low(node) for node in tree.children(head, "amod") if tree.low(node) in TELLING), "")
        return self._person(owner or self._speaker, predicate, tree.lemma(head), telling, name, (head,))

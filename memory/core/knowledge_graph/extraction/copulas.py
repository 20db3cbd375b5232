"""What a clause with "be" says as triples: a role, a place, a kind, a quality, a name, an attribute of who has it."""

from __future__ import annotations

from dataclasses import replace

from memory.core.english.telling_times import plain_date
from memory.core.knowledge_graph.extraction.changes import obliques, phrases_of
from memory.core.knowledge_graph.extraction.clauses import Clause, Scene, write
from memory.core.knowledge_graph.extraction.modality import is_perfect
from memory.core.knowledge_graph.extraction.names import called
from memory.core.knowledge_graph.extraction.people import Mention, name_case, placed, with_names
from memory.core.knowledge_graph.ontology import PREDICATES, favorite_of, minted, predicate_of_phrase, relation_of
from memory.core.knowledge_graph.update import ANY
from memory.core.knowledge_graph.vocabulary import MARITAL, NATIONALITIES, OCCUPATIONS, TRANSIENT, WITHOUT_SPOUSE
from memory.core.types import Fact, Node, Polarity, Tense

_FAVORITE = frozenset({"favorite", "favourite"})
# "A city in France", "a member of the choir", "a nurse at Charité".
_JOINED_BY = {"in": "locatedIn", "of": "memberOf", "at": "worksFor", "for": "worksFor"}
LIFELONG = frozenset({"comesFrom", "grewUpIn", "bornIn", "birthDate"})
_ATTRIBUTES = {predicate.noun: predicate.name for predicate in PREDICATES.values() if predicate.noun}


def read_copula(scene: Scene, clause: Clause) -> list[Fact]:
    """Return "X is Y": a role, a place, an attitude, a kind, a quality."""
    tree, head = scene.tree, clause.head
    cases = " ".join(tree.low(node) for node in tree.children(head, "case"))
    if cases:
        predicate = predicate_of_phrase(f"be {cases}") or minted(f"be {cases}")
        if predicate == "beTo" and is_perfect(tree, head):
            predicate = "visited"
        clause = replace(clause, tense=Tense.PRESENT if predicate in LIFELONG else clause.tense)
        values = [placed(value) for value in scene.mentions.read_all(head) if value.is_proper]
        predicate = {"beOn": "locatedOn", "beAt": "locatedAt"}.get(predicate, predicate)
        return [fact for value in values for fact in write(scene, clause, predicate, value, phrase=f"be {cases}")]
    owner = scene.mentions.owner_of(head)
    if owner is not None and tree.pos(head) == "NOUN":
        return _role_of(scene, clause, owner)
    if tree.pos(head) in ("ADJ", "VERB"):
        heads = [head, *(node for node in tree.children(head, "conj") if tree.pos(node) == "ADJ")]
        return [fact for node in heads for fact in _quality(scene, clause, node)]
    if tree.low(head).isdigit():
        years = Mention(Node(tree.low(head), is_literal=True, pos="NUM"), (head,))
        return write(scene, clause, "age", years, phrase="be")
    return [fact for value in scene.mentions.read_all(head) for fact in _noun(scene, clause, value)]


def _role_of(scene: Scene, clause: Clause, owner: Node) -> list[Fact]:
    """Return "Tom is my brother", "Blue is my favourite colour", "Ana is the owner of the shop"."""
    tree, head, facts = scene.tree, clause.head, list[Fact]()
    role = scene.mentions.read(head)
    relation = relation_of(tree.lemma(head))
    for subject in clause.subjects:
        value = replace(subject, tokens=(*subject.tokens, head))
        if role is not None and role.relation is not None and clause.polarity is Polarity.POSITIVE:
            value = replace(value, node=with_names(subject.node, role.node))
        predicate = relation or _attribute_predicate(scene, head)
        facts += write(scene, clause, predicate, value, subject=Mention(owner, (head,)), phrase=tree.lemma(head))
    return facts


def _attribute_predicate(scene: Scene, noun: int) -> str:
    """Return the predicate of "my favourite colour", "my phone number", "the head teacher of the school"."""
    tree = scene.tree
    words = [tree.low(node) for node in tree.children(noun, "compound", "amod") if node < noun]
    plain = [word for word in words if word not in _FAVORITE]
    named = " ".join([*plain, tree.lemma(noun)])
    if plain != words:
        return favorite_of(named)
    if named in _ATTRIBUTES:
        return _ATTRIBUTES[named]
    return named if named in PREDICATES else minted(" ".join(["has", *plain, tree.low(noun)]))


def read_attribute(scene: Scene, clause: Clause) -> list[Fact]:
    """Return "my favourite colour is teal", "the owner of the shop is Ana", "my exam is on 3 June", "my flat is in Pune"."""
    tree, head, noun = scene.tree, clause.head, clause.attribute or 0
    if tree.child(head, "cop") is None and tree.pos(head) not in ("NOUN", "PROPN", "NUM"):
        return []
    predicate = _attribute_predicate(scene, noun)
    dates = [time for time in scene.times if set(time.tokens) & set(tree.subtree(head))]
    if dates and (tree.child(head, "case") is not None or predicate == "birthDate" or head in dates[0].tokens):
        literal = Mention(Node(plain_date(dates[0].reference.words), is_literal=True), dates[0].tokens)
        name = predicate if predicate == "birthDate" else f"{predicate}Date"
        return write(scene, clause, name, literal, phrase=tree.lemma(noun), period=(None, None))
    if tree.child(head, "case") is not None:
        thing = Mention(
            Node(f"{clause.subjects[0].node.label}'s {tree.lemma(noun)}", lemma=tree.lemma(noun), pos="NOUN"), (noun,)
        )
        return read_copula(scene, replace(clause, subjects=(thing,), attribute=None))
    values = scene.mentions.read_all(head)
    if predicate == "hasName":
        owners = [scene.mentions.read(node) for node in tree.children(noun, "nmod:poss", "nmod")]
        bearers = [owner for owner in owners if owner is not None] or list(clause.subjects)
        wrong = tuple(value.node.label for value in values if value.is_denied)
        right = [value for value in values if not value.is_denied]
        return [fact for bearer in bearers for value in right for fact in called(scene, clause, bearer, value, wrong)]
    return [fact for value in values for fact in write(scene, clause, predicate, value, phrase=tree.lemma(noun))]


def _quality(scene: Scene, clause: Clause, head: int) -> list[Fact]:
    """Return "I'm allergic to nuts", "she's married to Al", "he isn't vegan"."""
    tree, word = scene.tree, scene.tree.low(head)
    if tree.words(head, "aux") & {"got", "get"}:
        clause = replace(clause, tense=Tense.PRESENT)
    for case, node in phrases_of(scene, clause):
        predicate = predicate_of_phrase(f"be {word} {case}")
        if predicate:
            values = scene.mentions.read_all(node)
            facts = [f for value in values for f in write(scene, clause, predicate, value, phrase=f"be {word} {case}")]
            return [*facts, *(_marital(scene, clause, head) if word == "married" else [])]
    if word in MARITAL:
        return _marital(scene, clause, head)
    if word in NATIONALITIES:
        value = Mention(Node(name_case(tree.tokens[head].text), pos="ADJ"), (head,))
        return write(scene, clause, "nationality", value, phrase="be")
    is_passing = word in TRANSIENT or tree.pos(head) != "ADJ"
    if is_passing or tree.children(head, "xcomp", "ccomp", "advcl") or clause.tense is not Tense.PRESENT:
        return []
    quality = Mention(Node(word, is_literal=True, lemma=tree.lemma(head), pos="ADJ"), (head,))
    return write(scene, clause, "hasQuality", quality, phrase="be", scale=0.8)


def _marital(scene: Scene, clause: Clause, head: int) -> list[Fact]:
    word = scene.tree.low(head)
    status = Mention(Node(MARITAL[word], is_literal=True, pos="ADJ"), (head,))
    facts = write(scene, clause, "maritalStatus", status, phrase="be")
    if word == "married" if clause.polarity is Polarity.NEGATIVE else word in WITHOUT_SPOUSE:
        facts += write(scene, clause, "spouse", ANY, polarity=Polarity.NEGATIVE, phrase=f"be {word}")
    return facts


def _noun(scene: Scene, clause: Clause, value: Mention) -> list[Fact]:
    """Return "Ana is a nurse", "my boss is Graham", "Nantes is a city in France"."""
    if value.is_proper:
        bearers = [subject for subject in clause.subjects if subject.relation]
        return [fact for bearer in bearers for fact in called(scene, clause, bearer, value)]
    facts = []
    if value.noun in OCCUPATIONS:
        facts += write(scene, clause, "worksAs", value, phrase="be")
    elif value.noun in ("vegetarian", "vegan"):
        quality = replace(value, node=Node(value.noun, is_literal=True, pos="ADJ"))
        facts += write(scene, clause, "hasQuality", quality, phrase="be")
    elif clause.subjects[0].node.kind == "Animal":
        facts += write(scene, clause, "isA", value, phrase="be", scale=0.7)
    for case, node in obliques(scene, clause.head):
        places = [place for place in scene.mentions.read_all(node) if place.is_proper and case in _JOINED_BY]
        facts += [f for place in places for f in write(scene, clause, _JOINED_BY[case], place, phrase=f"be {case}")]
    return facts

"""Facts of "my <attribute> is <value>": names, favourites, birthdays, jobs, and whatever else somebody has one of."""

from __future__ import annotations

import re
from dataclasses import replace

from memory.core.english.telling_times import plain_date
from memory.core.knowledge_graph.extraction.activities import phrase_mention
from memory.core.knowledge_graph.extraction.clauses import Clause, Scene, write
from memory.core.knowledge_graph.extraction.mentions import MANY
from memory.core.knowledge_graph.extraction.modality import polarity_of, tense_of
from memory.core.knowledge_graph.extraction.people import Mention, Relation, name_case
from memory.core.knowledge_graph.extraction.relations import relation_facts
from memory.core.knowledge_graph.extraction.reporting import putting_of
from memory.core.knowledge_graph.ontology import favorite_of, minted, relation_of
from memory.core.types import Fact, Modality, Node, Polarity, Tense

PHONE_DIGITS = 5
_FAVORITE = frozenset({"favorite", "favourite", "fave", "fav"})
# fmt: off
_ATTRIBUTES = {
    "name": "hasName", "birthday": "birthDate", "birthdate": "birthDate", "bday": "birthDate",
    "hometown": "comesFrom", "birthplace": "bornIn",
    "age": "age", "job": "worksAs", "profession": "worksAs", "occupation": "worksAs",
    "career": "worksAs", "hobby": "hasHobby",
    "pastime": "hasHobby", "passion": "hasHobby", "employer": "worksFor", "company": "worksFor",
    "workplace": "worksFor",
    "school": "studiesAt", "university": "studiesAt", "college": "studiesAt", "major": "studies",
    "nationality": "nationality",
    "language": "speaks", "tongue": "speaks", "address": "address", "phone": "phoneNumber", "number": "phoneNumber",
    "email": "email", "e-mail": "email", "allergy": "allergicTo", "city": "livesIn",
    "height": "height", "weight": "weight",
    "nickname": "hasNickname", "surname": "hasSurname", "car": "drives",
}
# fmt: on
# What has a day: "my exam is on 20 May", and later "my exam is on 3 June now".
_OCCASIONS = frozenset(
    "exam test appointment interview flight wedding party surgery operation deadline anniversary graduation concert "
    "checkup check-up meeting presentation defence defense trial hearing race marathon".split()
)
_VAGUE = frozenset(
    "problem question point idea thought guess opinion bad mistake fault pleasure hope fear concern "
    "worry issue thing heart mind "
    "life day week time way turn plan reason answer advice suggestion experience dream goal feeling "
    "understanding understand "
    "favorite favourite apology condolence best worst family people world love joy main next first "
    "second last biggest only "
    "situation budget request task code text message email case intention".split()
)


def read_attribute(scene: Scene, head: int) -> list[Fact] | None:
    """Return the facts of "my <attribute> is <value>" at a copular predicate; None where the clause is something else."""
    tree = scene.tree
    subject = tree.child(head, "nsubj")
    if subject is None or tree.child(head, "cop") is None and tree.lemma(head) not in ("be", "include"):
        return None
    if tree.is_dep(head, "acl", "advcl", "xcomp"):
        return None
    owned = subject if scene.mentions.has_owner(subject) else _of_owner(scene, subject)
    if owned is None:
        return _favorite_predicate(scene, head, subject)
    noun = tree.lemma(subject)
    owner = scene.mentions.owner_of(subject) if owned == subject else _somebody(scene, owned)
    mention = scene.mentions.read(subject) if owned == subject else None
    if mention is not None and mention.relation is not None:
        return None
    if owner is None:
        return []
    clause = _clause(scene, head, Mention(owner, (subject,)))
    if not clause.subjects:
        return []
    presupposed = [] if noun == "name" else _owner_relations(scene, subject, clause.modality)
    if tree.lemma(head) == "include":
        values = list(tree.children(head, "obj"))
        return presupposed + [fact for node in values for fact in _valued(scene, clause, subject, node)]
    return presupposed + _valued(scene, clause, subject, head)


def _of_owner(scene: Scene, subject: int) -> int | None:
    """Return the owner in "the name of my dog"."""
    tree = scene.tree
    # A capital makes a title: "The Name of the Wind".
    if tree.tokens[subject].text[:1].isupper() or tree.lemma(subject) not in (
        "name",
        "age",
        "birthday",
        "job",
        "hobby",
        "nickname",
    ):
        return None
    return next((node for node in tree.children(subject, "nmod") if "of" in tree.words(node, "case")), None)


def _somebody(scene: Scene, node: int) -> Node | None:
    mention = scene.mentions.read(node)
    return mention.node if mention is not None and (mention.relation is not None or mention.is_proper) else None


def _owner_relations(scene: Scene, subject: int, modality: Modality) -> list[Fact]:
    tree = scene.tree
    owners = [scene.mentions.read(node) for node in tree.children(subject, "nmod:poss", "nmod")]
    return relation_facts(scene, [owner for owner in owners if owner is not None], modality=modality)


def _clause(scene: Scene, head: int, subject: Mention) -> Clause:
    tree = scene.tree
    putting = putting_of(tree, scene.mentions, head, (subject,))
    return Clause(
        head=head,
        anchor=head,
        subjects=putting.subjects,
        polarity=polarity_of(tree, head),
        modality=putting.modality,
        attributed_to=putting.attributed_to,
        tense=tense_of(tree, head) if tree.pos(head) != "VERB" or tree.child(head, "cop") is None else Tense.PRESENT,
        times=(),
    )


def _favorite_predicate(scene: Scene, head: int, subject: int) -> list[Fact] | None:
    """Return "Radiohead is my favorite band": the favourite is what the clause is said of."""
    tree = scene.tree
    if not tree.words(head, "amod") & _FAVORITE or not scene.mentions.has_owner(head):
        return None
    owner = scene.mentions.owner_of(head)
    values = scene.mentions.read_all(subject)
    if owner is None:
        return []
    clause = _clause(scene, head, Mention(owner, (head,)))
    return [
        fact
        for value in values
        for fact in write(scene, clause, _favorite(scene, head), value, phrase="be my favorite")
    ]


def _favorite(scene: Scene, noun: int) -> str:
    tree = scene.tree
    parts = [
        node for node in tree.children(noun, "compound", "amod") if tree.low(node) not in _FAVORITE and node < noun
    ]
    kind = [node for node in tree.children(noun, "nmod") if "of" in tree.words(node, "case")]
    if tree.lemma(noun) in ("kind", "type", "sort", "genre") and kind:
        return favorite_of(tree.lemma(kind[0]))
    parts = [node for node in parts if tree.low(node) not in ("all-time", "absolute", "new", "current", "personal")]
    return favorite_of(" ".join([*(tree.low(node) for node in parts), tree.lemma(noun)]))


def _valued(scene: Scene, clause: Clause, subject: int, value: int) -> list[Fact]:
    tree, noun = scene.tree, scene.tree.lemma(subject)
    adjectives = tree.words(subject, "amod")
    if noun in ("favorite", "favourite"):
        return _each(scene, clause, "likes", value, phrase="favorite")
    if adjectives & _FAVORITE:
        return _each(scene, clause, _favorite(scene, subject), value, phrase="favorite")
    if noun in _OCCASIONS:
        return _dated(scene, clause, subject, value)
    if (
        noun in ("job", "work", "position")
        and tree.words(value, "case") & {"at", "with"}
        and tree.pos(value) == "PROPN"
    ):
        is_over = bool(adjectives & {"old", "former", "previous", "ex", "last"}) or clause.tense is Tense.PAST
        when = replace(clause, tense=Tense.PAST if is_over else clause.tense)
        return _each(scene, when, "worksFor", value, phrase="job at")
    if (
        adjectives & {"old", "former", "previous", "ex"}
        or tree.children(value, "case")
        and noun not in ("birthday", "school")
    ):
        return _located(scene, clause, subject, value)
    predicate = _ATTRIBUTES.get(noun, "")
    compounds = " ".join(tree.low(node) for node in tree.children(subject, "compound"))
    has_digits = sum(char.isdigit() for char in tree.low(value)) >= PHONE_DIGITS
    if noun == "number" and "phone" not in compounds or noun == "phone" and not has_digits:
        predicate = ""
    if noun in ("language", "tongue") and not (adjectives | tree.words(subject, "compound")) & {
        "native",
        "mother",
        "first",
    }:
        predicate = ""
    if predicate == "hasName":
        return _name(scene, clause, subject, value)
    if predicate == "birthDate":
        return _birthday(scene, clause, value)
    if predicate == "age":
        match = re.match(r"\d{1,3}$", tree.low(value))
        return (
            write(scene, clause, "age", Mention(Node(match.group(), is_literal=True), (value,)), phrase="age")
            if match
            else []
        )
    if predicate and not (adjectives - {"current", "new", "main", "native", "first", "full", "real", "biggest"}):
        return _each(scene, clause, predicate, value, phrase=noun)
    if noun in _VAGUE or not tree.low(subject).isalpha():
        return []
    return _each(scene, clause, _owned_predicate(scene, subject), value, phrase=noun, scale=0.7)


def _owned_predicate(scene: Scene, subject: int) -> str:
    tree = scene.tree
    parts = [node for node in tree.children(subject, "compound", "amod") if node < subject and tree.low(node) != "new"]
    return minted(" ".join(["has", *(tree.low(node) for node in parts), tree.low(subject)]))


def _each(scene: Scene, clause: Clause, predicate: str, value: int, *, phrase: str, scale: float = 1.0) -> list[Fact]:
    tree = scene.tree
    if tree.pos(value) == "VERB":
        found = [
            phrase_mention(scene, node)
            for node in (value, *tree.children(value, "conj"))
            if tree.tag(node) in ("VBG", "VB")
        ]
    elif tree.pos(value) == "ADJ" and predicate.startswith("hasFavorite"):
        found = [
            Mention(Node(tree.tokens[node].text, lemma=tree.lemma(node), pos="ADJ"), (node,))
            for node in (value, *tree.children(value, "conj"))
            if node == value or tree.child(node, "nsubj", "cop") is None
        ]
    elif tree.pos(value) in ("NUM", "SYM", "X"):
        others = {
            inner for node in tree.children(value, "conj", "parataxis", "nsubj", "cc") for inner in tree.subtree(node)
        }
        tokens = tuple(
            node
            for node in tree.subtree(value)
            if node not in others and tree.pos(node) in ("NUM", "SYM", "X", "NOUN", "PROPN") or tree.low(node) == "-"
        )
        tokens = tuple(
            node for node in tokens if node not in tree.subtree(tree.child(value, "nsubj") or value) or node == value
        )
        found = [Mention(Node(tree.words_of(list(tokens)), is_literal=True), tokens)]
    elif tree.pos(value) in ("NOUN", "PROPN"):
        found = scene.mentions.read_all(value)
    else:
        found = []
    if predicate == "likes" and clause.polarity is Polarity.NEGATIVE:
        return []
    return [fact for mention in found for fact in write(scene, clause, predicate, mention, phrase=phrase, scale=scale)]


def _name(scene: Scene, clause: Clause, subject: int, value: int) -> list[Fact]:
    """Return the name of the speaker, or of somebody's somebody, who then bears it: "my sister's name is Maya"."""
    tree, facts = scene.tree, []
    if tree.pos(value) not in ("PROPN", "NOUN", "X", "ADJ", "VERB"):
        return []
    said = scene.mentions.read_all(value) or [Mention(Node(name_case(tree.tokens[value].text)), (value,))]
    for mention in said:
        label = name_case(mention.node.label)
        literal = replace(mention, node=Node(label, is_literal=True, pos="PROPN"))
        owner_node = next(iter(tree.children(subject, "nmod:poss", "nmod")), None)
        owner = scene.mentions.read(owner_node) if owner_node is not None else None
        owner = _with_role(scene, owner)
        if owner is None or owner.relation is None or mention.is_denied or clause.polarity is Polarity.NEGATIVE:
            facts += write(scene, clause, "hasName", literal, phrase="name")
            continue
        wrong = tuple(name_case(other.node.label) for other in said if other.is_denied)
        # "Maya, not Mia": who was called Mia is the same person.
        named = replace(owner.node, label=label, aliases=(*wrong, owner.node.label, *owner.node.aliases), pos="PROPN")
        bearer = replace(owner, node=named, is_proper=True, relation=replace(owner.relation, is_named=True))
        facts += relation_facts(scene, [bearer], modality=clause.modality)
        facts += write(scene, clause, "hasName", literal, subject=bearer, phrase="name")
    return facts


def _with_role(scene: Scene, owner: Mention | None) -> Mention | None:
    """Return whom a pronoun means with their relation to the speaker: "my nephew ... His name is Ben"."""
    prefix = f"{scene.speaker.label}'s "
    if owner is None or owner.relation is not None or owner.noun or not owner.node.label.startswith(prefix):
        return owner
    noun = owner.node.label.removeprefix(prefix)
    predicate = relation_of(noun)
    # Who has a name already is put right by another: "No, her name is Anna."
    is_named = any(fact.predicate == predicate and fact.object.pos == "PROPN" for fact in scene.earlier)
    if not predicate or predicate in MANY or is_named:
        return owner
    return replace(owner, noun=noun, relation=Relation(scene.speaker, predicate, noun, is_named=False))


def _birthday(scene: Scene, clause: Clause, value: int) -> list[Fact]:
    for time in scene.times:
        if value in time.tokens or set(time.tokens) & set(scene.tree.subtree(value)):
            literal = Node(plain_date(time.reference.words), is_literal=True)
            return write(
                scene, clause, "birthDate", Mention(literal, time.tokens), phrase="birthday", period=(None, None)
            )
    return []


def _dated(scene: Scene, clause: Clause, subject: int, value: int) -> list[Fact]:
    """Return the day of an exam or an appointment that somebody has."""
    below = set(scene.tree.subtree(value))
    for time in scene.times:
        if set(time.tokens) & below and not time.reference.ends and re.search(r"\d", time.reference.words):
            literal = Node(plain_date(time.reference.words), is_literal=True)
            predicate = _owned_predicate(scene, subject) + "Date"
            mention = Mention(literal, time.tokens)
            return write(scene, clause, predicate, mention, phrase=scene.tree.lemma(subject), period=(None, None))
    return []


def _located(scene: Scene, clause: Clause, subject: int, value: int) -> list[Fact]:
    """Return "my office is in Munich": of a thing that somebody has."""
    tree = scene.tree
    owner = clause.subjects[0].node
    if not tree.words(value, "case") & {"in", "at"} or tree.pos(value) != "PROPN":
        return []
    thing = Mention(Node(f"{owner.label}'s {tree.lemma(subject)}", lemma=tree.lemma(subject), pos="NOUN"), (subject,))
    return [
        fact
        for place in scene.mentions.read_all(value)
        for fact in write(scene, clause, "locatedIn", place, subject=thing, phrase="be in", scale=0.9)
    ]

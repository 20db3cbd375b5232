"""Facts about named things: where a firm has its office, who owns a café, who wrote a book, what a company makes.

What people tell of themselves and of each other is read elsewhere; what they tell of the places, firms and works around
them leads from one of them to another, and is what questions over several facts go through.
"""

from __future__ import annotations

import re
from dataclasses import replace

from memory.core.knowledge_graph.extraction.clauses import Clause, Scene, write
from memory.core.knowledge_graph.extraction.modality import polarity_of, tense_of
from memory.core.knowledge_graph.extraction.people import Mention, name_case, placed
from memory.core.knowledge_graph.extraction.relations import relation_facts
from memory.core.knowledge_graph.extraction.reporting import putting_of
from memory.core.knowledge_graph.naming import key_of
from memory.core.knowledge_graph.ontology import minted, predicate_of_phrase, relation_of
from memory.core.types import Fact, Modality, Node, Polarity, Tense

_SEATS = {
    **dict.fromkeys(("office", "offices", "branch", "factory", "plant", "shop", "studio"), "officeIn"),
    **dict.fromkeys(("headquarters", "headquarter", "hq", "seat", "base"), "headquartersIn"),
}
_STREET = re.compile(
    r"(?:street|road|avenue|lane|square|boulevard|drive|st\.?|rd\.?|ave\.?|platz|stra(?:ss|ß)e)$", re.IGNORECASE
)
_STANDING = frozenset({"sit", "lie", "stand"})
_GATHERING = frozenset({"meet", "rehearse", "train", "practise", "practice", "headquarter"})
_MAKING = frozenset("make produce sell build offer publish manufacture design develop brew".split())
# What stands with "of" and a name without being anybody's role.
_NO_ROLE = frozenset(
    "part member fan one kind sort type lot some most all none rest end start middle top bottom side best worst love light "
    "friend number name age birthday point case matter example result cause victim way city town state province island "
    "university college bank museum house church king queen".split()
)
_NO_NAMES = frozenset(
    "work school home lunch dinner breakfast class training practice church college university".split()
)
_TITLED = re.compile(r"^(?:mr|mrs|ms|miss|dr|prof)\b\.?", re.IGNORECASE)


def read_named_thing(scene: Scene, head: int, facts: list[Fact]) -> list[Fact]:
    """Return what a predicate says of a named thing, beyond the facts that were read of it already."""
    if scene.tree.is_dep(head, "advcl", "ccomp", "xcomp"):
        return []
    scene = replace(scene, earlier=(*scene.earlier, *facts))
    for read in (_passive, _named_later, _taught, _holder, _seat, _standing, _made, _containing):
        found = read(scene, head)
        if found:
            known = {(key_of(fact.subject.label), fact.predicate, key_of(fact.object.label)) for fact in facts}
            return [f for f in found if (key_of(f.subject.label), f.predicate, key_of(f.object.label)) not in known]
    return []


def _clause(scene: Scene, head: int, subject: Mention) -> Clause | None:
    putting = putting_of(scene.tree, scene.mentions, head, (subject,))
    if not putting.subjects or putting.modality is not Modality.ASSERTED:
        return None
    return Clause(
        head=head,
        anchor=head,
        subjects=putting.subjects,
        polarity=polarity_of(scene.tree, head),
        modality=putting.modality,
        attributed_to=putting.attributed_to,
        tense=tense_of(scene.tree, head),
        times=(),
        confidence=0.8,
    )


def _somebody(scene: Scene, node: int) -> Mention | None:
    """Return whom or what a noun phrase names: by a name, by relation, or by a name after "called"."""
    mention = scene.mentions.read(node)
    if mention is not None and _is_written_as_name(scene, node):
        node_named = replace(mention.node, pos="PROPN", aliases=())
        mention = replace(mention, node=node_named, noun="", is_proper=True)
    is_known = (
        mention is not None and (mention.is_proper or mention.relation is not None) and not mention.node.is_speaker
    )
    return mention if is_known else None


def _is_written_as_name(scene: Scene, node: int) -> bool:
    """Return whether a noun inside of a sentence has a capital and nothing beside it: "The singer is Jana."."""
    tree = scene.tree
    is_alone = not tree.children(node, "det", "nmod:poss", "amod", "compound", "nummod")
    return tree.pos(node) == "NOUN" and node > 0 and tree.tokens[node].text[:1].isupper() and is_alone


def _thing(scene: Scene, node: int | None) -> Mention | None:
    """Return a named thing; of one that opens a sentence in the singular without an article the capital is a name."""
    if node is None:
        return None
    tree = scene.tree
    if tree.low(node) == "it":
        return _spoken_of(scene, node)
    mention = _somebody(scene, node)
    if mention is not None:
        return mention
    is_bare = tree.pos(node) == "NOUN" and tree.tag(node) == "NN" and node == 0 and not tree.children(node)
    if (
        not is_bare
        or not tree.tokens[node].text[:1].isupper()
        or tree.low(node) in _NO_NAMES
        or tree.low(node).endswith("ing")
    ):
        return None
    return Mention(Node(tree.tokens[node].text, lemma=tree.lemma(node), pos="PROPN"), (node,), is_proper=True)


def _spoken_of(scene: Scene, pronoun: int) -> Mention | None:
    """Return the named thing that the last fact spoke of: "We went to Papermoon. It's on Castle Street."."""
    last = next(iter(scene.earlier[-1:]), None)
    if last is None:
        return None
    named = [node for node in (last.object, last.subject) if node.pos == "PROPN" and not node.is_literal]
    named = [node for node in named if node.kind not in ("Person", "Animal") and not scene.mentions.knows(node.label)]
    return Mention(named[0], (pronoun,), is_proper=True) if named else None


def _named_later(scene: Scene, head: int) -> list[Fact]:
    """Return "He founded a company. It's called Ferncastle." as the fact about the company, by its name."""
    tree = scene.tree
    subject, name = tree.child(head, "nsubj:pass", "nsubj"), tree.child(head, "xcomp", "obj", "obl")
    if tree.low(head) not in ("called", "named") or subject is None or tree.low(subject) != "it" or name is None:
        return []
    called = _somebody(scene, name)
    told = next((fact for fact in reversed(scene.earlier[-3:]) if fact.object.pos == "NOUN"), None)
    if called is None or not called.is_proper or told is None or told.object.kind in ("Person", "Animal"):
        return []
    node = replace(told.object, label=called.node.label, lemma=called.node.lemma, pos="PROPN")
    return [replace(told, object=node, span=tree.span([subject, head, *called.tokens]), valid_from=None, valid_to=None)]


def _with_relation(scene: Scene, mentions: list[Mention], facts: list[Fact]) -> list[Fact]:
    return relation_facts(scene, mentions, modality=Modality.ASSERTED) + facts if facts else []


def _passive(scene: Scene, head: int) -> list[Fact]:
    """Return "Momo was written by Michael Ende" as what Ende did."""
    tree = scene.tree
    subject = _thing(scene, tree.child(head, "nsubj:pass", "nsubj"))
    is_passive = tree.tag(head) == "VBN" and any(tree.lemma(node) == "be" for node in tree.children(head, "aux"))
    agent = next((node for node in tree.children(head, "obl", "nmod") if tree.words(node, "case") == {"by"}), None)
    doer = _somebody(scene, agent) if agent is not None else None
    if not is_passive or subject is None or doer is None or subject.node.kind == "Person":
        return []
    clause = _clause(scene, head, doer)
    lemma = tree.lemma(head)
    if clause is None or clause.polarity is Polarity.NEGATIVE or not lemma.isalpha():
        return []
    predicate = predicate_of_phrase(lemma) or minted(lemma)
    return _with_relation(scene, [doer], write(scene, clause, predicate, subject, phrase=lemma, period=(None, None)))


def _taught(scene: Scene, head: int) -> list[Fact]:
    """Return "Jonas takes piano lessons with Mrs. Alder" as who teaches Jonas."""
    tree = scene.tree
    lesson, subject = tree.child(head, "obj"), tree.child(head, "nsubj")
    if tree.lemma(head) not in ("take", "have", "get") or lesson is None or subject is None:
        return []
    if tree.lemma(lesson) not in ("lesson", "class") or tree.tag(head) not in ("VBZ", "VBP"):
        return []
    nodes = [*tree.children(head, "obl", "nmod"), *tree.children(lesson, "nmod")]
    teachers = [_somebody(scene, node) for node in nodes if tree.words(node, "case") & {"with", "from"}]
    pupil = scene.mentions.read(subject)
    clause = _clause(scene, head, pupil) if pupil is not None else None
    if pupil is None or clause is None or clause.polarity is Polarity.NEGATIVE:
        return []
    words = [tree.low(node) for node in tree.children(lesson, "compound", "amod")]
    return [
        fact
        for teacher in teachers
        if teacher is not None
        for fact in write(scene, clause, "hasTeacher", teacher, phrase=" ".join([*words, "teacher"]))
    ]


def _holder(scene: Scene, head: int) -> list[Fact]:
    """Return "The owner of Kornblume is Mr. Weber" and "Mr. Weber is the owner of Kornblume" as who the owner is."""
    tree = scene.tree
    subject = tree.child(head, "nsubj")
    if subject is None or tree.child(head, "cop") is None or tree.children(head, "case"):
        return []
    if _is_role(scene, subject) and tree.words(subject, "det") & {"the"}:
        return _held(scene, head, role=subject, bearer=head)
    if _is_role(scene, head) and tree.words(head, "det") & {"the", "a", "an"}:
        return _held(scene, head, role=head, bearer=subject)
    return []


def _is_role(scene: Scene, node: int) -> bool:
    tree = scene.tree
    is_noun = tree.pos(node) in ("NOUN", "PROPN") and tree.tokens[node].text.islower()
    return is_noun and tree.lemma(node) not in _NO_ROLE - {"friend"} and _of(scene, node) is not None


def _of(scene: Scene, node: int) -> Mention | None:
    tree = scene.tree
    whole = next((n for n in tree.children(node, "nmod") if "of" in tree.words(n, "case")), None)
    return _somebody(scene, whole) if whole is not None else None


def _held(scene: Scene, head: int, *, role: int, bearer: int) -> list[Fact]:
    tree = scene.tree
    while tree.dep(bearer) in ("nmod:desc", "compound", "flat") and tree.pos(tree.head(bearer)) == "PROPN":
        bearer = tree.head(bearer)
    owner, holder = _of(scene, role), _somebody(scene, bearer)
    if owner is None or holder is None or scene.mentions.has_owner(role):
        return []
    noun = tree.lemma(role)
    words = [tree.low(node) for node in tree.children(role, "compound", "amod") if node < role]
    relation = relation_of(noun)
    is_person = owner.relation is not None or scene.mentions.knows(owner.node.label)
    predicate = relation if relation and (is_person or not words) else minted(" ".join(["has", *words, noun]))
    clause = _clause(scene, head, owner)
    if clause is None:
        return []
    label = name_case(holder.node.label) if holder.is_proper else holder.node.label
    kind = holder.node.kind or ("Person" if relation else "")
    value = replace(holder, node=replace(holder.node, label=label, kind=kind))
    facts = write(scene, clause, predicate, value, subject=owner, phrase=" ".join([*words, noun]))
    return _with_relation(scene, [owner, holder], facts)


def _seat(scene: Scene, head: int) -> list[Fact]:
    """Return "Airbus has its office in Toulouse", "Airbus's headquarters are in Toulouse" as where it is at home."""
    tree = scene.tree
    if tree.lemma(head) == "have":
        seat, subject = tree.child(head, "obj"), _thing(scene, tree.child(head, "nsubj"))
        is_own = seat is not None and bool(tree.words(seat, "nmod:poss", "det") & {"its", "their", "a", "an"})
        at = [node for one in (head, seat) if one is not None for node in tree.children(one, "nmod", "obl")]
        places = [node for node in at if tree.words(node, "case") & {"in", "at", "on"}] if is_own else []
    else:
        seat, subject = tree.child(head, "nsubj"), None
        owners = tree.children(seat, "nmod:poss", "nmod") if seat is not None else []
        subject = next((found for node in owners if (found := _somebody(scene, node)) is not None), None)
        places = [head] if tree.child(head, "cop") is not None and tree.words(head, "case") & {"in", "at", "on"} else []
    predicate = _SEATS.get(tree.lemma(seat), "") or _SEATS.get(tree.low(seat), "") if seat is not None else ""
    if subject is None or not predicate or subject.relation is not None:
        return []
    clause = _clause(scene, head, subject)
    if clause is None:
        return []
    return [
        fact
        for node in places
        for place in scene.mentions.read_all(node)
        if place.is_proper
        for fact in write(scene, clause, predicate, placed(place), phrase=f"have {tree.low(seat or 0)} in")
    ]


def _standing(scene: Scene, head: int) -> list[Fact]:
    """Return "Munich is in Germany", "The Louvre stands in Paris", "Petal is on Bridge Road" as where a thing is."""
    tree = scene.tree
    subject = _thing(scene, tree.child(head, "nsubj", "nsubj:pass"))
    cases = tree.words(head, "case") & {"in", "on", "at"}
    if subject is None or subject.relation is not None or scene.mentions.knows(subject.node.label):
        return []
    if tree.child(head, "cop") is not None and cases:
        nodes = [head]
    elif tree.lemma(head) in _STANDING | _GATHERING:
        nodes = [node for node in tree.children(head, "obl", "nmod") if tree.words(node, "case") & {"in", "on", "at"}]
        cases = {word for node in nodes for word in tree.words(node, "case")} & {"in", "on", "at"}
    else:
        return []
    clause = _clause(scene, head, subject)
    taken = {token for time in scene.times for token in time.tokens}
    if clause is None or clause.tense is not Tense.PRESENT or not cases:
        return []
    places = [place for node in nodes for place in scene.mentions.read_all(node) if place.is_proper]
    places = [place for place in places if not taken & set(place.tokens)]
    if "on" in cases:
        places = [place for place in places if _STREET.search(place.node.label)]
    case, verb = min(cases), tree.lemma(head) if tree.lemma(head) in _GATHERING else ""
    predicate = {"in": "locatedIn", "on": "locatedOn", "at": "locatedAt"}[case]
    predicate = {"headquarter": "headquartersIn"}.get(verb) or (minted(f"{verb} {case}") if verb else predicate)
    return [
        fact
        for place in places
        for fact in write(scene, clause, predicate, placed(place), phrase=f"{verb or 'be'} {case}", scale=0.9)
    ]


def _made(scene: Scene, head: int) -> list[Fact]:
    """Return what a firm makes or sells, where the dialogue knows it for a firm, or nobody knows it for a person."""
    tree = scene.tree
    subject = _thing(scene, tree.child(head, "nsubj"))
    if subject is None or tree.lemma(head) not in _MAKING or tree.tag(head) not in ("VBZ", "VBP"):
        return []
    if subject.relation is not None or scene.mentions.knows(subject.node.label) or _TITLED.match(subject.node.label):
        return []
    clause = _clause(scene, head, subject)
    if clause is None or clause.polarity is Polarity.NEGATIVE:
        return []
    return [
        fact
        for node in tree.children(head, "obj")
        if tree.pos(node) in ("NOUN", "PROPN") and not tree.words(node, "det") & {"this", "that", "the", "these"}
        for value in scene.mentions.read_all(node)
        for fact in write(scene, clause, minted(tree.lemma(head)), value, phrase=tree.lemma(head))
    ]


def _containing(scene: Scene, head: int) -> list[Fact]:
    """Return "Nantes is a city in France" as where the city is."""
    tree = scene.tree
    subject = _thing(scene, tree.child(head, "nsubj"))
    if subject is None or tree.pos(head) != "NOUN" or tree.child(head, "cop") is None or subject.relation is not None:
        return []
    clause = _clause(scene, head, subject)
    if clause is None or not tree.words(head, "det") & {"a", "an", "the"} or scene.mentions.knows(subject.node.label):
        return []
    return [
        fact
        for node in tree.children(head, "nmod")
        if tree.words(node, "case") & {"in"}
        for place in scene.mentions.read_all(node)
        if place.is_proper
        for fact in write(scene, clause, "locatedIn", placed(place), phrase="be in", scale=0.9)
    ]

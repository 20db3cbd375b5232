"""What a clause says as triples: its subject, a predicate by verb and preposition, and each of its values.

After PredPatt (White et al. 2016, "Universal Decompositional Semantics on Universal Dependencies"): predicates and arguments
are read off the relations of a parse, without a list of what may be said. The ontology's table names a predicate where it
knows the words; any other is minted of them.

Departures from PredPatt: "used to", "going to", "stopped" say how the verb below them is put; "my boss is Ana", "the owner of
the shop is Ana" and "we have a dog, Rex" are read as relations of their owners.
"""

from __future__ import annotations

from dataclasses import replace

from memory.core.english.telling_times import plain_date
from memory.core.knowledge_graph.extraction.changes import begin_state, obliques
from memory.core.knowledge_graph.extraction.clauses import Clause, Scene, spoken_of, write
from memory.core.knowledge_graph.extraction.endings import JOBS, read_ending
from memory.core.knowledge_graph.extraction.modality import is_perfect
from memory.core.knowledge_graph.extraction.people import Mention, name_case, placed
from memory.core.knowledge_graph.ontology import (
    PREDICATES,
    favorite_of,
    minted,
    predicate_named,
    predicate_of_phrase,
    relation_of,
)
from memory.core.knowledge_graph.update import ANY
from memory.core.knowledge_graph.vocabulary import MARITAL, NATIONALITIES, OCCUPATIONS, TRANSIENT, WITHOUT_SPOUSE
from memory.core.types import Fact, Modality, Node, Polarity, Tense

_CEASING = frozenset({"stop", "quit", "cease", "give"})
_GOING_ON = frozenset({"start", "begin", "continue", "keep"})
_HAVING = frozenset({"have", "get", "own", "buy", "adopt", "purchase", "acquire", "inherit"})
_FAVORITE = frozenset({"favorite", "favourite"})
_LIFELONG = frozenset({"comesFrom", "grewUpIn", "bornIn", "birthDate"})
# Verbs that say nothing without the words around them: no predicate is minted from them.
_LIGHT = frozenset(
    "be have do get go come take give let see say tell talk ask think know mean help try feel look seem want need keep "
    "put show happen call hear wait hope stay turn send bring leave start begin stop become spend".split()
)
_ATTRIBUTES = {predicate.noun: predicate.name for predicate in PREDICATES.values() if predicate.noun}
# "Have an office in" names a predicate as "live in" does.
_VERB_PHRASES = {
    " ".join(f"{known.verb} {known.preposition}".replace(" an ", " ").split()): known.name
    for known in PREDICATES.values()
    if " " in known.verb
}


def read_clause(scene: Scene, clause: Clause) -> list[Fact]:
    """Return the facts of a clause, by its verb or its predicate noun, once what only puts it is taken off."""
    tree = scene.tree
    chained = _through_chain(scene, clause)
    if chained is None:
        return []
    clause, head = chained, chained.head
    if clause.attribute is not None:
        return _attribute(scene, clause)
    if tree.child(head, "cop") is not None or tree.pos(head) not in ("VERB", "AUX"):
        return _copula(scene, clause)
    if tree.lemma(head) in ("call", "name"):
        return _naming(scene, clause)
    ended = read_ending(scene, clause)
    return ended if ended is not None else _verb(scene, clause)


def _through_chain(scene: Scene, clause: Clause) -> Clause | None:
    """Return the clause at the verb that says what is told, put as the verbs above it put it; None where nothing is."""
    tree, head = scene.tree, clause.head
    below = [node for node in tree.children(head, "xcomp", "ccomp", "advcl") if node > head]
    below = [node for node in below if tree.child(node, "nsubj") is None and tree.pos(node) not in ("ADV", "PRON")]
    verb = below[0] if below and tree.pos(head) in ("VERB", "AUX") else None
    lemma, is_to = tree.lemma(head), verb is not None and "to" in tree.words(verb, "mark")
    if verb is None or tree.child(head, "cop") is not None or tree.is_dep(verb, "advcl") and tree.tag(verb) != "VBG":
        return clause
    if tree.low(head) == "used" and tree.child(head, "aux:pass", "cop") is not None:
        return None
    if tree.low(head) == "used" and is_to:
        return _through_chain(scene, clause.at(verb, tense=Tense.PAST, prefix="used to"))
    if lemma in ("go", "gon") and tree.tag(head) == "VBG" and is_to:
        return _through_chain(scene, clause.at(verb, tense=Tense.FUTURE))
    if lemma in _CEASING and tree.tag(verb) == "VBG" and clause.polarity is Polarity.POSITIVE:
        return clause.at(verb, tense=Tense.PRESENT, polarity=Polarity.NEGATIVE)
    if lemma in _GOING_ON or lemma == "get" and tree.tag(verb) in ("VBN", "VBD", "JJ"):
        return clause.at(verb, tense=clause.tense if clause.tense is Tense.FUTURE else Tense.PRESENT)
    return None if tree.pos(verb) in ("VERB", "AUX") and not tree.is_dep(verb, "advcl") else clause


def _verb(scene: Scene, clause: Clause) -> list[Fact]:
    """Return what a verb says of its objects and of its prepositional phrases."""
    tree, head = scene.tree, clause.head
    particles = [tree.low(node) for node in tree.children(head, "compound:prt")]
    stem = "be born" if tree.low(head) == "born" else " ".join([tree.lemma(head), *particles])
    facts: list[Fact] = []
    phrases = _phrases(scene, clause)
    if tree.child(head, "nsubj:pass") is not None or _is_passive(scene, head):
        facts = _passive(scene, clause, stem)
        if facts:
            return facts
    objects = tree.children(head, "obj")
    # "Paolo speaks Italian": a name is no clause.
    objects += [node for node in tree.children(head, "xcomp") if tree.tokens[node].text[:1].isupper()]
    for node in objects:
        if tree.lemma(head) in _HAVING:
            facts += _had(scene, clause, stem, node)
            facts += _phrased(scene, clause, f"{tree.lemma(head)} {tree.lemma(node)}", phrases)
            facts += _phrased(scene, clause, f"{tree.lemma(head)} {tree.low(node)}", phrases)
        else:
            predicate = predicate_of_phrase(stem) or ("" if _is_light(scene, clause) else minted(stem))
            values = scene.mentions.read_all(node)
            if predicate in ("likes", "dislikes") and tree.low(node) in ("it", "them"):
                values = spoken_of(scene, node)
            facts += _valued(scene, clause, predicate, stem, values) if predicate else []
    facts += _phrased(scene, clause, stem, phrases)
    if not facts and not objects and not _is_light(scene, clause) and stem != "be born":
        for case, node in phrases[:1]:
            facts += _valued(scene, clause, minted(f"{stem} {case}"), f"{stem} {case}", scene.mentions.read_all(node))
    return facts


def _is_light(scene: Scene, clause: Clause) -> bool:
    """Return whether no predicate is minted of a verb: the speaker's own doings are the message reader's to judge."""
    lemma = scene.tree.lemma(clause.head)
    is_own = any(subject.node.is_speaker for subject in clause.subjects)
    return is_own or lemma in _LIGHT or not lemma.isalpha() or clause.modality is not Modality.ASSERTED


def _is_passive(scene: Scene, head: int) -> bool:
    tree = scene.tree
    return tree.tag(head) == "VBN" and any(tree.lemma(node) == "be" for node in tree.children(head, "aux"))


def _passive(scene: Scene, clause: Clause, stem: str) -> list[Fact]:
    """Return "Momo was written by Michael Ende" as what Ende did."""
    doers = [
        doer for case, node in obliques(scene, clause.head) if case == "by" for doer in scene.mentions.read_all(node)
    ]
    predicate = predicate_of_phrase(stem) or minted(stem)
    return [
        fact
        for doer in doers
        if doer.is_proper or doer.relation is not None
        for done in clause.subjects
        if done.node.kind not in ("Person", "Animal") and not done.node.is_speaker
        for fact in write(scene, clause, predicate, done, subject=doer, phrase=stem, period=(None, None))
    ]


def _phrases(scene: Scene, clause: Clause) -> list[tuple[str, int]]:
    """Return the prepositional phrases of a verb and of the verb above it that puts it: "got married, to Danuta"."""
    return [found for head in dict.fromkeys((clause.head, clause.anchor)) for found in obliques(scene, head)]


def _phrased(scene: Scene, clause: Clause, stem: str, phrases: list[tuple[str, int]]) -> list[Fact]:
    """Return what the ontology knows of a verb with its prepositions: "live in", "have an office in"."""
    facts = []
    for case, node in phrases:
        phrase = f"{stem} {case}"
        predicate = predicate_of_phrase(phrase) or _VERB_PHRASES.get(phrase, "")
        if predicate:
            facts += _valued(scene, clause, predicate, phrase, scene.mentions.read_all(node))
    return facts


def _valued(scene: Scene, clause: Clause, predicate: str, phrase: str, values: list[Mention]) -> list[Fact]:
    """Return a predicate's facts: a state that an event of another verb begins, or what the verb says in its tense."""
    known, facts = predicate_named(predicate), list[Fact]()
    if predicate == "wentTo" and clause.tense is Tense.PRESENT:
        predicate = "attends"
    for value in values:
        if value.node.is_speaker or clause.subjects[0].node.is_speaker and not value.noun and not value.is_proper:
            continue
        if known.range == "Place" and not value.is_proper:
            continue
        mention = placed(value) if known.range == "Place" else value
        is_own_verb = known.verb.split()[0] == phrase.split()[0]
        if predicate in _LIFELONG:
            facts += write(scene, clause, predicate, mention, phrase=phrase, tense=Tense.PRESENT, period=(None, None))
        elif known.is_state and not is_own_verb and not clause.prefix and clause.polarity is Polarity.POSITIVE:
            facts += begin_state(scene, clause, predicate, mention, phrase)
        else:
            is_since = is_perfect(scene.tree, clause.anchor) and clause.tense is not Tense.FUTURE
            facts += write(scene, clause, predicate, mention, phrase=phrase, tense=Tense.PRESENT if is_since else None)
    return facts


def _had(scene: Scene, clause: Clause, stem: str, node: int) -> list[Fact]:
    """Return what somebody has or gets: two brothers, Tom and Ben; a dog called Biscuit; no siblings; a boat."""
    tree, facts = scene.tree, list[Fact]()
    is_no = clause.polarity is Polarity.NEGATIVE
    namer = next((subject for subject in clause.subjects if subject.node.is_speaker), clause.subjects[0])
    for head in [node, *tree.children(node, "conj")]:
        relation = relation_of(tree.lemma(head))
        is_name = head != node and tree.pos(head) == "PROPN"
        if scene.mentions.has_owner(head) and not is_no or is_name or tree.lemma(head) in JOBS:
            continue
        if not relation:
            facts += _owned(scene, clause, stem, head)
        elif is_no or "no" in tree.words(head, "det"):
            denied = replace(clause, polarity=Polarity.NEGATIVE)
            facts += write(scene, denied, relation, ANY, phrase="have")
        else:
            named = [
                value
                for value in scene.mentions.read_all(head, owner=namer.node)
                if value.relation is not None and value.relation.is_named
            ]
            one = None if tree.tag(head) == "NNS" else scene.mentions.introduced(head, owner=namer.node)
            for value in named or ([one] if one is not None else []):
                had = write if clause.tense is Tense.PAST and stem == "have" else begin_state
                for owner in clause.subjects:
                    facts += had(scene, clause, relation, value, phrase=stem, subject=owner)
                facts += species(scene, clause, value)
    return facts


def species(scene: Scene, clause: Clause, pet: Mention) -> list[Fact]:
    """Return what a named pet is: Rex is a dog."""
    if pet.node.kind != "Animal" or pet.relation is None or not pet.relation.is_named or pet.relation.noun == "pet":
        return []
    kind = Mention(Node(pet.relation.noun, lemma=pet.relation.noun, pos="NOUN"), pet.tokens)
    told = replace(clause, polarity=Polarity.POSITIVE)
    return write(scene, told, "isA", kind, subject=pet, phrase="be", tense=Tense.PRESENT, period=(None, None))


def _owned(scene: Scene, clause: Clause, stem: str, node: int) -> list[Fact]:
    """Return that somebody owns what they bought or have, and the end of it: "we don't have the boat any more"."""
    determiners = scene.tree.words(node, "det")
    values = scene.mentions.read_all(node)
    if clause.polarity is Polarity.NEGATIVE:
        return [fact for value in values for fact in write(scene, clause, "owns", value, phrase=stem)]
    if not determiners & {"a", "an"} and not any(value.is_proper for value in values):
        return []
    is_got = stem not in ("have", "own")
    had = begin_state if is_got else write
    return [fact for value in values for fact in had(scene, clause, "owns", value, phrase=stem)]


def _naming(scene: Scene, clause: Clause) -> list[Fact]:
    """Return "my dog is called Biscuit", "we named our son Leo", "it's called Ferncastle"."""
    tree, head = scene.tree, clause.head
    is_passive = tree.child(head, "nsubj:pass", "aux:pass") is not None or _is_passive(scene, head)
    names = [node for node in tree.children(head, "xcomp", "obj", "obl") if tree.child(node, "case") is None]
    named = [value for node in names[-1:] for value in scene.mentions.read_all(node)]
    bearers = list(clause.subjects)
    told = next(iter(scene.earlier[-1:]), None)
    if told is not None and named and bearers and bearers[0].node == told.object and told.object.pos == "NOUN":
        node = replace(told.object, label=named[0].node.label, lemma="", pos="PROPN")
        return [replace(told, object=node, span=scene.tree.span([head, *named[0].tokens]))]
    if not is_passive:
        held = tree.children(head, "obj", "iobj")
        bearers = [value for node in held if node != names[-1] for value in scene.mentions.read_all(node)]
    facts = []
    for bearer in bearers:
        for name in named[:1] if bearer.relation is None or bearer.relation.predicate else named:
            facts += _called(scene, clause, bearer, name)
    return facts


def _called(scene: Scene, clause: Clause, bearer: Mention, name: Mention, wrong: tuple[str, ...] = ()) -> list[Fact]:
    """Return that somebody's somebody bears a name, under which they are known from then on, as under a wrong one."""
    label = name_case(name.node.label)
    present = replace(clause, tense=Tense.PAST if clause.prefix else Tense.PRESENT)
    relation, literal = bearer.relation, replace(name, node=Node(label, is_literal=True, pos="PROPN"))
    is_denied = name.is_denied or clause.polarity is Polarity.NEGATIVE
    if relation is None or is_denied:
        return write(scene, present, "hasName", literal, subject=bearer, phrase="be called", period=(None, None))
    predicate = relation.predicate or relation_of(relation.noun)
    # "My aunts are Rosa and Pina": neither is all of the aunts.
    aliases = (*wrong, bearer.node.label, *bearer.node.aliases) if relation.predicate else ()
    node = Node(label, bearer.node.kind, aliases, pos="PROPN")
    holder = Mention(relation.owner, bearer.tokens)
    known = replace(bearer, node=node, relation=replace(relation, is_named=True), is_proper=True)
    facts = write(scene, present, predicate, replace(name, node=node), subject=holder, phrase=relation.noun)
    return [*facts, *species(scene, clause, known)]


def _copula(scene: Scene, clause: Clause) -> list[Fact]:
    """Return "X is Y": a role, a place, an attitude, a kind, a quality."""
    tree, head = scene.tree, clause.head
    cases = " ".join(tree.low(node) for node in tree.children(head, "case"))
    if cases:
        predicate = predicate_of_phrase(f"be {cases}") or minted(f"be {cases}")
        if predicate == "beTo" and is_perfect(tree, head):
            predicate = "visited"
        clause = replace(clause, tense=Tense.PRESENT if predicate in _LIFELONG else clause.tense)
        values = [placed(value) for value in scene.mentions.read_all(head) if value.is_proper]
        predicate = {"beOn": "locatedOn", "beAt": "locatedAt"}.get(predicate, predicate)
        return [fact for value in values for fact in write(scene, clause, predicate, value, phrase=f"be {cases}")]
    owner = scene.mentions.owner_of(head)
    if owner is not None and tree.pos(head) == "NOUN":
        return _role_of(scene, clause, owner)
    if tree.pos(head) in ("ADJ", "VERB"):
        heads = [head, *(node for node in tree.children(head, "conj") if tree.pos(node) == "ADJ")]
        return [
            fact
            for node in heads
            if node == head or tree.child(node, "nsubj") is None
            for fact in _quality(scene, clause, node)
        ]
    if tree.pos(head) == "NUM" and tree.low(head).isdigit():
        years = Mention(Node(tree.low(head), is_literal=True, pos="NUM"), (head,))
        return write(scene, clause, "age", years, phrase="be")
    return [fact for value in scene.mentions.read_all(head) for fact in _noun(scene, clause, head, value)]


def _role_of(scene: Scene, clause: Clause, owner: Node) -> list[Fact]:
    """Return "Tom is my brother", "Blue is my favourite colour", "Ana is the owner of the shop"."""
    tree, head, facts = scene.tree, clause.head, list[Fact]()
    role = scene.mentions.read(head)
    relation = relation_of(tree.lemma(head))
    for subject in clause.subjects:
        value = replace(subject, tokens=(*subject.tokens, head))
        if relation and role is not None and role.relation is not None and clause.polarity is Polarity.POSITIVE:
            aliases = (*subject.node.aliases, role.node.label, *role.node.aliases)
            value = replace(
                value, node=replace(subject.node, kind=subject.node.kind or role.node.kind, aliases=aliases)
            )
        predicate = relation or attribute_predicate(scene, head)
        facts += write(scene, clause, predicate, value, subject=Mention(owner, (head,)), phrase=tree.lemma(head))
    return facts


def attribute_predicate(scene: Scene, noun: int) -> str:
    """Return the predicate of "my favourite colour", "my phone number", "the head teacher of the school"."""
    tree = scene.tree
    words = [tree.low(node) for node in tree.children(noun, "compound", "amod") if node < noun]
    plain = [word for word in words if word not in _FAVORITE and word not in ("new", "old", "current")]
    if set(words) & _FAVORITE:
        return favorite_of(" ".join([*plain, tree.lemma(noun)]))
    named = " ".join([*plain, tree.lemma(noun)])
    if named in _ATTRIBUTES:
        return _ATTRIBUTES[named]
    return named if named in PREDICATES else minted(" ".join(["has", *plain, tree.low(noun)]))


def _attribute(scene: Scene, clause: Clause) -> list[Fact]:
    """Return "my favourite colour is teal", "the owner of the shop is Ana", "my exam is on 3 June", "my flat is in Pune"."""
    tree, head, noun = scene.tree, clause.head, clause.attribute or 0
    if tree.child(head, "cop") is None and tree.pos(head) not in ("NOUN", "PROPN", "NUM"):
        return []
    predicate = attribute_predicate(scene, noun)
    dates = [time for time in scene.times if set(time.tokens) & set(tree.subtree(head))]
    if dates and (tree.child(head, "case") is not None or predicate == "birthDate" or head in dates[0].tokens):
        literal = Mention(Node(plain_date(dates[0].reference.words), is_literal=True), dates[0].tokens)
        name = predicate if predicate == "birthDate" else f"{predicate}Date"
        return write(scene, clause, name, literal, phrase=tree.lemma(noun), period=(None, None))
    if tree.child(head, "case") is not None:
        thing = Mention(
            Node(f"{clause.subjects[0].node.label}'s {tree.lemma(noun)}", lemma=tree.lemma(noun), pos="NOUN"), (noun,)
        )
        return _copula(scene, replace(clause, subjects=(thing,), attribute=None))
    values = scene.mentions.read_all(head)
    if predicate == "hasName":
        owners = [scene.mentions.read(node) for node in tree.children(noun, "nmod:poss", "nmod")]
        bearers = [owner for owner in owners if owner is not None] or list(clause.subjects)
        wrong = tuple(value.node.label for value in values if value.is_denied)
        right = [value for value in values if not value.is_denied]
        return [fact for bearer in bearers for value in right for fact in _called(scene, clause, bearer, value, wrong)]
    return [fact for value in values for fact in write(scene, clause, predicate, value, phrase=tree.lemma(noun))]


def _quality(scene: Scene, clause: Clause, head: int) -> list[Fact]:
    """Return "I'm allergic to nuts", "she's married to Al", "he isn't vegan"."""
    tree, word = scene.tree, scene.tree.low(head)
    if tree.words(head, "aux") & {"got", "get"}:
        clause = replace(clause, tense=Tense.PRESENT)
    for case, node in _phrases(scene, clause):
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
    is_passing = (
        is_perfect(tree, head)
        and tree.child(head, "cop") is None
        or word in TRANSIENT
        or tree.pos(head) != "ADJ"
        or tree.tag(head) in ("JJR", "JJS")
    )
    if is_passing or tree.children(head, "xcomp", "ccomp", "advcl") or clause.tense is not Tense.PRESENT:
        return []
    quality = Mention(Node(word, is_literal=True, lemma=tree.lemma(head), pos="ADJ"), (head,))
    return write(scene, clause, "hasQuality", quality, phrase="be", scale=0.8)


def _marital(scene: Scene, clause: Clause, head: int) -> list[Fact]:
    word = scene.tree.low(head)
    status = Mention(Node(MARITAL[word], is_literal=True, pos="ADJ"), (head,))
    facts = write(scene, clause, "maritalStatus", status, phrase="be")
    is_denied = clause.polarity is Polarity.NEGATIVE
    if clause.tense is Tense.PRESENT and (word == "married" if is_denied else word in WITHOUT_SPOUSE):
        facts += write(scene, clause, "spouse", ANY, polarity=Polarity.NEGATIVE, phrase=f"be {word}")
    return facts


def _noun(scene: Scene, clause: Clause, head: int, value: Mention) -> list[Fact]:
    """Return "Ana is a nurse", "my boss is Graham", "Nantes is a city in France"."""
    tree = scene.tree
    if value.is_proper and not tree.words(head, "det"):
        bearers = [subject for subject in clause.subjects if subject.relation and not subject.relation.is_named]
        return [fact for bearer in bearers for fact in _called(scene, clause, bearer, value)]
    facts = []
    if value.noun in OCCUPATIONS:
        facts += write(scene, clause, "worksAs", value, phrase="be")
    elif value.noun in ("vegetarian", "vegan"):
        quality = replace(value, node=Node(value.noun, is_literal=True, pos="ADJ"))
        facts += write(scene, clause, "hasQuality", quality, phrase="be")
    elif value.noun and tree.words(head, "det") & {"a", "an"} and clause.subjects[0].node.kind == "Animal":
        facts += write(scene, clause, "isA", value, phrase="be", scale=0.7)
    for case, node in obliques(scene, head):
        places = [place for place in scene.mentions.read_all(node) if place.is_proper]
        predicate = {"in": "locatedIn", "of": "memberOf"}.get(case, "") if value.noun not in OCCUPATIONS else ""
        predicate = "worksFor" if case in ("at", "for") and value.noun in OCCUPATIONS else predicate
        if predicate == "memberOf" and value.noun not in ("member", "part"):
            continue
        facts += [
            f for place in places if predicate for f in write(scene, clause, predicate, place, phrase=f"be {case}")
        ]
    return facts

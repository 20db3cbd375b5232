"""What a clause says as triples: its subject, a predicate by verb and preposition, and each of its values.

After PredPatt (White et al. 2016, "Universal Decompositional Semantics on Universal Dependencies"): predicates and arguments
are read off the relations of a parse, without a list of what may be said. The ontology's table names a predicate where it
knows the words; any other is minted of them.

Departures from PredPatt: "used to", "going to", "stopped" say how the verb below them is put; "my boss is Ana", "the owner of
the shop is Ana" and "we have a dog, Rex" are read as relations of their owners.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product

from memory.core.knowledge_graph.classes import LIVING
from memory.core.knowledge_graph.extraction.changes import begin_state, obliques, phrases_of
from memory.core.knowledge_graph.extraction.clauses import Clause, Scene, spoken_of, write
from memory.core.knowledge_graph.extraction.copulas import LIFELONG, read_attribute, read_copula
from memory.core.knowledge_graph.extraction.endings import read_ending
from memory.core.knowledge_graph.extraction.modality import is_perfect
from memory.core.knowledge_graph.extraction.names import called, species
from memory.core.knowledge_graph.extraction.people import Mention, placed
from memory.core.knowledge_graph.ontology import (
    PREDICATES,
    minted,
    predicate_named,
    predicate_of_phrase,
    relation_of,
)
from memory.core.knowledge_graph.update import ANY
from memory.core.types import Fact, Modality, Polarity, Tense

_CEASING = frozenset({"stop", "quit", "cease", "give"})
_GOING_ON = frozenset({"start", "begin", "continue", "keep"})
_HAVING = frozenset({"have", "get", "own", "buy", "adopt", "purchase", "acquire", "inherit"})
# Verbs that say nothing without the words around them: no predicate is minted from them.
_LIGHT = frozenset(
    "be have do get go come take give let see say tell talk ask think know mean help try feel look seem want need keep "
    "put show happen call hear wait hope stay turn send bring leave start begin stop become spend".split()
)
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
        return read_attribute(scene, clause)
    if tree.child(head, "cop") is not None or tree.pos(head) not in ("VERB", "AUX"):
        return read_copula(scene, clause)
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
    phrases = phrases_of(scene, clause)
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
    nodes = [node for case, node in obliques(scene, clause.head) if case == "by"]
    doers = [
        doer for node in nodes for doer in scene.mentions.read_all(node) if doer.is_proper or doer.relation is not None
    ]
    things = [done for done in clause.subjects if done.node.kind not in LIVING and not done.node.is_speaker]
    predicate = predicate_of_phrase(stem) or minted(stem)
    return [
        fact
        for doer, done in product(doers, things)
        for fact in write(scene, clause, predicate, done, subject=doer, phrase=stem, period=(None, None))
    ]


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
        if predicate in LIFELONG:
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
        relation, is_name = relation_of(tree.lemma(head)), head != node and tree.pos(head) == "PROPN"
        if not relation or scene.mentions.has_owner(head) and not is_no or is_name:
            continue
        if is_no or "no" in tree.words(head, "det"):
            denied = replace(clause, polarity=Polarity.NEGATIVE)
            facts += write(scene, denied, relation, ANY, phrase="have")
        else:
            values = scene.mentions.read_all(head, owner=namer.node)
            named = [value for value in values if value.relation is not None and value.relation.is_named]
            one = None if tree.tag(head) == "NNS" else scene.mentions.introduced(head, owner=namer.node)
            for value in named or ([one] if one is not None else []):
                had = write if clause.tense is Tense.PAST and stem == "have" else begin_state
                for owner in clause.subjects:
                    facts += had(scene, clause, relation, value, phrase=stem, subject=owner)
                facts += species(scene, clause, value)
    return facts


def _naming(scene: Scene, clause: Clause) -> list[Fact]:
    """Return "my dog is called Biscuit", "we named our son Leo", "it's called Ferncastle"."""
    tree, head = scene.tree, clause.head
    names = [node for node in tree.children(head, "xcomp", "obj", "obl") if tree.child(node, "case") is None]
    named = [value for node in names[-1:] for value in scene.mentions.read_all(node)]
    bearers = list(clause.subjects)
    told = next(iter(scene.earlier[-1:]), None)
    if told is not None and named and bearers and bearers[0].node == told.object and told.object.pos == "NOUN":
        node = replace(told.object, label=named[0].node.label, lemma="", pos="PROPN")
        return [replace(told, object=node, span=scene.tree.span([head, *named[0].tokens]))]
    if tree.child(head, "nsubj:pass", "aux:pass") is None and not _is_passive(scene, head):
        held = tree.children(head, "obj", "iobj")
        bearers = [value for node in held if node != names[-1] for value in scene.mentions.read_all(node)]
    facts = []
    for bearer in bearers:
        for name in named[:1] if bearer.relation is None or bearer.relation.predicate else named:
            facts += called(scene, clause, bearer, name)
    return facts

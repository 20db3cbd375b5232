"""Marrying, getting engaged, parting, dying: what begins and ends between two people."""

from __future__ import annotations

from dataclasses import replace

from memory.core.knowledge_graph.extraction.changes import TENTATIVE, begin_state, end_state, obliques
from memory.core.knowledge_graph.extraction.clauses import Clause, Scene, event_start, write
from memory.core.knowledge_graph.extraction.people import Mention
from memory.core.knowledge_graph.ontology import relation_of
from memory.core.knowledge_graph.replacement import one_of
from memory.core.knowledge_graph.update import ANY
from memory.core.knowledge_graph.vocabulary import PETS
from memory.core.types import Fact, Modality, Node, Polarity, Tense

# Whom somebody has no more after a death; a sister stays a sister.
_MOURNED = one_of("spouse", *sorted({relation_of(noun) for noun in PETS}))
# What binds a couple; somebody is called by one of these while they are one.
PARTNERS = ("spouse", "hasPartner", "hasGirlfriend", "hasBoyfriend", "hasFiance")


def read_marriage(scene: Scene, clause: Clause) -> list[Fact]:
    tree, facts = scene.tree, []
    nodes = tree.children(clause.head, "obj") + [node for prep, node in obliques(scene, clause.head) if prep == "to"]
    for node in nodes:
        for partner in scene.mentions.read_all(node):
            if partner.is_proper or partner.relation is not None:
                facts += begin_state(
                    scene, clause, "spouse", replace(partner, node=replace(partner.node, kind="Person")), "marry"
                )
    if not facts:
        facts += _married_to_each_other(scene, clause)
    return facts + begin_state(scene, clause, "maritalStatus", _status(clause, "married"), "marry")


def _status(clause: Clause, word: str) -> Mention:
    return Mention(Node(word, is_literal=True, pos="ADJ"), (clause.head,))


def _married_to_each_other(scene: Scene, clause: Clause) -> list[Fact]:
    """Return the marriage of "Paul and I got married"; "my sister and I" each marry somebody else."""
    others = [subject for subject in clause.subjects if not subject.node.is_speaker]
    own = [subject for subject in clause.subjects if subject.node.is_speaker]
    if len(own) != 1 or len(others) != 1:
        return []
    relation = others[0].relation
    if relation is not None and relation.predicate not in PARTNERS[1:]:
        return []
    return begin_state(scene, clause, "spouse", others[0], "marry", subject=own[0])


def read_engagement(scene: Scene, clause: Clause) -> list[Fact] | None:
    facts = []
    for preposition, node in obliques(scene, clause.head):
        for partner in scene.mentions.read_all(node) if preposition == "to" else ():
            if partner.is_proper or partner.relation is not None:
                facts += begin_state(scene, clause, "hasFiance", partner, "get engaged to")
    if not facts and scene.tree.child(clause.head, "obl", "obj", "nmod") is not None and not clause.times:
        return None
    return facts + begin_state(scene, clause, "maritalStatus", _status(clause, "engaged"), "get engaged")


def read_parting(scene: Scene, clause: Clause) -> list[Fact] | None:
    """Read "we broke up", "my boyfriend left me", "my brother and his wife got divorced", "I divorced Tom"."""
    tree = scene.tree
    lemma = tree.lemma(clause.head)
    particles = {tree.low(node) for node in tree.children(clause.head, "compound:prt", "advmod", "obl", "case")}
    if lemma in ("break", "split") and "up" not in particles:
        return None
    is_divorce = lemma == "divorce" or tree.low(clause.head) == "divorced"
    ended = [s for s in clause.subjects if s.relation is not None and s.relation.predicate in PARTNERS]
    ended += [partner for partner in _left(scene, clause) if partner.relation is not None]
    facts: list[Fact] = []
    for partner in ended:
        if partner.relation is not None and partner.relation.predicate in PARTNERS:
            owner = Mention(partner.relation.owner, partner.tokens)
            facts += end_state(scene, clause, partner.relation.predicate, ANY, lemma, subject=owner)
    parted = [s for s in clause.subjects if s not in ended] or [
        Mention(one.relation.owner, one.tokens) for one in ended if one.relation is not None
    ]
    for one in parted:
        if lemma != "break" and clause.polarity is Polarity.POSITIVE:
            word = "divorced" if is_divorce else "separated"
            facts += begin_state(scene, clause, "maritalStatus", _status(clause, word), lemma, subject=one)
        if one.node.label not in {fact.subject.label for fact in facts if fact.predicate in PARTNERS}:
            # A divorce ends a marriage; who breaks up ends whichever of these there is.
            for predicate in PARTNERS[:1] if is_divorce else PARTNERS:
                scale = 1.0 if is_divorce else TENTATIVE
                facts += end_state(scene, clause, predicate, ANY, lemma, scale, subject=one)
    return facts


def _left(scene: Scene, clause: Clause) -> list[Mention]:
    """Return whom somebody parts from: "I broke up with my boyfriend", "I divorced my husband"."""
    nodes = scene.tree.children(clause.head, "obj")
    nodes += [node for preposition, node in obliques(scene, clause.head) if preposition in ("with", "from", "up with")]
    return [partner for node in nodes for partner in scene.mentions.read_all(node)]


def read_death(scene: Scene, clause: Clause) -> list[Fact] | None:
    """Read "my grandmother passed away", "my dog died": who is dead is a pet or a spouse no more."""
    tree = scene.tree
    is_death = tree.lemma(clause.head) == "die" or "away" in {tree.low(n) for n in tree.children(clause.head)}
    if not is_death or clause.tense is Tense.FUTURE:
        return None
    value = Mention(Node("dead", is_literal=True, pos="ADJ"), (clause.head,))
    return [
        fact
        for subject in clause.subjects
        if not subject.node.is_speaker
        for fact in [
            *bereavement(scene, clause, subject),
            *begin_state(scene, clause, "hasQuality", value, "die", subject=subject),
        ]
    ]


def bereavement(scene: Scene, clause: Clause, lost: Mention) -> list[Fact]:
    """Return that a pet or a spouse, now dead, was one."""
    relation = lost.relation
    if clause.polarity is Polarity.NEGATIVE:
        return []
    if relation is None:
        own = Mention(scene.speaker, lost.tokens)
        denied = Polarity.NEGATIVE
        return write(scene, clause, _MOURNED, lost, subject=own, phrase="die", tense=Tense.PRESENT, polarity=denied)
    if lost.node.kind != "Animal" and relation.predicate not in PARTNERS:
        return []
    owner = Mention(relation.owner, lost.tokens)
    end = event_start(clause) or scene.said_at
    return write(
        scene,
        clause,
        relation.predicate,
        lost,
        subject=owner,
        phrase="used to have",
        tense=Tense.PAST,
        polarity=Polarity.POSITIVE,
        period=(None, end),
    )


def with_former_partners(_: Scene, facts: list[Fact]) -> list[Fact]:
    """Return the facts with what ends where somebody is called an ex: "Ana is my ex now"."""
    ended = []
    for fact in facts:
        if fact.predicate != "hasEx" or fact.polarity is Polarity.NEGATIVE or fact.modality is not Modality.ASSERTED:
            continue
        ended.append(replace(fact, predicate=one_of(*PARTNERS), polarity=Polarity.NEGATIVE))
    return [*facts, *ended]

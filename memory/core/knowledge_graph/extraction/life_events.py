"""Verbs that change somebody's state: moving, hiring, quitting, marrying, parting, being born, acquiring, losing."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from memory.core.knowledge_graph.extraction.ages import WORD_NUMBERS
from memory.core.knowledge_graph.extraction.attributes import date_value
from memory.core.knowledge_graph.extraction.belongings import read_acquisition, read_loss
from memory.core.knowledge_graph.extraction.changes import TENTATIVE, begin_state, end_state, obliques, result_tense
from memory.core.knowledge_graph.extraction.clauses import Clause, Scene, event_start, write
from memory.core.knowledge_graph.extraction.people import Mention, name_case, placed
from memory.core.knowledge_graph.extraction.relations import relation_facts
from memory.core.knowledge_graph.extraction.work_events import (
    read_becoming,
    read_dismissal,
    read_joining,
    read_leaving,
    read_new_job,
    read_retirement,
)
from memory.core.knowledge_graph.ontology import relation_of
from memory.core.knowledge_graph.update import ANY
from memory.core.types import Fact, Node, Polarity, Tense

_ACQUIRED = frozenset({"buy", "purchase", "adopt", "get", "acquire", "inherit", "own", "have"})


_LOST = frozenset({"sell", "lose", "donate", "return"})


def read_life_event(scene: Scene, clause: Clause) -> list[Fact] | None:
    """Return the facts of a clause whose verb changes a state, or None where its verb is none of these."""
    lemma = scene.tree.lemma(clause.head)
    if scene.tree.low(clause.head) == "born":
        return _born(scene, clause)
    reading = _READINGS.get(lemma)
    return reading(scene, clause) if reading is not None else None


def _moved(scene: Scene, clause: Clause) -> list[Fact] | None:
    if scene.tree.child(clause.head, "obj") is not None or clause.polarity is Polarity.NEGATIVE:
        return []
    facts = []
    arrivals = ("in", "down in") if scene.tree.lemma(clause.head) == "settle" else ("to", "into", "over to", "back to")
    particles = {scene.tree.low(node) for node in scene.tree.children(clause.head, "compound:prt", "advmod")}
    for preposition, node in obliques(scene, clause.head):
        for place in scene.mentions.read_all(node):
            if preposition in arrivals and place.is_proper:
                facts += begin_state(scene, clause, "livesIn", placed(place), "move to")
            elif preposition in ("from", "out of") and place.is_proper and result_tense(scene, clause) is Tense.PRESENT:
                end = event_start(clause) or scene.said_at
                facts += write(
                    scene, clause, "livesIn", placed(place), phrase="move from", tense=Tense.PAST, period=(None, end)
                )
            elif preposition == "with" and "in" in particles:
                facts += begin_state(scene, clause, "livesWith", place, "move in with")
    # What is left comes first, so that in one sentence the new home is the last word.
    return sorted(facts, key=lambda fact: fact.tense is not Tense.PAST)


def _married(scene: Scene, clause: Clause) -> list[Fact] | None:
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
    status = Mention(Node("married", is_literal=True, pos="ADJ"), (clause.head,))
    return facts + begin_state(scene, clause, "maritalStatus", status, "marry")


def _married_to_each_other(scene: Scene, clause: Clause) -> list[Fact]:
    """Return the marriage of "Paul and I got married"; "my sister and I" each marry somebody else."""
    others = [subject for subject in clause.subjects if not subject.node.is_speaker]
    own = [subject for subject in clause.subjects if subject.node.is_speaker]
    if len(own) != 1 or len(others) != 1:
        return []
    relation = others[0].relation
    if relation is not None and relation.predicate not in ("hasPartner", "hasGirlfriend", "hasBoyfriend", "hasFiance"):
        return []
    return begin_state(scene, clause, "spouse", others[0], "marry", subject=own[0])


def _engaged(scene: Scene, clause: Clause) -> list[Fact] | None:
    facts = []
    for preposition, node in obliques(scene, clause.head):
        for partner in scene.mentions.read_all(node) if preposition == "to" else ():
            if partner.is_proper or partner.relation is not None:
                facts += begin_state(scene, clause, "hasFiance", partner, "get engaged to")
    if not facts and scene.tree.child(clause.head, "obl", "obj", "nmod") is not None and not clause.times:
        return None
    status = Mention(Node("engaged", is_literal=True, pos="ADJ"), (clause.head,))
    return facts + begin_state(scene, clause, "maritalStatus", status, "get engaged")


def _parted(scene: Scene, clause: Clause) -> list[Fact] | None:
    tree = scene.tree
    lemma = tree.lemma(clause.head)
    particles = {tree.low(node) for node in tree.children(clause.head, "compound:prt", "advmod")}
    if lemma in ("break", "split") and "up" not in particles:
        return None
    partners = [s for s in clause.subjects if s.relation is not None and s.relation.predicate]
    if partners:
        # "My boyfriend broke up with me" parts him from whom he belonged to.
        return [
            fact
            for partner in partners
            if partner.relation is not None
            for fact in end_state(
                scene,
                clause,
                partner.relation.predicate,
                ANY,
                lemma,
                subject=Mention(partner.relation.owner, partner.tokens),
            )
        ]
    status = Mention(
        Node("divorced" if lemma.startswith("divorce") else "single", is_literal=True, pos="ADJ"), (clause.head,)
    )
    facts = [] if lemma == "break" else begin_state(scene, clause, "maritalStatus", status, lemma)
    # A divorce ends a marriage; who breaks up ends whichever of these there is.
    if lemma == "divorce":
        return facts + end_state(scene, clause, "spouse", ANY, lemma)
    for predicate in ("spouse", "hasPartner", "hasGirlfriend", "hasBoyfriend", "hasFiance"):
        facts += end_state(scene, clause, predicate, ANY, lemma, TENTATIVE)
    return facts


def _born(scene: Scene, clause: Clause) -> list[Fact]:
    facts = []
    born = replace(clause, tense=Tense.PRESENT)
    for preposition, node in obliques(scene, clause.head):
        if preposition == "in":
            for place in scene.mentions.read_all(node):
                if place.is_proper:
                    facts += write(scene, born, "bornIn", placed(place), phrase="be born in", period=(None, None))
    for time in clause.times or scene.times:
        if not time.starts:
            value = Mention(Node(date_value(time.text), is_literal=True), time.tokens)
            if re.search(
                r"\d|january|february|april|june|july|august|september|october|november|december", time.text.lower()
            ):
                facts += write(scene, born, "birthDate", value, phrase="be born on", period=(None, None))
    return facts


def _turned(scene: Scene, clause: Clause) -> list[Fact] | None:
    tree = scene.tree
    for node in tree.children(clause.head, "obj", "xcomp", "obl"):
        years = WORD_NUMBERS.get(tree.low(node), tree.low(node))
        if re.fullmatch(r"\d{1,3}", years) and clause.polarity is Polarity.POSITIVE:
            value = Mention(Node(years, is_literal=True, pos="NUM"), (node,))
            return write(
                scene,
                clause,
                "age",
                value,
                phrase="turn",
                tense=result_tense(scene, clause),
                period=(event_start(clause), None),
            )
    return None


def _died(scene: Scene, clause: Clause) -> list[Fact] | None:
    tree = scene.tree
    is_death = tree.lemma(clause.head) == "die" or "away" in {tree.low(n) for n in tree.children(clause.head)}
    if not is_death or clause.tense is Tense.FUTURE:
        return None
    value = Mention(Node("dead", is_literal=True, pos="ADJ"), (clause.head,))
    return [
        fact
        for subject in clause.subjects
        if not subject.node.is_speaker
        for fact in begin_state(scene, clause, "hasQuality", value, "die", subject=subject)
    ]


def _renamed(scene: Scene, clause: Clause) -> list[Fact] | None:
    """Read "I changed my name to Alex", "my wife changed her surname to Ito"."""
    tree = scene.tree
    for node in tree.children(clause.head, "obj"):
        predicate = {"name": "hasName", "surname": "hasSurname", "nickname": "hasNickname"}.get(tree.lemma(node), "")
        if predicate == "hasName" and tree.words(node, "amod", "compound") & {"last", "family"}:
            predicate = "hasSurname"
        owner = scene.mentions.owner_of(node)
        if not predicate or owner is None:
            continue
        names = [
            m
            for preposition, n in obliques(scene, clause.head)
            if preposition == "to"
            for m in [scene.mentions.read(n)]
        ]
        return [
            fact
            for name in names
            if name is not None
            for fact in begin_state(
                scene,
                clause,
                predicate,
                replace(name, node=Node(name_case(name.node.label), is_literal=True, pos="PROPN")),
                "change name to",
                subject=Mention(owner, (node,)),
            )
        ]
    return None


def _named(scene: Scene, clause: Clause) -> list[Fact] | None:
    """Read "my dog is called Biscuit", "we named our son Leo", "everybody calls me Al"."""
    tree, head = scene.tree, clause.head
    names = [
        node
        for node in tree.children(head, "xcomp", "obj", "obl")
        if tree.pos(node) in ("PROPN", "NOUN", "X") and not any(case < node for case in tree.children(node, "case"))
    ]
    is_passive = tree.child(head, "nsubj:pass", "aux:pass") is not None
    if not names or names == tree.children(head, "obj") and not is_passive:
        named = [m for node in tree.children(head, "obj") for m in scene.mentions.read_all(node)]
        return relation_facts(
            scene, [m for m in named if m.relation is not None and m.relation.is_named], modality=clause.modality
        )
    name = name_case(tree.words_of(scene.mentions.phrase_tokens(names[-1])))
    literal = Mention(Node(name, is_literal=True, pos="PROPN"), (names[-1],))
    if is_passive:
        holders = list(clause.subjects)
    else:
        held = [node for node in tree.children(head, "obj", "iobj") if node != names[-1]]
        holders = [m for node in held for m in [scene.mentions.read(node)] if m is not None]
        if holders and holders[0].node.is_speaker:
            return write(
                scene,
                clause,
                "hasNickname",
                literal,
                subject=holders[0],
                phrase="call",
                tense=Tense.PRESENT,
                period=(None, None),
            )
    if holders and holders[0].relation is not None and not holders[0].relation.predicate:
        return _named_group(scene, clause, holders[0], names[-1])
    facts = []
    present = replace(
        clause, tense=Tense.PRESENT if is_passive and clause.tense is not Tense.PAST or not is_passive else clause.tense
    )
    for holder in holders:
        bearer = holder
        if holder.relation is not None:
            node = replace(holder.node, label=name, aliases=(holder.node.label, *holder.node.aliases), pos="PROPN")
            bearer = replace(holder, node=node, is_proper=True, relation=replace(holder.relation, is_named=True))
            facts += relation_facts(scene, [bearer], modality=clause.modality)
        facts += write(scene, present, "hasName", literal, subject=bearer, phrase="be called", period=(None, None))
    return facts


def _named_group(scene: Scene, clause: Clause, group: Mention, names: int) -> list[Fact]:
    """Return the members of "my kids are named Ann and Joe"."""
    if group.relation is None:
        return []
    owner = Mention(group.relation.owner, group.tokens)
    return [
        fact
        for name in scene.mentions.read_all(names)
        for fact in write(
            scene, replace(clause, tense=Tense.PRESENT), relation_of(group.noun), name, subject=owner, phrase=group.noun
        )
    ]


def read_nickname(scene: Scene, head: int) -> list[Fact]:
    """Return the nickname in "call me Al", whoever is told to."""
    tree = scene.tree
    objects = tree.children(head, "obj", "iobj", "xcomp")
    if tree.lemma(head) != "call" or [tree.low(node) for node in objects[:1]] != ["me"] or len(objects) < 2:
        return []
    if tree.pos(objects[1]) != "PROPN" or tree.text.rstrip().endswith("?"):
        return []
    name = Node(name_case(tree.tokens[objects[1]].text), is_literal=True, pos="PROPN")
    return [Fact(scene.speaker, "hasNickname", name, tree.span([head, *objects[:2]]), confidence=0.8, phrase="call")]


def _got(scene: Scene, clause: Clause) -> list[Fact] | None:
    """Read "got married", "got divorced", and else what somebody got."""
    tree = scene.tree
    for node in tree.children(clause.head, "xcomp", "ccomp", "advcl"):
        if tree.low(node) == "married":
            return _married(scene, clause.at(node))
        if tree.low(node) == "divorced":
            return _parted(scene, clause.at(node))
    return read_acquisition(scene, clause)


_READINGS: dict[str, Callable[[Scene, Clause], list[Fact] | None]] = {
    "move": _moved,
    "relocate": _moved,
    "settle": _moved,
    "emigrate": _moved,
    "immigrate": _moved,
    "leave": read_leaving,
    "quit": read_leaving,
    "resign": read_leaving,
    "fire": read_dismissal,
    "lay": read_dismissal,
    "sack": read_dismissal,
    "retire": read_retirement,
    "marry": _married,
    "engage": _engaged,
    "change": _renamed,
    "wed": _married,
    "divorce": _parted,
    "break": _parted,
    "split": _parted,
    "start": read_new_job,
    "begin": read_new_job,
    "land": read_new_job,
    "accept": read_new_job,
    "take": read_new_job,
    "join": read_joining,
    "become": read_becoming,
    "turn": _turned,
    "die": _died,
    "pass": _died,
    "call": _named,
    "name": _named,
    **dict.fromkeys(_ACQUIRED, read_acquisition),
    "get": _got,
    **dict.fromkeys(_LOST, read_loss),
}

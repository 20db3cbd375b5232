"""Verbs that change somebody's state: moving, hiring, quitting, marrying, parting, being born, acquiring, losing."""

from __future__ import annotations

import re
from dataclasses import replace

from memory.core.english.numbers import in_digits
from memory.core.english.telling_times import plain_date
from memory.core.knowledge_graph.extraction.belongings import read_acquisition, read_loss
from memory.core.knowledge_graph.extraction.changes import begin_state, obliques, result_tense
from memory.core.knowledge_graph.extraction.clauses import Clause, Scene, event_start, write
from memory.core.knowledge_graph.extraction.partnership import (
    read_death,
    read_engagement,
    read_marriage,
    read_parting,
)
from memory.core.knowledge_graph.extraction.people import Mention, name_case, placed
from memory.core.knowledge_graph.extraction.relations import relation_facts
from memory.core.knowledge_graph.extraction.rules import EventRule
from memory.core.knowledge_graph.extraction.work_events import (
    read_becoming,
    read_dismissal,
    read_dropping_out,
    read_finishing,
    read_joining,
    read_leaving,
    read_new_job,
    read_retirement,
)
from memory.core.knowledge_graph.ontology import relation_of
from memory.core.types import Fact, Node, Polarity, Tense

_ACQUIRED = frozenset({"buy", "purchase", "adopt", "get", "acquire", "inherit", "own", "have"})


_LOST = frozenset({"sell", "lose", "donate", "return", "cancel", "give", "rehome", "put", "scrap", "throw"})


def read_life_event(scene: Scene, clause: Clause) -> list[Fact] | None:
    """Return the facts of a clause whose verb changes a state, or None where its verb is none of these."""
    lemma = scene.tree.lemma(clause.head)
    if clause.prefix and lemma not in _ACQUIRED:
        return None
    reading = scene.rules.event_of(lemma)
    return reading(scene, clause) if reading is not None else None


def read_move(scene: Scene, clause: Clause) -> list[Fact] | None:
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
                facts += _dwelling(scene, clause, node)
            elif preposition in arrivals and place.noun in _DWELLINGS:
                facts += _dwelling(scene, clause, node)
    # What is left comes first, so that in one sentence the new home is the last word.
    return sorted(facts, key=lambda fact: fact.tense is not Tense.PAST)


# Places to live that somebody moves to; a name after "in" says where that is.
_DWELLINGS = frozenset(
    "home house flat apartment studio place room cottage farm farmhouse villa dorm hostel houseshare flatshare bungalow "
    "village town suburb city houseboat care hospice block condo cabin loft".split()
)


def _dwelling(scene: Scene, clause: Clause, node: int) -> list[Fact]:
    """Return the town in "moved to a care home in Zwolle", "moved in with her sister in Cork"."""
    tree = scene.tree
    places = [inner for inner in tree.children(node, "nmod") if tree.words(inner, "case") & {"in", "near", "outside"}]
    return [
        fact
        for inner in places
        for place in scene.mentions.read_all(inner)
        if place.is_proper
        for fact in begin_state(scene, clause, "livesIn", placed(place), "move to")
    ]


def read_birth(scene: Scene, clause: Clause) -> list[Fact] | None:
    """Read "I was born in Oslo on 3 May 1990"."""
    if scene.tree.low(clause.head) != "born":
        return None
    facts = []
    born = replace(clause, tense=Tense.PRESENT)
    for preposition, node in obliques(scene, clause.head):
        if preposition == "in":
            for place in scene.mentions.read_all(node):
                if place.is_proper:
                    facts += write(scene, born, "bornIn", placed(place), phrase="be born in", period=(None, None))
    for time in clause.times or scene.times:
        if not time.reference.starts and time.reference.is_dated:
            value = Mention(Node(plain_date(time.reference.words), is_literal=True), time.tokens)
            facts += write(scene, born, "birthDate", value, phrase="be born on", period=(None, None))
    return facts


def read_turning(scene: Scene, clause: Clause) -> list[Fact] | None:
    tree = scene.tree
    for node in tree.children(clause.head, "obj", "xcomp", "obl"):
        years = in_digits(tree.low(node))
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


def read_renaming(scene: Scene, clause: Clause) -> list[Fact] | None:
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


def read_naming(scene: Scene, clause: Clause) -> list[Fact] | None:
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


def read_getting(scene: Scene, clause: Clause) -> list[Fact] | None:
    """Read "got married", "got divorced", and else what somebody got."""
    tree = scene.tree
    for node in tree.children(clause.head, "xcomp", "ccomp", "advcl"):
        if tree.low(node) == "married":
            return read_marriage(scene, clause.at(node))
        if tree.low(node) == "divorced":
            return read_parting(scene, clause.at(node))
    return read_acquisition(scene, clause)


EVENTS = (
    EventRule(read_move, frozenset({"move", "relocate", "settle", "emigrate", "immigrate"})),
    EventRule(read_dropping_out, frozenset({"drop"})),
    EventRule(read_finishing, frozenset({"finish", "complete", "graduate"})),
    EventRule(read_leaving, frozenset({"leave", "quit", "resign"})),
    EventRule(read_dismissal, frozenset({"fire", "lay", "sack"})),
    EventRule(read_retirement, frozenset({"retire"})),
    EventRule(read_marriage, frozenset({"marry", "wed"})),
    EventRule(read_engagement, frozenset({"engage"})),
    EventRule(read_renaming, frozenset({"change"})),
    EventRule(read_parting, frozenset({"divorce", "separate", "break", "split"})),
    EventRule(read_new_job, frozenset({"start", "begin", "land", "accept", "take"})),
    EventRule(read_joining, frozenset({"join"})),
    EventRule(read_becoming, frozenset({"become"})),
    EventRule(read_turning, frozenset({"turn"})),
    EventRule(read_death, frozenset({"die", "pass"})),
    EventRule(read_naming, frozenset({"call", "name"})),
    EventRule(read_getting, frozenset({"get"})),
    EventRule(read_acquisition, _ACQUIRED - {"get"}),
    EventRule(read_loss, _LOST),
)

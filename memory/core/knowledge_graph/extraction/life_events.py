"""Verbs that change somebody's state: moving, hiring, quitting, marrying, parting, being born, acquiring, losing."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from memory.core.knowledge_graph.extraction.attributes import date_value
from memory.core.knowledge_graph.extraction.clauses import Clause, Scene, event_start, write
from memory.core.knowledge_graph.extraction.copulas import WORD_NUMBERS, is_occupation
from memory.core.knowledge_graph.extraction.mentions import Mention, name_case
from memory.core.knowledge_graph.extraction.modality import is_progressive
from memory.core.knowledge_graph.extraction.relations import relation_facts
from memory.core.knowledge_graph.ontology import number_of, relation_of
from memory.core.knowledge_graph.update import ANY
from memory.core.types import Fact, Node, Polarity, Tense

# A denial that may not apply: kept only where it ends something ("I left Paris" says nothing of an employer).
TENTATIVE = 0.4
_JOBS = frozenset({"job", "position", "role", "gig", "internship", "work"})
_ACQUIRED = frozenset({"buy", "purchase", "adopt", "get", "acquire", "inherit", "own", "have"})
_LOST = frozenset({"sell", "lose", "donate", "return"})


def read_life_event(scene: Scene, clause: Clause) -> list[Fact] | None:
    """Return the facts of a clause whose verb changes a state, or None where its verb is none of these."""
    lemma = scene.tree.lemma(clause.head)
    if scene.tree.low(clause.head) == "born":
        return _born(scene, clause)
    reading = _READINGS.get(lemma)
    return reading(scene, clause) if reading is not None else None


def obliques(scene: Scene, head: int) -> list[tuple[str, int]]:
    """Return (preposition, node) for each prepositional phrase of a verb that is no date, also those hung on its object."""
    tree = scene.tree
    timed = {token for time in scene.times for token in time.tokens}
    nodes = tree.children(head, "obl", "nmod")
    nodes += [
        inner
        for obj in tree.children(head, "obj")
        for inner in tree.children(obj, "nmod")
        if not tree.is_dep(inner, "nmod:poss")
    ]
    nodes += [
        inner
        for node in list(nodes)
        for inner in tree.children(node, "nmod")
        if not tree.is_dep(inner, "nmod:poss") and not tree.words(inner, "case") & {"of"}
    ]
    found = []
    for node in nodes:
        cases = [tree.low(case) for case in tree.children(node, "case") if case < node]
        if cases and node not in timed:
            found.append((" ".join(cases), node))
    return found


def result_tense(scene: Scene, clause: Clause) -> Tense:
    """Return the tense of the state that an event brings: it holds now if the event is past, later if it is planned."""
    is_planned = clause.tense is Tense.FUTURE or is_progressive(scene.tree, clause.head)
    is_planned = is_planned or clause.anchor != clause.head and is_progressive(scene.tree, clause.anchor)
    return Tense.FUTURE if is_planned else Tense.PRESENT


def _state(scene: Scene, clause: Clause, predicate: str, value: Mention, phrase: str, **changes: object) -> list[Fact]:
    return write(
        scene,
        clause,
        predicate,
        value,
        phrase=phrase,
        tense=result_tense(scene, clause),
        period=(event_start(clause), None),
        **changes,
    )  # type: ignore[arg-type]


def _end(
    scene: Scene,
    clause: Clause,
    predicate: str,
    value: Mention | Node,
    phrase: str,
    scale: float = 1.0,
    subject: Mention | None = None,
) -> list[Fact]:
    if clause.polarity is Polarity.NEGATIVE or result_tense(scene, clause) is Tense.FUTURE:
        return []
    return write(
        scene,
        clause,
        predicate,
        value,
        phrase=phrase,
        tense=Tense.PRESENT,
        polarity=Polarity.NEGATIVE,
        period=(event_start(clause), None),
        scale=scale,
        subject=subject,
    )


def _place(mention: Mention) -> Mention:
    return replace(mention, node=replace(mention.node, kind="Place"))


def _moved(scene: Scene, clause: Clause) -> list[Fact] | None:
    if scene.tree.child(clause.head, "obj") is not None or clause.polarity is Polarity.NEGATIVE:
        return []
    facts = []
    particles = {scene.tree.low(node) for node in scene.tree.children(clause.head, "compound:prt", "advmod")}
    for preposition, node in obliques(scene, clause.head):
        for place in scene.mentions.read_all(node):
            if preposition in ("to", "into", "over to", "back to") and place.is_proper:
                facts += _state(scene, clause, "livesIn", _place(place), "move to")
            elif preposition in ("from", "out of") and place.is_proper and result_tense(scene, clause) is Tense.PRESENT:
                end = event_start(clause) or scene.said_at
                facts += write(
                    scene, clause, "livesIn", _place(place), phrase="move from", tense=Tense.PAST, period=(None, end)
                )
            elif preposition == "with" and "in" in particles:
                facts += _state(scene, clause, "livesWith", place, "move in with")
    # What is left comes first, so that in one sentence the new home is the last word.
    return sorted(facts, key=lambda fact: fact.tense is not Tense.PAST)


def _left(scene: Scene, clause: Clause) -> list[Fact] | None:
    tree, head, facts = scene.tree, clause.head, []
    lemma = tree.lemma(head)
    objects = tree.children(head, "obj")
    targets = [node for preposition, node in obliques(scene, head) if preposition in ("from", "at", "as")]
    for node in objects:
        if tree.lemma(node) in _JOBS or tree.lemma(node) in ("company", "firm", "employer"):
            places = [place for target in targets for place in scene.mentions.read_all(target) if place.is_proper]
            for place in places:
                facts += _end(scene, clause, "worksFor", place, lemma)
            if not places:
                facts += _end(scene, clause, "worksFor", ANY, lemma) + _end(scene, clause, "worksAs", ANY, lemma)
        elif tree.pos(node) == "PROPN":
            for thing in scene.mentions.read_all(node):
                facts += _end(scene, clause, "worksFor", thing, lemma, TENTATIVE)
                facts += _end(scene, clause, "livesIn", thing, lemma, TENTATIVE)
                facts += _end(scene, clause, "studiesAt", thing, lemma, TENTATIVE)
    if not objects and lemma in ("quit", "resign"):
        places = [place for target in targets for place in scene.mentions.read_all(target) if place.is_proper]
        for place in places:
            facts += _end(scene, clause, "worksFor", place, lemma)
        if not places and tree.child(head, "xcomp") is None:
            facts += _end(scene, clause, "worksFor", ANY, lemma)
    return facts if facts or lemma == "leave" or lemma == "resign" else None


def _fired(scene: Scene, clause: Clause) -> list[Fact] | None:
    tree = scene.tree
    is_passive = (
        tree.child(clause.head, "aux:pass", "nsubj:pass") is not None or tree.lemma(tree.head(clause.head)) == "get"
    )
    if not is_passive:
        return None
    places = [
        p
        for prep, node in obliques(scene, clause.head)
        if prep in ("from", "by", "at")
        for p in scene.mentions.read_all(node)
    ]
    return [
        fact
        for place in [*places, *([] if places else [ANY])]
        for fact in _end(scene, clause, "worksFor", place, tree.lemma(clause.head))
    ]


def _retired(scene: Scene, clause: Clause) -> list[Fact] | None:
    facts = _end(scene, clause, "worksFor", ANY, "retire")
    value = Mention(Node("retired", is_literal=True, pos="ADJ"), (clause.head,))
    return facts + _state(scene, clause, "hasQuality", value, "retire")


def _married(scene: Scene, clause: Clause) -> list[Fact] | None:
    tree, facts = scene.tree, []
    nodes = tree.children(clause.head, "obj") + [node for prep, node in obliques(scene, clause.head) if prep == "to"]
    for node in nodes:
        for partner in scene.mentions.read_all(node):
            if partner.is_proper or partner.relation is not None:
                facts += _state(
                    scene, clause, "spouse", replace(partner, node=replace(partner.node, kind="Person")), "marry"
                )
    status = Mention(Node("married", is_literal=True, pos="ADJ"), (clause.head,))
    return facts + _state(scene, clause, "maritalStatus", status, "marry")


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
            for fact in _end(
                scene,
                clause,
                partner.relation.predicate,
                ANY,
                lemma,
                subject=Mention(partner.relation.owner, partner.tokens),
            )
        ]
    status = Mention(Node("divorced" if lemma == "divorce" else "single", is_literal=True, pos="ADJ"), (clause.head,))
    facts = [] if lemma == "break" else _state(scene, clause, "maritalStatus", status, lemma)
    for predicate in ("spouse", "hasPartner", "hasGirlfriend", "hasBoyfriend", "hasFiance"):
        facts += _end(scene, clause, predicate, ANY, lemma)
    return facts


def _born(scene: Scene, clause: Clause) -> list[Fact]:
    facts = []
    born = replace(clause, tense=Tense.PRESENT)
    for preposition, node in obliques(scene, clause.head):
        if preposition == "in":
            for place in scene.mentions.read_all(node):
                if place.is_proper:
                    facts += write(scene, born, "bornIn", _place(place), phrase="be born in", period=(None, None))
    for time in clause.times or scene.times:
        if not time.starts:
            value = Mention(Node(date_value(time.text), is_literal=True), time.tokens)
            if re.search(
                r"\d|january|february|april|june|july|august|september|october|november|december", time.text.lower()
            ):
                facts += write(scene, born, "birthDate", value, phrase="be born on", period=(None, None))
    return facts


def _acquired(scene: Scene, clause: Clause) -> list[Fact] | None:
    """Read getting and having: relations and pets, jobs, marriages, things with an article."""
    tree, head = scene.tree, clause.head
    lemma = tree.lemma(head)
    if lemma == "get":
        participle = next(
            (
                n
                for n in tree.children(head, "xcomp", "ccomp", "advcl")
                if tree.low(n) in ("married", "engaged", "divorced", "fired", "hired")
            ),
            None,
        )
        if participle is not None:
            read = {"married": _married, "divorced": _parted, "fired": _fired}.get(tree.low(participle))
            return (
                []
                if read is None or tree.low(participle) == "fired"
                else read(scene, clause.at(participle, times=clause.times))
            )
    facts: list[Fact] = []
    for node in tree.children(head, "obj"):
        if tree.lemma(node) in _JOBS and lemma != "have":
            return _job(scene, clause)
        facts += _introduced(scene, clause, node)
    return facts or None


def _introduced(scene: Scene, clause: Clause, node: int) -> list[Fact]:
    return [fact for subject in clause.subjects for fact in _introduced_by(scene, clause, node, subject)]


def _introduced_by(scene: Scene, clause: Clause, node: int, owner: Mention) -> list[Fact]:
    """Return the relatives and pets that somebody has or gets: two brothers, Tom and Ben; a dog called Biscuit."""
    tree = scene.tree
    members = [
        m for m in scene.mentions.read_all(node, owner=owner.node) if m.relation is not None and m.relation.is_named
    ]
    if members and tree.tag(node) == "NNS":
        return relation_facts(scene, members, modality=clause.modality) + _number(scene, clause, node, owner)
    facts = []
    for head in (node, *tree.children(node, "conj")):
        if tree.tag(head) == "NNS" and relation_of(tree.lemma(head)) and clause.polarity is Polarity.NEGATIVE:
            facts += write(scene, clause, relation_of(tree.lemma(head)), ANY, phrase="have", subject=owner)
        elif tree.tag(head) == "NNS":
            facts += _number(scene, clause, head, owner)
            continue
        mention = None if tree.tag(head) == "NNS" else scene.mentions.introduced(head, owner=owner.node)
        if mention is None or mention.relation is None:
            continue
        predicate = mention.relation.predicate
        if clause.polarity is Polarity.NEGATIVE:
            facts += write(scene, clause, predicate, ANY, phrase="have", subject=owner)
        elif clause.tense is Tense.PAST and tree.lemma(clause.head) == "have":
            facts += write(scene, clause, predicate, mention, phrase="have", subject=owner)
        else:
            facts += _state(scene, clause, predicate, mention, tree.lemma(clause.head), subject=owner)
            facts += _species(scene, clause, head, mention)
    return facts


def _species(scene: Scene, clause: Clause, head: int, mention: Mention) -> list[Fact]:
    """Return what a pet is where its relation does not tell: a golden retriever, or the dog that Biscuit is."""
    described = scene.tree.words_of(scene.mentions.phrase_tokens(head))
    is_breed = mention.noun not in ("dog", "cat", "pet")
    if mention.node.kind != "Animal" or not (is_breed or mention.relation is not None and mention.relation.is_named):
        return []
    kind = Mention(Node(described if is_breed else mention.noun, lemma=mention.noun, pos="NOUN"), mention.tokens)
    return write(scene, clause, "isA", kind, subject=mention, phrase="be", tense=Tense.PRESENT, period=(None, None))


def _number(scene: Scene, clause: Clause, node: int, owner: Mention) -> list[Fact]:
    tree = scene.tree
    words = [tree.low(child) for child in tree.children(node, "nummod")]
    if not relation_of(tree.lemma(node)) or not words or clause.polarity is Polarity.NEGATIVE:
        return []
    value = WORD_NUMBERS.get(words[0], words[0])
    if not value.isdigit():
        return []
    mention = Mention(Node(value, is_literal=True, pos="NUM"), (node,))
    return write(scene, clause, number_of(tree.low(node)), mention, phrase="have", subject=owner)


def _job(scene: Scene, clause: Clause) -> list[Fact] | None:
    """Read a new job: "I started a new job at Google as a designer" ends the old one and begins this one."""
    tree = scene.tree
    objects = [node for node in tree.children(clause.head, "obj") if tree.lemma(node) in _JOBS]
    if not objects or clause.polarity is Polarity.NEGATIVE:
        return None
    employers, roles = [], []
    for preposition, node in obliques(scene, clause.head):
        found = scene.mentions.read_all(node)
        if preposition in ("at", "for", "with"):
            employers += [m for m in found if m.is_proper or m.noun]
        elif preposition == "as":
            roles += [m for m in found if m.noun]
    titles = [node for node in tree.children(objects[0], "compound") if is_occupation(tree.lemma(node))]
    roles += [m for node in titles for m in scene.mentions.read_all(node)]
    facts = []
    is_side = tree.words(objects[0], "amod", "compound") & {
        "second",
        "part-time",
        "side",
        "extra",
        "another",
        "part",
        "weekend",
        "summer",
    }
    if (
        employers
        and not is_side
        and (
            tree.words(objects[0], "amod") & {"new"} or tree.lemma(clause.head) in ("start", "begin", "take", "accept")
        )
    ):
        facts += _end(scene, clause, "worksFor", ANY, "new job")
    for employer in employers:
        facts += _state(
            scene,
            clause,
            "worksFor",
            replace(employer, node=replace(employer.node, kind="Organization")),
            "start a job at",
        )
    for role in roles:
        facts += _state(scene, clause, "worksAs", role, "start a job as")
    return facts


def _begun(scene: Scene, clause: Clause) -> list[Fact] | None:
    return _job(scene, clause)


def _joined(scene: Scene, clause: Clause) -> list[Fact] | None:
    facts = []
    for preposition, node in obliques(scene, clause.head):
        if preposition == "as":
            for role in scene.mentions.read_all(node):
                facts += _state(scene, clause, "worksAs", role, "join as")
    for node in scene.tree.children(clause.head, "obj"):
        for value in scene.mentions.read_all(node):
            is_club = value.noun != "" and not value.is_proper
            predicate = (
                "memberOf"
                if is_club or re.search(r"club|team|gym|choir|band|group|society", value.node.label.lower())
                else "worksFor"
            )
            facts += _state(scene, clause, predicate, value, "join")
    return facts


def _became(scene: Scene, clause: Clause) -> list[Fact] | None:
    facts = []
    for node in scene.tree.children(clause.head, "xcomp", "obj"):
        for value in scene.mentions.read_all(node):
            if is_occupation(value.noun):
                facts += _state(scene, clause, "worksAs", value, "become")
            elif value.noun and value.noun in ("vegetarian", "vegan", "pescatarian"):
                quality = replace(value, node=Node(value.noun, is_literal=True, pos="ADJ"))
                facts += _state(scene, clause, "hasQuality", quality, "become")
    return facts


def _turned(scene: Scene, clause: Clause) -> list[Fact] | None:
    tree = scene.tree
    for node in tree.children(clause.head, "obj", "xcomp", "obl"):
        if re.fullmatch(r"\d{1,3}", tree.low(node)) and clause.polarity is Polarity.POSITIVE:
            value = Mention(Node(tree.low(node), is_literal=True, pos="NUM"), (node,))
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
        for fact in _state(scene, clause, "hasQuality", value, "die", subject=subject)
    ]


def _lost(scene: Scene, clause: Clause) -> list[Fact] | None:
    tree, facts = scene.tree, []
    for node in tree.children(clause.head, "obj"):
        if tree.lemma(node) in _JOBS:
            facts += _end(scene, clause, "worksFor", ANY, "lose") + _end(scene, clause, "worksAs", ANY, "lose")
        elif scene.mentions.has_owner(node):
            for value in scene.mentions.read_all(node):
                if value.relation is None:
                    facts += _end(scene, clause, "owns", value, tree.lemma(clause.head))
                    facts += _end(scene, clause, "drives", value, tree.lemma(clause.head), TENTATIVE)
    return facts


def _named(scene: Scene, clause: Clause) -> list[Fact] | None:
    """Read "my dog is called Biscuit", "we named our son Leo", "everybody calls me Al"."""
    tree, head = scene.tree, clause.head
    names = [
        node
        for node in tree.children(head, "xcomp", "obj", "obl")
        if tree.pos(node) in ("PROPN", "NOUN", "X") and not tree.words(node, "case")
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


_READINGS: dict[str, Callable[[Scene, Clause], list[Fact] | None]] = {
    "move": _moved,
    "relocate": _moved,
    "emigrate": _moved,
    "immigrate": _moved,
    "leave": _left,
    "quit": _left,
    "resign": _left,
    "fire": _fired,
    "lay": _fired,
    "sack": _fired,
    "retire": _retired,
    "marry": _married,
    "wed": _married,
    "divorce": _parted,
    "break": _parted,
    "split": _parted,
    "start": _begun,
    "begin": _begun,
    "land": _begun,
    "accept": _begun,
    "take": _begun,
    "join": _joined,
    "become": _became,
    "turn": _turned,
    "die": _died,
    "pass": _died,
    "call": _named,
    "name": _named,
    **dict.fromkeys(_ACQUIRED, _acquired),
    **dict.fromkeys(_LOST, _lost),
}

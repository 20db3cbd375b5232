"""What somebody has, does or is no more: "sold the Panda", "I quit my job", "Lerato and I broke up".

What a thing was to them may have been said long ago, so that its end is written under no predicate (see `replacement`).
"""

from __future__ import annotations

from dataclasses import replace

from memory.core.knowledge_graph.extraction.changes import TENTATIVE, begin_state, end_state, obliques
from memory.core.knowledge_graph.extraction.clauses import Clause, Scene, event_start, write
from memory.core.knowledge_graph.extraction.people import Mention
from memory.core.knowledge_graph.extraction.rules import SaidBefore
from memory.core.knowledge_graph.naming import key_of
from memory.core.knowledge_graph.replacement import ANY_PREDICATE, one_of
from memory.core.knowledge_graph.update import ANY
from memory.core.types import Fact, Modality, Node, Polarity, Tense

_ENDING = frozenset(
    "leave quit resign drop stop abandon ditch sell lose donate return cancel give throw scrap rehome".split()
)
_SWITCHING = frozenset({"switch", "change", "swap"})
JOBS = frozenset({"job", "position", "role", "gig", "internship", "work"})
_DISMISSING = frozenset({"retire", "fire", "lay", "sack"})
_PARTING = frozenset({"divorce", "separate", "break", "split", "leave"})
# What binds a couple; somebody is called by one of these while they are one.
PARTNERS = ("spouse", "hasPartner", "hasGirlfriend", "hasBoyfriend", "hasFiance")
# One at a time where the words say "now"; of those people have one at a time, a new one is the only one too.
_EXCLUSIVE = frozenset({"worksFor", "worksAs", "studiesAt", "drives"})
_ROLES = frozenset(
    "hasManager hasSupervisor hasLandlord hasDoctor hasDentist hasTherapist hasLawyer hasTrainer".split()
)
_NOW = frozenset({"now", "instead", "currently", "nowadays", "days"})
_TOO = frozenset("also too both well second part-time another still side addition besides".split())


def read_ending(scene: Scene, clause: Clause) -> list[Fact] | None:
    """Return the denials of what a clause says to be over, or None where it ends nothing."""
    lemma = scene.tree.lemma(clause.head)
    if lemma in _PARTING:
        parted = _parted(scene, clause)
        if parted:
            return parted
    if lemma in _DISMISSING:
        return _out_of_work(scene, clause)
    if lemma in ("die", "pass"):
        return _dead(scene, clause)
    if lemma in _SWITCHING:
        return _switched(scene, clause)
    if lemma not in _ENDING or lemma in ("give", "throw") and not _particles(scene, clause) & {"up", "away", "out"}:
        return None
    return _ended(scene, clause) or None


def _particles(scene: Scene, clause: Clause) -> set[str]:
    return scene.tree.words(clause.head, "compound:prt", "advmod", "obl", "case", "xcomp")


def _ended(scene: Scene, clause: Clause) -> list[Fact]:
    tree, facts = scene.tree, list[Fact]()
    now = replace(clause, tense=clause.tense if clause.tense is Tense.FUTURE else Tense.PRESENT)
    left = [node for case, node in obliques(scene, clause.head) if case.split()[-1] in ("from", "of", "at")]
    for node in tree.children(clause.head, "obj"):
        if tree.lemma(node) in JOBS:
            facts += _out_of_work(scene, now)
        elif tree.pos(node) == "PRON":
            facts += _ended_again(scene, now, node)
        else:
            left.append(node)
    named = [value for node in left for value in scene.mentions.read_all(node) if value.relation is None]
    facts += [fact for value in named for fact in end_state(scene, now, ANY_PREDICATE, value)]
    facts += [
        fact
        for case, node in obliques(scene, clause.head)
        for value in (scene.mentions.read_all(node) if case == "for" and named else ())
        if value.is_proper
        for fact in write(scene, now, ANY_PREDICATE, value, phrase="for", tense=Tense.PRESENT)
    ]
    is_bare = tree.lemma(clause.head) in ("quit", "resign") and tree.child(clause.head, "obj") is None and not left
    if not facts and is_bare:
        is_alone = not any(tree.pos(node) == "VERB" for node in range(clause.head))
        facts = _ended_again(scene, now, clause.head) or (_out_of_work(scene, now) if is_alone else [])
    return facts


def _ended_again(scene: Scene, clause: Clause, place: int) -> list[Fact]:
    """Return the end of what was spoken of last: "I had a boat, I sold it", "I used to smoke. I gave it up"."""
    subjects = {key_of(subject.node.label) for subject in clause.subjects}
    last = next((fact for fact in reversed(scene.earlier[-3:]) if key_of(fact.subject.label) in subjects), None)
    if last is None or last.polarity is Polarity.NEGATIVE or last.predicate in ("worksFor", "worksAs", "livesIn"):
        return []
    return end_state(scene, clause, last.predicate, Mention(last.object, (place,)))


def _switched(scene: Scene, clause: Clause) -> list[Fact] | None:
    """Read "I switched from economics to linguistics"."""
    found = dict(obliques(scene, clause.head))
    if "from" not in found or "to" not in found:
        return None
    old, new = scene.mentions.read(found["from"]), scene.mentions.read(found["to"])
    if old is None or new is None:
        return None
    begun = begin_state(scene, clause, ANY_PREDICATE, new, "switch to")
    return [*end_state(scene, clause, ANY_PREDICATE, old), *begun]


def _out_of_work(scene: Scene, clause: Clause) -> list[Fact]:
    """Return the end of a job: at the firm that the words name, else of whichever there was."""
    cases = ("from", "at", "by")
    firms = [v for case, node in obliques(scene, clause.head) if case in cases for v in scene.mentions.read_all(node)]
    firms = [firm for firm in firms if firm.is_proper]
    if firms:
        return [fact for firm in firms for fact in end_state(scene, clause, "worksFor", firm)]
    return [fact for predicate in ("worksFor", "worksAs") for fact in end_state(scene, clause, predicate, ANY)]


def _parted(scene: Scene, clause: Clause) -> list[Fact]:
    """Read "we broke up", "my boyfriend left me", "my brother and his wife got divorced", "I divorced Tom"."""
    tree, lemma = scene.tree, scene.tree.lemma(clause.head)
    if lemma in ("break", "split") and "up" not in _particles(scene, clause):
        return []
    nodes = tree.children(clause.head, "obj")
    nodes += [node for case, node in obliques(scene, clause.head) if case.split()[-1] in ("with", "from")]
    people = [*clause.subjects, *(value for node in nodes for value in scene.mentions.read_all(node))]
    bound = [one for one in people if one.relation is not None and one.relation.predicate in PARTNERS]
    facts = [
        fact
        for one in bound
        if one.relation is not None
        for fact in end_state(
            scene, clause, one.relation.predicate, ANY, subject=Mention(one.relation.owner, one.tokens)
        )
    ]
    if lemma == "leave":
        return facts
    owners = [Mention(one.relation.owner, one.tokens) for one in bound if one.relation is not None]
    is_divorce = lemma == "divorce" or tree.low(clause.head) == "divorced"
    status = Mention(Node("divorced" if is_divorce else "separated", is_literal=True, pos="ADJ"), (clause.head,))
    for one in [subject for subject in clause.subjects if subject not in bound] or owners:
        if lemma != "break" and clause.polarity is Polarity.POSITIVE:
            facts += begin_state(scene, clause, "maritalStatus", status, lemma, subject=one)
        if not any(fact.subject == one.node and fact.predicate in PARTNERS for fact in facts):
            for predicate in PARTNERS[:1] if is_divorce else PARTNERS:
                facts += end_state(scene, clause, predicate, ANY, scale=1.0 if is_divorce else TENTATIVE, subject=one)
    return facts


def _dead(scene: Scene, clause: Clause) -> list[Fact] | None:
    """Read "my grandmother passed away", "my dog died": who is dead is a pet or a spouse no more."""
    tree = scene.tree
    is_death = tree.lemma(clause.head) == "die" or "away" in _particles(scene, clause)
    if not is_death or clause.tense is Tense.FUTURE or clause.polarity is Polarity.NEGATIVE:
        return None
    dead = Mention(Node("dead", is_literal=True, pos="ADJ"), (clause.head,))
    facts = []
    for one in clause.subjects:
        facts += begin_state(scene, clause, "hasQuality", dead, "die", subject=one)
        relation = one.relation
        if relation is not None and (one.node.kind == "Animal" or relation.predicate in PARTNERS):
            facts += write(
                scene,
                clause,
                relation.predicate,
                one,
                subject=Mention(relation.owner, one.tokens),
                phrase="used to have",
                tense=Tense.PAST,
                period=(None, event_start(clause) or scene.said_at),
            )
        elif relation is None:
            own = Mention(scene.speaker, one.tokens)
            facts += end_state(scene, clause, one_of("spouse", "hasPet", "hasDog", "hasCat"), one, subject=own)
    return facts


def with_endings(scene: Scene, facts: list[Fact], _: SaidBefore) -> list[Fact]:
    """Return the facts, after denials of all earlier values where words say that one replaces them: "now", "new", an ex."""
    words = {token.text.lower() for token in scene.tree.tokens}
    exclusive = (_ROLES if words & {*_NOW, "new"} else frozenset()) | (_EXCLUSIVE if words & _NOW else frozenset())
    ended = []
    for fact in facts:
        is_now = fact.modality is Modality.ASSERTED and fact.tense is Tense.PRESENT
        if fact.polarity is Polarity.NEGATIVE or not is_now:
            continue
        if fact.predicate == "hasEx":
            ended.append(replace(fact, predicate=one_of(*PARTNERS), polarity=Polarity.NEGATIVE))
        elif fact.predicate in exclusive and not words & _TOO:
            ended.append(replace(fact, object=ANY, polarity=Polarity.NEGATIVE, phrase="now"))
    return [*ended, *facts]

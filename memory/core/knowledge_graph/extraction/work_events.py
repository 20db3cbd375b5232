"""Being hired, changing jobs, leaving them."""

from __future__ import annotations

import re
from dataclasses import replace

from memory.core.knowledge_graph.extraction.changes import TENTATIVE, begin_state, end_state, obliques
from memory.core.knowledge_graph.extraction.clauses import Clause, Scene
from memory.core.knowledge_graph.extraction.copulas import POSTS, is_occupation
from memory.core.knowledge_graph.extraction.people import Mention
from memory.core.knowledge_graph.extraction.verb_objects import SCHOOLS, read_known
from memory.core.knowledge_graph.replacement import one_of
from memory.core.knowledge_graph.update import ANY
from memory.core.knowledge_graph.vocabulary import GROUPS
from memory.core.types import Fact, Node, Polarity

JOBS = frozenset({"job", "position", "role", "gig", "internship", "work"})


# What somebody quits where they speak of it rather than of a job.
_HABIT = re.compile(r"\b(vap|smok|drink|drank|gambl|cigar|nicotine)\w*", re.IGNORECASE)
_HABITS = {"vap": "vaping", "smo": "smoking", "cig": "smoking", "nic": "smoking", "dri": "drinking", "dra": "drinking",
           "gam": "gambling"}  # fmt: skip


def _habit_spoken_of(scene: Scene) -> Node | None:
    """Return the habit that this sentence, or the one before, speaks of: "I used to smoke. Quit in 2020."."""
    word = _HABIT.search(scene.utterance.text)
    if word is not None:
        return Node(_HABITS[word[1].lower()[:3]], pos="VERB")
    return next((fact.object for fact in reversed(scene.earlier[-2:]) if fact.predicate == "hasHabit"), None)


def read_leaving(scene: Scene, clause: Clause) -> list[Fact] | None:
    tree, head, facts = scene.tree, clause.head, []
    lemma = tree.lemma(head)
    objects = tree.children(head, "obj")
    targets = [node for preposition, node in obliques(scene, head) if preposition in ("from", "at", "as")]
    for node in objects:
        if tree.lemma(node) in JOBS or tree.lemma(node) in ("company", "firm", "employer"):
            places = [place for target in targets for place in scene.mentions.read_all(target) if place.is_proper]
            for place in places:
                facts += end_state(scene, clause, "worksFor", place, lemma)
            if not places:
                facts += end_state(scene, clause, "worksFor", ANY, lemma) + end_state(
                    scene, clause, "worksAs", ANY, lemma
                )
        elif tree.lemma(node) in GROUPS:
            for group in scene.mentions.read_all(node):
                facts += end_state(scene, clause, _BELONGED, group, lemma)
        elif tree.pos(node) == "PROPN":
            for thing in scene.mentions.read_all(node):
                facts += end_state(scene, clause, _BELONGED, thing, lemma)
                facts += end_state(scene, clause, "worksFor", thing, lemma, TENTATIVE)
                facts += end_state(scene, clause, "livesIn", thing, lemma, TENTATIVE)
                facts += end_state(scene, clause, "studiesAt", thing, lemma, TENTATIVE)
    if not objects and lemma in ("quit", "resign"):
        places = [place for target in targets for place in scene.mentions.read_all(target) if place.is_proper]
        for place in places:
            facts += end_state(scene, clause, "worksFor", place, lemma)
        habit = _habit_spoken_of(scene)
        if habit is not None:
            facts += end_state(scene, clause, "hasHabit", Mention(habit, (head,)), lemma)
        elif not places and tree.child(head, "xcomp") is None:
            facts += end_state(scene, clause, "worksFor", ANY, lemma)
    return facts if facts or lemma == "leave" or lemma == "resign" else None


# What a group, a firm, a school or a town that somebody leaves can have been to them.
_BELONGED = one_of("memberOf", "playsFor", "singsIn", "attends", "worksFor", "studiesAt", "livesIn")
_STUDIES = frozenset(
    "degree studies study university uni college school master masters bachelor phd doctorate program programme course "
    "apprenticeship internship training".split()
)


def read_dropping_out(scene: Scene, clause: Clause) -> list[Fact] | None:
    """Read "I dropped out of Harvard", "she dropped out of medical school", "he dropped out"."""
    tree, facts = scene.tree, list[Fact]()
    particles = {tree.low(node) for node in tree.subtree(clause.head) if tree.pos(node) in ("ADP", "ADV")}
    if "out" not in particles:
        return None
    left = [value for case, node in obliques(scene, clause.head) if case.endswith("of") for value in _read(scene, node)]
    for value in left:
        if value.is_proper:
            facts += end_state(scene, clause, "studiesAt", value, "drop out of")
        facts += end_state(scene, clause, one_of("studiesAt", "studies", "memberOf", "attends"), value, "drop out of")
    if not left or any(value.noun in _STUDIES for value in left):
        facts += end_state(scene, clause, "studiesAt", ANY, "drop out")
        facts += end_state(scene, clause, "studies", ANY, "drop out", TENTATIVE)
    return facts


def _read(scene: Scene, node: int) -> list[Mention]:
    return scene.mentions.read_all(node)


def read_finishing(scene: Scene, clause: Clause) -> list[Fact] | None:
    """Read "I finished my degree", "I graduated from MIT": who did studies no more."""
    tree = scene.tree
    objects = [tree.lemma(node) for node in tree.children(clause.head, "obj")]
    is_graduation = tree.lemma(clause.head) == "graduate"
    if not is_graduation and not set(objects) & _STUDIES:
        return None
    places = [v for case, node in obliques(scene, clause.head) if case in ("from", "at") for v in _read(scene, node)]
    facts = [
        fact for place in places for fact in end_state(scene, clause, "studiesAt", place, "graduate from", TENTATIVE)
    ]
    if not places:
        facts += end_state(scene, clause, "studiesAt", ANY, "graduate", TENTATIVE)
        facts += end_state(scene, clause, "studies", ANY, "graduate", TENTATIVE)
    return facts + (read_known(scene, clause) or [])


def read_dismissal(scene: Scene, clause: Clause) -> list[Fact] | None:
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
    if not places:
        return end_state(scene, clause, "worksFor", ANY, tree.lemma(clause.head))
    return [fact for place in places for fact in end_state(scene, clause, "worksFor", place, tree.lemma(clause.head))]


def read_retirement(scene: Scene, clause: Clause) -> list[Fact] | None:
    facts = end_state(scene, clause, "worksFor", ANY, "retire")
    value = Mention(Node("retired", is_literal=True, pos="ADJ"), (clause.head,))
    return facts + begin_state(scene, clause, "hasQuality", value, "retire")


def read_new_job(scene: Scene, clause: Clause) -> list[Fact] | None:
    """Read a new job: "I started a new job at Google as a designer" ends the old one and begins this one."""
    tree = scene.tree
    objects = [node for node in tree.children(clause.head, "obj") if tree.lemma(node) in JOBS]
    if (
        not objects
        and tree.lemma(clause.head) in ("start", "begin")
        and tree.child(clause.head, "obj", "xcomp") is None
    ):
        return _started_at(scene, clause)
    if not objects or clause.polarity is Polarity.NEGATIVE:
        return None
    employers, roles = [], []
    for preposition, node in obliques(scene, clause.head):
        found = scene.mentions.read_all(node)
        if preposition in ("at", "for", "with"):
            employers += [m for m in found if m.relation is None and (m.is_proper or m.noun)]
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
        facts += end_state(scene, clause, "worksFor", ANY, "new job")
    for employer in employers:
        facts += begin_state(
            scene,
            clause,
            "worksFor",
            replace(employer, node=replace(employer.node, kind="Organization")),
            "start a job at",
        )
    for role in roles:
        facts += begin_state(scene, clause, "worksAs", role, "start a job as")
    return facts


def _started_at(scene: Scene, clause: Clause) -> list[Fact] | None:
    """Read "I started at Bosch in 2011", "she starts at MIT in May"."""
    facts: list[Fact] = []
    for preposition, node in obliques(scene, clause.head):
        for place in scene.mentions.read_all(node) if preposition in ("at", "with") else ():
            if place.is_proper and place.relation is None:
                words = place.node.label.lower()
                is_school = any(part in words for part in SCHOOLS)
                facts += begin_state(scene, clause, "studiesAt" if is_school else "worksFor", place, "start at")
    return facts or None


def read_joining(scene: Scene, clause: Clause) -> list[Fact] | None:
    facts = []
    for preposition, node in obliques(scene, clause.head):
        if preposition == "as":
            for role in scene.mentions.read_all(node):
                facts += begin_state(scene, clause, "worksAs", role, "join as")
    for node in scene.tree.children(clause.head, "obj"):
        for value in scene.mentions.read_all(node):
            is_club = value.noun != "" and not value.is_proper
            predicate = (
                "memberOf"
                if is_club or re.search(r"club|team|gym|choir|band|group|society", value.node.label.lower())
                else "worksFor"
            )
            facts += begin_state(scene, clause, predicate, value, "join")
    return facts


# What somebody becomes beside what they are.
_BESIDES = frozenset("manager director leader supervisor partner captain lead coach tutor author model blogger".split())


def read_becoming(scene: Scene, clause: Clause) -> list[Fact] | None:
    facts = []
    for node in scene.tree.children(clause.head, "xcomp", "obj"):
        for value in scene.mentions.read_all(node):
            if is_occupation(value.noun) or scene.tree.lemma(node) in POSTS:
                if value.noun not in _BESIDES and scene.tree.lemma(node) not in POSTS:
                    facts += end_state(scene, clause, "worksAs", ANY, "become")
                facts += begin_state(scene, clause, "worksAs", value, "become")
            elif value.noun and value.noun in ("vegetarian", "vegan", "pescatarian"):
                quality = replace(value, node=Node(value.noun, is_literal=True, pos="ADJ"))
                facts += begin_state(scene, clause, "hasQuality", quality, "become")
    return facts

"""What somebody has, does or is no more: "sold the Panda", "I quit my job", "Lerato and I broke up".

What a thing was to them may have been said long ago, so that its end is written under no predicate (see `replacement`).
"""

from __future__ import annotations

from dataclasses import replace

from memory.core.knowledge_graph.extraction.changes import TENTATIVE, begin_state, end_state, obliques
from memory.core.knowledge_graph.extraction.clauses import Clause, Scene
from memory.core.knowledge_graph.extraction.people import Mention
from memory.core.knowledge_graph.extraction.rules import SaidBefore
from memory.core.knowledge_graph.replacement import ANY_PREDICATE, one_of
from memory.core.knowledge_graph.update import ANY
from memory.core.types import Fact, Modality, Node, Polarity, Tense

_ENDING = frozenset("leave quit resign drop stop abandon sell lose cancel".split())
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
    parted = _parted(scene, clause) if lemma in _PARTING else []
    if parted:
        return parted
    if lemma in _DISMISSING:
        return _out_of_work(scene, clause)
    return _ended(scene, clause) or None if lemma in _ENDING else None


def _ended(scene: Scene, clause: Clause) -> list[Fact]:
    """Return the end of a job, or of whatever it is that somebody leaves, sells or gives up."""
    tree = scene.tree
    now = replace(clause, tense=clause.tense if clause.tense is Tense.FUTURE else Tense.PRESENT)
    left = tree.children(clause.head, "obj")
    # "I vaped for years, quit in August" quits no job.
    is_alone = not left and not any(tree.pos(node) == "VERB" for node in range(clause.head))
    is_bare = is_alone and tree.lemma(clause.head) in ("quit", "resign")
    if is_bare or any(tree.lemma(node) in JOBS for node in left):
        return _out_of_work(scene, now)
    left += [node for case, node in obliques(scene, clause.head) if case in ("from", "out of", "at")]
    values = [value for node in left for value in scene.mentions.read_all(node) if value.relation is None]
    return [fact for value in values for fact in end_state(scene, now, ANY_PREDICATE, value)]


def _out_of_work(scene: Scene, clause: Clause) -> list[Fact]:
    """Return the end of a job: at the firm that the words name, else of whichever there was."""
    nodes = [node for case, node in obliques(scene, clause.head) if case in ("from", "at", "by")]
    firms = [firm for node in nodes for firm in scene.mentions.read_all(node) if firm.is_proper]
    if firms:
        return [fact for firm in firms for fact in end_state(scene, clause, "worksFor", firm)]
    return [fact for predicate in ("worksFor", "worksAs") for fact in end_state(scene, clause, predicate, ANY)]


def _parted(scene: Scene, clause: Clause) -> list[Fact]:
    """Read "we broke up", "my boyfriend left me", "my brother and his wife got divorced", "I divorced Tom"."""
    tree, lemma, facts = scene.tree, scene.tree.lemma(clause.head), list[Fact]()
    if lemma in ("break", "split") and "up" not in tree.words(clause.head, "compound:prt", "advmod"):
        return []
    is_divorce = lemma == "divorce" or tree.low(clause.head) == "divorced"
    status = Mention(Node("divorced", is_literal=True, pos="ADJ"), (clause.head,))
    for one in clause.subjects:
        relation = one.relation
        if relation is not None and relation.predicate in PARTNERS:
            facts += end_state(scene, clause, relation.predicate, ANY, subject=Mention(relation.owner, one.tokens))
        elif is_divorce:
            facts += end_state(scene, clause, "spouse", ANY, subject=one)
            facts += begin_state(scene, clause, "maritalStatus", status, lemma, subject=one)
        elif lemma != "leave":
            for predicate in PARTNERS:
                facts += end_state(scene, clause, predicate, ANY, scale=TENTATIVE, subject=one)
    return facts


def with_endings(scene: Scene, facts: list[Fact], _: SaidBefore) -> list[Fact]:
    """Return the facts, after denials of all earlier values where words say that one replaces them: "now", "new", an ex."""
    words = {token.text.lower() for token in scene.tree.tokens}
    exclusive = (_ROLES if words & {*_NOW, "new"} else frozenset()) | (_EXCLUSIVE if words & _NOW else frozenset())
    ended = []
    for fact in facts:
        if (
            fact.polarity is Polarity.NEGATIVE
            or fact.modality is not Modality.ASSERTED
            or fact.tense is not Tense.PRESENT
        ):
            continue
        if fact.predicate == "hasEx":
            ended.append(replace(fact, predicate=one_of(*PARTNERS), polarity=Polarity.NEGATIVE))
        elif fact.predicate in exclusive and not words & _TOO:
            ended.append(replace(fact, object=ANY, polarity=Polarity.NEGATIVE, phrase="now"))
    return [*ended, *facts]

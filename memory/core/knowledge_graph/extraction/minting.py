"""Facts under predicates of their own, minted from a verb; precision before recall."""

from __future__ import annotations

from datetime import datetime

from memory.core.knowledge_graph.extraction.changes import obliques, result_tense
from memory.core.knowledge_graph.extraction.clauses import Clause, Scene, write
from memory.core.knowledge_graph.extraction.modality import is_progressive
from memory.core.knowledge_graph.extraction.people import Mention
from memory.core.knowledge_graph.extraction.relations import relation_facts
from memory.core.knowledge_graph.extraction.verb_objects import FLEETING, stem_of
from memory.core.knowledge_graph.ontology import minted
from memory.core.types import Fact, Modality, Polarity, Tense

# Verbs that say nothing without their context: no predicate is minted from them.
_LIGHT = frozenset(
    "be have do make get go come take give let see say tell talk speak ask think know mean help try feel "
    "look seem sound guess "
    "wonder thank appreciate agree understand believe remember forget find keep put show share happen "
    "call hear wait bet wish "
    "want love like hope need want stay sit stand turn set send bring leave start begin end stop finish "
    "continue become remain "
    "appear concern worry matter care spend pay depend deal handle manage consider decide expect imagine "
    "realize notice check "
    "point add follow lead mention discuss explain describe suggest recommend offer provide include "
    "involve require allow "
    "enable increase improve reduce change update create face hit run work live use pick choose catch "
    "figure hang pass grow "
    "miss inspire amaze excite surprise bother drive push pull hold carry cut lose win watch hug wake "
    "sleep laugh cry smile "
    "relax switch capture feature focus based experience receive meet admire plan sell buy support stick "
    "struggle dive beg".split()
)

# What is shared says little, with whom much.
_SHARE = "share"


def mint(scene: Scene, clause: Clause) -> list[Fact]:
    """Return a fact under a predicate of its own where verb and object are both plain; precision before recall."""
    tree, head = scene.tree, clause.head
    lemma = tree.lemma(head)
    if (
        (lemma in _LIGHT and lemma != _SHARE)
        or not lemma.isalpha()
        or len(lemma) < 3
        or clause.modality is not Modality.ASSERTED
    ):
        return []
    if clause.polarity is Polarity.NEGATIVE or len(tree) > 35 or tree.child(head, "ccomp") is not None:
        return []
    if tree.tag(head) not in ("VBD", "VBZ", "VBP", "VBG", "VBN", "VB") or any(
        tree.lemma(n) == "can" for n in tree.children(head, "aux")
    ):
        return []
    if tree.is_dep(head, "advcl") and clause.tense is not Tense.PAST:
        # "before I seek advice", "when I finish the course" place another event and tell none.
        return []
    is_implied = any(subject.tokens == (clause.anchor,) for subject in clause.subjects)
    is_passive = tree.tag(head) == "VBN" and any(tree.lemma(node) == "be" for node in tree.children(head, "aux"))
    if (
        is_implied
        or is_passive
        or tree.child(head, "nsubj:pass") is not None
        or is_progressive(tree, head)
        and not clause.times
    ):
        return []
    stem, facts = stem_of(scene, head), []
    tense = result_tense(scene, clause) if clause.tense is Tense.FUTURE else clause.tense
    objects = [(stem, node) for node in tree.children(head, "obj")]
    if lemma == _SHARE:
        objects = _shared(scene, head)
    elif not objects:
        objects = [
            (f"{stem} {preposition}", node) for preposition, node in obliques(scene, head)[:1] if " " not in preposition
        ]
    for phrase, node in objects:
        for value in scene.mentions.read_all(node):
            if not _is_plain(scene, node, value):
                continue
            facts += relation_facts(scene, [value], modality=clause.modality)
            facts += write(
                scene,
                clause,
                minted(phrase),
                value,
                phrase=phrase,
                tense=tense,
                scale=0.65,
                period=_event_period(clause, tense),
            )
    return facts


def _shared(scene: Scene, head: int) -> list[tuple[str, int]]:
    """Return with whom something is shared: "share an office with" and Paolo."""
    tree = scene.tree
    things = [node for node in tree.children(head, "obj") if tree.pos(node) == "NOUN"]
    others = [
        node for preposition, node in obliques(scene, head) if preposition == "with" and tree.pos(node) == "PROPN"
    ]
    if len(things) != 1 or not tree.words(things[0], "det") & {"a", "an"} or tree.children(things[0], "amod"):
        return []
    [article] = tree.words(things[0], "det") & {"a", "an"}
    return [(f"{_SHARE} {article} {tree.low(things[0])} with", node) for node in others]


def _event_period(clause: Clause, tense: Tense) -> tuple[datetime | None, datetime | None]:
    for time in clause.times:
        if time.reference.starts and tense is not Tense.PAST:
            return time.time.start, None
        return time.time.start, time.time.end
    return None, None


def _is_plain(scene: Scene, node: int, value: Mention) -> bool:
    tree = scene.tree
    if value.is_proper or value.relation is not None:
        return True
    is_noun = tree.pos(node) == "NOUN" and not value.node.is_speaker and value.noun not in FLEETING
    return (
        is_noun
        and len(value.tokens) <= 5
        and not tree.words(node, "det") & {"this", "that", "these", "those", "any", "no"}
    )

"""One thing for another: "switched from Google to Meta", "traded my Golf for a Tesla", "replaced my laptop with a Mac".

What the old thing was to somebody (an employer, a home, an instrument) was said before: in the sentences at hand, or else
long ago, and then the change is written under no predicate (see `replacement`).
"""

from __future__ import annotations

from collections.abc import Sequence

from memory.core.knowledge_graph.extraction.changes import begin_state, end_state, obliques
from memory.core.knowledge_graph.extraction.clauses import Clause, Scene
from memory.core.knowledge_graph.extraction.people import Mention
from memory.core.knowledge_graph.naming import key_of
from memory.core.knowledge_graph.replacement import ANY_PREDICATE
from memory.core.types import Fact, Polarity

_FROM_TO = frozenset({"switch", "change", "transfer", "go", "shift", "convert", "upgrade", "jump", "move"})
_FOR = frozenset({"trade", "swap", "exchange", "leave", "quit", "ditch", "drop", "abandon", "give"})
_WITH = frozenset({"replace"})


def read_switch(scene: Scene, clause: Clause) -> list[Fact]:
    """Return what a clause that names an old and a new thing ends and begins; nothing where it names no two."""
    tree, lemma = scene.tree, scene.tree.lemma(clause.head)
    if clause.polarity is Polarity.NEGATIVE or lemma not in _FROM_TO | _FOR | _WITH:
        return []
    placed = obliques(scene, clause.head)
    new = _things(scene, [node for preposition, node in placed if preposition in _arrivals(lemma)])
    if lemma in _FROM_TO:
        old = _things(scene, [node for preposition, node in placed if preposition in ("from", "out of")])
    else:
        old = _things(scene, tree.children(clause.head, "obj"))
    if len(old) != 1 or len(new) != 1 or key_of(old[0].node.label) == key_of(new[0].node.label):
        return []
    predicates = _known(scene, clause, old[0])
    if lemma in ("move", "go") and not predicates:
        return []
    return [
        fact
        for predicate in predicates or [ANY_PREDICATE]
        for fact in [
            *end_state(scene, clause, predicate, old[0], lemma),
            *begin_state(scene, clause, predicate, new[0], f"{lemma} to"),
        ]
    ]


def _arrivals(lemma: str) -> tuple[str, ...]:
    return ("with", "by") if lemma in _WITH else ("for",) if lemma in _FOR else ("to", "over to", "into")


def _things(scene: Scene, nodes: Sequence[int]) -> list[Mention]:
    found = [value for node in nodes for value in scene.mentions.read_all(node)]
    return [value for value in found if value.relation is None and not value.node.is_speaker]


def _known(scene: Scene, clause: Clause, old: Mention) -> list[str]:
    """Return what the old thing is to the clause's subject, by the sentences at hand."""
    subjects = {key_of(subject.node.label) for subject in clause.subjects}
    said = [
        fact
        for fact in scene.earlier
        if key_of(fact.object.label) == key_of(old.node.label) and key_of(fact.subject.label) in subjects
    ]
    return list(dict.fromkeys(fact.predicate for fact in said if fact.polarity is Polarity.POSITIVE and fact.predicate))

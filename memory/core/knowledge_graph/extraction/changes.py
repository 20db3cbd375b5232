"""What verbs of change share: when a new state begins and an old one ends."""

from __future__ import annotations

from memory.core.knowledge_graph.extraction.clauses import Clause, Scene, event_start, write
from memory.core.knowledge_graph.extraction.modality import is_progressive
from memory.core.knowledge_graph.extraction.people import Mention
from memory.core.knowledge_graph.replacement import one_of
from memory.core.types import Fact, Node, Polarity, Tense

# A denial that may not apply: kept only where it ends something ("I left Paris" says nothing of an employer).
TENTATIVE = 0.4
# What a thing that somebody has no more can have been to them.
_POSSESSED = one_of("owns", "drives", "rides", "uses", "collects")


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


def begin_state(
    scene: Scene, clause: Clause, predicate: str, value: Mention, phrase: str, *, subject: Mention | None = None
) -> list[Fact]:
    """Return the state that the clause's event brings, from the event's date on."""
    return write(
        scene,
        clause,
        predicate,
        value,
        phrase=phrase,
        tense=result_tense(scene, clause),
        period=(event_start(clause), None),
        subject=subject,
    )


def end_state(
    scene: Scene,
    clause: Clause,
    predicate: str,
    value: Mention | Node,
    phrase: str,
    scale: float = 1.0,
    subject: Mention | None = None,
) -> list[Fact]:
    """Return the denial that ends a state, on its day where it is planned; nothing where the event is denied itself."""
    tense = result_tense(scene, clause)
    if clause.polarity is Polarity.NEGATIVE or tense is Tense.FUTURE and event_start(clause) is None:
        return []
    return write(
        scene,
        clause,
        predicate,
        value,
        phrase=phrase,
        tense=tense,
        polarity=Polarity.NEGATIVE,
        period=(event_start(clause), None),
        scale=scale,
        subject=subject,
    )


def end_possession(scene: Scene, clause: Clause, value: Mention) -> list[Fact]:
    """Return the end of having a thing, under the words of this clause and under those that it was told in."""
    lemma = scene.tree.lemma(clause.head)
    return (
        end_state(scene, clause, "owns", value, lemma)
        + end_state(scene, clause, "drives", value, lemma, TENTATIVE)
        + end_state(scene, clause, _POSSESSED, value, lemma)
    )

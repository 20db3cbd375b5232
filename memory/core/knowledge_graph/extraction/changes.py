"""What verbs of change share: when a new state begins and an old one ends."""

from __future__ import annotations

from memory.core.knowledge_graph.extraction.clauses import Clause, Scene, event_start, write
from memory.core.knowledge_graph.extraction.modality import is_progressive
from memory.core.knowledge_graph.extraction.people import Mention
from memory.core.types import Fact, Node, Polarity, Tense

# A denial that may not apply: kept only where it ends something.
TENTATIVE = 0.4


def obliques(scene: Scene, head: int) -> list[tuple[str, int]]:
    """Return (preposition, node) for each prepositional phrase of a verb that is no date, also those hung on its object."""
    tree = scene.tree
    timed = {token for time in scene.times for token in time.tokens}
    nodes = tree.children(head, "obl", "nmod")
    for above in [*tree.children(head, "obj"), *nodes]:
        nodes += [node for node in tree.children(above, "nmod") if not tree.words(node, "case") & {"of", "'s"}]
    found = []
    for node in nodes:
        cases = [tree.low(case) for case in tree.children(node, "case") if case < node]
        if cases and node not in timed:
            found.append((" ".join(cases), node))
    return found


def phrases_of(scene: Scene, clause: Clause) -> list[tuple[str, int]]:
    """Return the prepositional phrases of a verb and of the verb above it that puts it: "got married, to Danuta"."""
    return [found for head in dict.fromkeys((clause.head, clause.anchor)) for found in obliques(scene, head)]


def result_tense(scene: Scene, clause: Clause) -> Tense:
    """Return the tense of the state that an event brings: it holds now if the event is past, later if it is planned."""
    is_planned = clause.tense is Tense.FUTURE or is_progressive(scene.tree, clause.head)
    is_planned = is_planned or clause.anchor != clause.head and is_progressive(scene.tree, clause.anchor)
    return Tense.FUTURE if is_planned else Tense.PRESENT


def begin_state(
    scene: Scene, clause: Clause, predicate: str, value: Mention, phrase: str, *, subject: Mention | None = None
) -> list[Fact]:
    """Return the state that the clause's event brings, from the event's date on."""
    period = (event_start(clause), None)
    tense = result_tense(scene, clause)
    return write(scene, clause, predicate, value, phrase=phrase, tense=tense, period=period, subject=subject)


def end_state(
    scene: Scene,
    clause: Clause,
    predicate: str,
    value: Mention | Node,
    *,
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
        phrase=scene.tree.lemma(clause.head),
        tense=tense,
        polarity=Polarity.NEGATIVE,
        period=(event_start(clause), None),
        scale=scale,
        subject=subject,
    )

"""Words that make a value the only one: "now", "instead", "these days" end what predicates with many values held before."""

from __future__ import annotations

from dataclasses import replace

from memory.core.knowledge_graph.extraction.clauses import Clause, Scene
from memory.core.knowledge_graph.update import ANY
from memory.core.types import Fact, Modality, Polarity, Tense

_EXCLUSIVE = frozenset({"worksFor", "worksAs", "studiesAt", "drives"})
# People have one of these at a time; a "new" one is the only one too.
_ROLES = frozenset(
    {
        "hasManager",
        "hasSupervisor",
        "hasLandlord",
        "hasDoctor",
        "hasDentist",
        "hasTherapist",
        "hasLawyer",
        "hasTrainer",
        "hasCoach",
        "hasAssistant",
    }
)
_NOW = frozenset({"now", "instead", "currently", "nowadays", "switched", "days"})
_TOO = frozenset(
    {
        "also",
        "too",
        "both",
        "well",
        "second",
        "part-time",
        "another",
        "still",
        "side",
        "addition",
        "besides",
        "moonlight",
    }
)


def with_endings(scene: Scene, clause: Clause, facts: list[Fact]) -> list[Fact]:
    """Return the facts, preceded by the denial of every earlier value where the clause says that this one replaces it."""
    words = {token.text.lower() for token in scene.tree.tokens}
    if clause.polarity is Polarity.NEGATIVE or not words & (_NOW | {"new"}) or words & _TOO:
        return facts
    exclusive = _EXCLUSIVE | _ROLES if words & _NOW else _ROLES
    replaced = [
        fact
        for fact in facts
        if fact.predicate in exclusive
        and fact.polarity is Polarity.POSITIVE
        and fact.tense is Tense.PRESENT
        and fact.modality is Modality.ASSERTED
    ]
    endings = [replace(fact, object=ANY, polarity=Polarity.NEGATIVE, phrase="now") for fact in replaced]
    return endings + facts

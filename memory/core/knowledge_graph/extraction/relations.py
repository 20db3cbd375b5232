"""Facts about who somebody is to somebody, from how they were mentioned."""

from __future__ import annotations

from collections.abc import Iterable

from memory.core.knowledge_graph.extraction.clauses import Scene
from memory.core.knowledge_graph.extraction.mentions import MANY
from memory.core.knowledge_graph.extraction.people import Mention
from memory.core.types import Fact, Modality, Node, Tense


def relation_facts(
    scene: Scene, mentions: Iterable[Mention], *, modality: Modality, confidence: float = 0.9
) -> list[Fact]:
    """Return that "my sister Maya" is the speaker's sister. A nameless friend or colleague is nobody in particular."""
    facts = []
    for mention in mentions:
        relation = mention.relation
        if (
            relation is None
            or not relation.predicate
            or mention.is_denied
            or (relation.predicate in MANY and not relation.is_named)
        ):
            continue
        facts.append(
            Fact(
                subject=relation.owner,
                predicate=relation.predicate,
                object=mention.node,
                span=scene.tree.span(list(mention.tokens)),
                modality=modality,
                tense=Tense.PAST if relation.is_former else Tense.PRESENT,
                valid_to=scene.said_at if relation.is_former else None,
                confidence=confidence,
                phrase=relation.noun,
            )
        )
        if relation.is_named and mention.node.kind == "Animal" and relation.noun not in ("pet", "puppy", "kitten"):
            facts.append(_is_a(scene, mention, modality, confidence))
    return facts


def _is_a(scene: Scene, mention: Mention, modality: Modality, confidence: float) -> Fact:
    noun = mention.noun
    return Fact(
        subject=mention.node,
        predicate="isA",
        object=Node(noun, lemma=noun, pos="NOUN"),
        span=scene.tree.span(list(mention.tokens)),
        modality=modality,
        confidence=confidence,
        phrase="be",
    )

"""A graph in memory that applies updates as a store does, for tests of the update."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from memory.core.knowledge_graph.conflict.comparison import UNDECLARED
from memory.core.knowledge_graph.conflict.rule_based import RuleBasedConflictDetector
from memory.core.knowledge_graph.ontology import Ontology
from memory.core.knowledge_graph.update import slots_of, update
from memory.core.naming import key_of
from memory.core.types import (
    ConflictCase,
    Entity,
    Fact,
    GraphFragment,
    GraphUpdate,
    Modality,
    Node,
    Polarity,
    Role,
    SourceSentence,
    Span,
    Supersession,
    Tense,
    Triple,
)

START = datetime(2024, 1, 1, tzinfo=UTC)


def day(number: int) -> datetime:
    return START + timedelta(days=number)


def fact(
    subject: str,
    predicate: str,
    value: str,
    *,
    polarity: Polarity = Polarity.POSITIVE,
    tense: Tense = Tense.PRESENT,
    modality: Modality = Modality.ASSERTED,
    is_any: bool = False,
    is_literal: bool = False,
    phrase: str = "",
    valid_from: datetime | None = None,
    valid_to: datetime | None = None,
    confidence: float = 0.9,
) -> Fact:
    return Fact(
        Node(subject, "Person"),
        predicate,
        Node(value, is_any=is_any, is_literal=is_literal),
        Span(0, 1),
        polarity=polarity,
        tense=tense,
        modality=modality,
        phrase=phrase,
        valid_from=valid_from,
        valid_to=valid_to,
        confidence=confidence,
    )


class Graph:
    """Triples with their history. `say` applies one fragment and returns the update.

    `by` is who says it; without it, every first subject speaks for themself.
    """

    def __init__(self, *, ontology: Ontology = UNDECLARED) -> None:
        self.triples: list[Triple] = []
        self._ontology = ontology
        self._entities: dict[str, int] = {}

    def say(
        self,
        *facts: Fact,
        at: int,
        by: str = "",
        role: Role = Role.USER,
        verdicts: Sequence[Supersession] = (),
    ) -> GraphUpdate:
        case = self.case(*facts, at=at, by=by, role=role)
        [found] = RuleBasedConflictDetector(ontology=self._ontology).find_many([case])
        change = update(case, conflicts=[*found, *verdicts], ontology=self._ontology)
        ended = {item.old.id for item in change.superseded}
        self.triples = [
            replace(triple, superseded_at=day(at)) if triple.id in ended else triple for triple in self.triples
        ]
        for added in change.added:
            self.triples.append(self._triple(added, at, by or added.subject.label, role))
        return change

    def case(self, *facts: Fact, at: int, by: str = "", role: Role = Role.USER) -> ConflictCase:
        """Return the fragment with the candidates that a store would select for it."""
        fragment = GraphFragment(facts)
        slots = slots_of(fragment, ontology=self._ontology)
        candidates = tuple(triple for triple in self.active() if self._slots(triple) & slots)
        speaker = by or (facts[0].subject.label if facts else "")
        return ConflictCase(fragment, candidates, day(at), speaker=speaker, role=role)

    def active(self) -> list[Triple]:
        return [triple for triple in self.triples if triple.superseded_at is None]

    def holding(self, moment: int = 10_000) -> set[str]:
        """Return what holds as "Ana livesIn Lyon", with "not" before a denial."""
        return {
            ("not " if triple.polarity is Polarity.NEGATIVE else "")
            + f"{triple.subject.label} {triple.predicate} {triple.object}"
            for triple in self.active()
            if triple.tense is Tense.PRESENT and (triple.valid_to is None or triple.valid_to > day(moment))
        }

    def _slots(self, triple: Triple) -> set[tuple[str, str]]:
        return {(key_of(triple.subject.label), triple.predicate), (key_of(triple.object), triple.predicate)}

    def _entity(self, label: str) -> int:
        return self._entities.setdefault(key_of(label), len(self._entities) + 1)

    def _triple(self, added: Fact, at: int, speaker: str, role: Role) -> Triple:
        number = len(self.triples) + 1
        is_entity = not (added.object.is_literal or added.object.is_any)
        return Triple(
            id=number,
            subject=Entity(self._entity(added.subject.label), added.subject.label, "Person"),
            predicate=added.predicate,
            object=added.object.label,
            object_id=self._entity(added.object.label) if is_entity else None,
            polarity=added.polarity,
            tense=added.tense,
            valid_from=added.valid_from,
            valid_to=added.valid_to,
            recorded_at=day(at),
            superseded_at=None,
            confidence=added.confidence,
            source=SourceSentence(number, "", speaker, day(at), number, role),
            span=added.span,
            phrase=added.phrase,
            is_any=added.object.is_any,
        )

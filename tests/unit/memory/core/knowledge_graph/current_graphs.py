"""Triples of a current graph, written as "Ana livesIn Paris", for the tests of its consistency."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from memory.core.knowledge_graph.ontology import Ontology, predicate_named
from memory.core.naming import key_of
from memory.core.types import (
    Entity,
    Fact,
    Modality,
    Node,
    Polarity,
    SourceSentence,
    Span,
    Tense,
    Triple,
)

NOW = datetime(2026, 6, 1, tzinfo=UTC)
SAID = NOW - timedelta(days=30)
ONTOLOGY = Ontology()


class Names:
    """Gives every name an entity, the same one each time. `kinds` says what some of them are."""

    def __init__(self, **kinds: str) -> None:
        self._kinds = kinds
        self._ids: dict[str, int] = {}
        self._count = 0

    def entity(self, label: str) -> Entity:
        number = self._ids.setdefault(key_of(label), len(self._ids) + 1)
        return Entity(number, label, self._kinds.get(label, ""))

    def of_node(self, node: Node) -> Entity:
        return self.entity(node.label)

    def triple(
        self,
        said: str,
        *,
        tense: Tense = Tense.PRESENT,
        modality: Modality = Modality.ASSERTED,
        valid_from: datetime | None = None,
        valid_to: datetime | None = None,
        superseded_at: datetime | None = None,
    ) -> Triple:
        """Return a triple of "subject predicate object"; "not" before the subject denies it, the object * is anything."""
        is_denial = said.startswith("not ")
        subject, predicate, value = said.removeprefix("not ").split(" ", 2)
        self._count += 1
        is_value = value == "*" or predicate_named(predicate).range == "Literal"
        owner = self.entity(subject)
        target = None if is_value else self.entity(value)
        return Triple(
            id=self._count,
            subject=owner,
            predicate=predicate,
            object="anything" if value == "*" else value,
            object_id=target.id if target is not None else None,
            polarity=Polarity.NEGATIVE if is_denial else Polarity.POSITIVE,
            tense=tense,
            valid_from=valid_from,
            valid_to=valid_to,
            recorded_at=SAID,
            superseded_at=superseded_at,
            confidence=1.0,
            source=SourceSentence(self._count, said, "Ana", SAID, self._count),
            span=Span(0, 1),
            object_kind=target.kind if target is not None else "",
            is_any=value == "*",
            modality=modality,
        )

    def graph(self, *said: str) -> list[Triple]:
        return [self.triple(one) for one in said]

    def fact(self, said: str, **fields: object) -> Fact:
        triple = self.triple(said)
        is_value = triple.object_id is None
        return Fact(
            Node(triple.subject.label),
            triple.predicate,
            Node(triple.object, is_literal=is_value, is_any=triple.is_any),
            Span(0, 1),
            polarity=triple.polarity,
            **fields,  # type: ignore[arg-type]
        )

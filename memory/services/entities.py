"""Which entity of a space a node of a fragment means."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from memory.core.knowledge_graph.naming import key_of
from memory.core.types import GraphFragment, Node
from memory.models import AliasRecord, EntityRecord, Round

LABEL_LIMIT = 300
LIVING = frozenset({"Person", "Animal"})


class EntityRegister:
    """The entities that a round's nodes mean, read in one query and made where there is none yet.

    A node means the entity that bears its label; failing that, one that so far is only known by one of the node's aliases
    ("Ana's sister", until somebody says that she is Maya), which then takes the node's label. Kinds that exclude each
    other are never one entity: the sister Paris is not the city.
    """

    def __init__(self, round: Round, nodes: Iterable[Node]) -> None:
        self._round = round
        keys = {key_of(name)[:LABEL_LIMIT] for node in nodes for name in (node.label, *node.aliases)} - {""}
        self._by_key: dict[str, list[EntityRecord]] = defaultdict(list)
        self._names: dict[int, set[str]] = defaultdict(set)
        rows = AliasRecord.objects.filter(space_id=round.space_id, key__in=keys).select_related("entity")
        shared: dict[int, EntityRecord] = {}
        for alias in rows.order_by("entity_id"):
            entity = shared.setdefault(alias.entity_id, alias.entity)
            self._by_key[alias.key].append(entity)
            self._names[entity.pk].add(alias.key)

    def entity_of(self, node: Node) -> EntityRecord:
        """Return the entity that the node means, with the node's names among its aliases."""
        entity = self._named(node) or self._renamed(node) or self._made(node)
        if node.is_speaker and not entity.is_speaker:
            entity.is_speaker = True
            entity.save(update_fields=["is_speaker"])
        if node.kind and not entity.kind:
            entity.kind = node.kind[:60]
            entity.save(update_fields=["kind"])
        self._add_names(entity, node)
        return entity

    def resolve(self, fragment: GraphFragment) -> GraphFragment:
        """Return the fragment with every node under its entity's label, so that equal labels are equal entities."""
        return GraphFragment(
            facts=tuple(
                replace(fact, subject=self._canonical(fact.subject), object=self._canonical(fact.object))
                for fact in fragment.facts
            )
        )

    def _canonical(self, node: Node) -> Node:
        return replace(node, label=self.entity_of(node).label) if is_entity(node) else node

    def _named(self, node: Node) -> EntityRecord | None:
        candidates = [
            entity for entity in self._by_key[key_of(node.label)[:LABEL_LIMIT]] if kinds_agree(entity.kind, node.kind)
        ]
        return max(candidates, key=lambda entity: (entity.is_speaker, entity.kind == node.kind), default=None)

    def _renamed(self, node: Node) -> EntityRecord | None:
        for alias in node.aliases:
            for entity in self._by_key[key_of(alias)[:LABEL_LIMIT]]:
                if key_of(entity.label) == key_of(alias) and kinds_agree(entity.kind, node.kind):
                    entity.label = node.label[:LABEL_LIMIT]
                    entity.save(update_fields=["label"])
                    return entity
        return None

    def _made(self, node: Node) -> EntityRecord:
        return EntityRecord.objects.create(
            space_id=self._round.space_id,
            label=node.label[:LABEL_LIMIT],
            kind=node.kind[:60],
            is_speaker=node.is_speaker,
        )

    def _add_names(self, entity: EntityRecord, node: Node) -> None:
        for name in (node.label, *node.aliases):
            key = key_of(name)[:LABEL_LIMIT]
            if not key or key in self._names[entity.pk]:
                continue
            if name != node.label and any(other.pk != entity.pk for other in self._by_key[key]):
                continue
            AliasRecord.objects.create(
                space_id=self._round.space_id,
                entity=entity,
                text=name[:LABEL_LIMIT],
                key=key,
                source_round=self._round,
            )
            self._names[entity.pk].add(key)
            self._by_key[key].append(entity)


def nodes_of(fragments: Iterable[GraphFragment]) -> list[Node]:
    ends = (node for fragment in fragments for fact in fragment.facts for node in (fact.subject, fact.object))
    return [node for node in ends if is_entity(node)]


def is_entity(node: Node) -> bool:
    return not node.is_literal and not node.is_any and bool(key_of(node.label))


def kinds_agree(first: str, second: str) -> bool:
    """Return whether one entity may have both kinds; a living thing is nothing else, and a person is no animal."""
    if not first or not second or first == second:
        return True
    return first not in LIVING and second not in LIVING

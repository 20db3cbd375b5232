"""Resolves the nodes of a fragment to entities of a space (entity linking).

Two people of one name are one entity until somebody says otherwise (`entity_split`): "my brother Tom" and "my boss Tom" may
be one man. People can split what was joined by mistake, but nobody would notice what was kept apart by mistake.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import replace
from functools import cached_property

from memory.core.knowledge_graph.classes import LIVING
from memory.core.knowledge_graph.consistency.assertions import is_entity
from memory.core.naming import key_of
from memory.core.types import GraphFragment, Node
from memory.models import AliasRecord, EditRecord, EntityRecord, Round
from memory.services.edits.audit import edit_write
from memory.services.edits.joining import entities_join
from memory.services.edits.journal import Journal
from memory.services.edits.refusals import refusals_of, refused_name
from memory.services.edits.wording import quoted
from memory.services.graph_writes import numbers

LABEL_LIMIT = 300


class EntityRegister:
    """Resolves the nodes of a round to entities, which it reads in one query, and creates those that are missing.

    A node means the entity that has its label. Failing that, it means an entity that is known only by one of the node's
    aliases ("Ana's sister", until somebody says that she is Maya); that entity then gets the node's label. Where both exist
    they are joined, on record. Entities of kinds that exclude each other are never joined: the sister Paris is not the city.
    Two names that people told apart are not joined again. `preferred` are ids of entities that a name means before any other.
    """

    def __init__(self, round: Round, nodes: Iterable[Node], *, preferred: Collection[int] = ()) -> None:
        self._round = round
        self._preferred = preferred
        keys = {key_of(name)[:LABEL_LIMIT] for node in nodes for name in (node.label, *node.aliases)} - {""}
        self._made_later: dict[int, EntityRecord] = {}
        self._named_later: list[AliasRecord] = []
        self._numbers = numbers(EntityRecord)
        # What a node means stays so until an entity is made, joined to another, or called or described otherwise.
        self._meant: dict[Node, EntityRecord] = {}
        self._by_key: dict[str, list[EntityRecord]] = defaultdict(list)
        self._names: dict[int, set[str]] = defaultdict(set)
        rows = AliasRecord.objects.filter(space_id=round.space_id, key__in=keys).select_related("entity")
        shared: dict[int, EntityRecord] = {}
        for alias in rows.order_by("entity_id"):
            entity = shared.setdefault(alias.entity_id, alias.entity)
            self._by_key[alias.key].append(entity)
            self._names[entity.pk].add(alias.key)
        # A fragment is resolved to labels: one that was found by another name has to be found by its label too.
        for entity in shared.values():
            key = key_of(entity.label)[:LABEL_LIMIT]
            if key not in self._names[entity.pk]:
                self._by_key[key].append(entity)
                self._names[entity.pk].add(key)

    @property
    def known(self) -> set[int]:
        """Return the ids of the entities that the nodes' names may mean."""
        return {entity.pk for entities in self._by_key.values() for entity in entities}

    def entity_of(self, node: Node) -> EntityRecord:
        """Return the entity of a node, creating it if needed, and add the node's names to its aliases."""
        entity = self._meant_by(node)
        self._write()
        return entity

    def resolve_many(self, fragments: Iterable[GraphFragment]) -> list[GraphFragment]:
        """Return fragments with each node labelled by its entity, so that equal labels are equal entities."""
        resolved = [
            GraphFragment(
                tuple(
                    replace(fact, subject=self._canonical(fact.subject), object=self._canonical(fact.object))
                    for fact in fragment.facts
                )
            )
            for fragment in fragments
        ]
        self._write()
        return resolved

    def _meant_by(self, node: Node) -> EntityRecord:
        known = self._meant.get(node)
        if known is not None:
            return known
        entity = self._named(node) or self._renamed(node) or self._made(node)
        self._learn(entity, node)
        self._join_namesakes(entity, node)
        self._add_names(entity, node)
        self._meant[node] = entity
        return entity

    def _write(self) -> None:
        """Store the entities and names that are new since the last call, together."""
        if self._made_later:
            EntityRecord.objects.bulk_create(self._made_later.values())
            self._made_later = {}
        if self._named_later:
            AliasRecord.objects.bulk_create(self._named_later)
            self._named_later = []

    def _save(self, entity: EntityRecord, fields: Iterable[str]) -> None:
        self._meant.clear()
        if entity.pk not in self._made_later:
            entity.save(update_fields=list(fields))

    @cached_property
    def _refused(self) -> set[str]:
        return refusals_of(self._round.space_id)

    def _is_refused(self, label: str, name: str) -> bool:
        return refused_name(self._round.space_id, label=label, name=name) in self._refused

    def _canonical(self, node: Node) -> Node:
        return replace(node, label=self._meant_by(node).label) if is_entity(node) else node

    def _named(self, node: Node) -> EntityRecord | None:
        key = key_of(node.label)[:LABEL_LIMIT]
        candidates = [entity for entity in self._by_key[key] if kinds_agree(entity.kind, node.kind)]
        return max(
            candidates,
            key=lambda entity: (
                entity.pk in self._preferred,
                entity.is_speaker,
                key_of(entity.label)[:LABEL_LIMIT] == key,
                entity.kind == node.kind,
            ),
            default=None,
        )

    def _renamed(self, node: Node) -> EntityRecord | None:
        for entity in self._known_by_alias_only(node):
            entity.label = node.label[:LABEL_LIMIT]
            self._save(entity, ["label"])
            return entity
        return None

    def _known_by_alias_only(self, node: Node) -> list[EntityRecord]:
        """Return the entities whose label is an alias of the node, except those that people told apart from it."""
        return [
            entity
            for alias in node.aliases
            for entity in self._by_key[key_of(alias)[:LABEL_LIMIT]]
            if key_of(entity.label) == key_of(alias)
            and kinds_agree(entity.kind, node.kind)
            and not self._is_refused(node.label, alias)
        ]

    def _made(self, node: Node) -> EntityRecord:
        self._meant.clear()
        made = EntityRecord(
            pk=next(self._numbers),
            space_id=self._round.space_id,
            label=node.label[:LABEL_LIMIT],
            kind=node.kind[:60],
            is_speaker=node.is_speaker,
            lemma=node.lemma[:100],
            pos=node.pos[:10],
        )
        self._made_later[made.pk] = made
        return made

    def _learn(self, entity: EntityRecord, node: Node) -> None:
        """Fill fields of the entity that are still empty from the node: its kind and word."""
        new: dict[str, object] = {}
        if node.is_speaker and not entity.is_speaker:
            new["is_speaker"] = True
        if node.kind and not entity.kind:
            new["kind"] = node.kind[:60]
        if node.lemma and not entity.lemma:
            new |= {"lemma": node.lemma[:100], "pos": node.pos[:10]}
        if new:
            for name, value in new.items():
                setattr(entity, name, value)
            self._save(entity, new)

    def _join_namesakes(self, entity: EntityRecord, node: Node) -> None:
        """Join the entity that is known only as "Ana's sister" to Maya once a sentence says that Maya is Ana's sister."""
        for other in self._known_by_alias_only(node):
            if other.pk == entity.pk or not kinds_agree(entity.kind, other.kind) or other.is_speaker:
                continue
            self._write()
            journal = Journal(self._round.space_id)
            summary = f"Took {quoted(other.label)} and {quoted(entity.label)} for one, as it was said."
            entities_join(keep=entity, gone=other, journal=journal, round=self._round)
            edit_write(
                journal,
                kind=EditRecord.Kind.MERGE,
                summary=summary,
                by=None,
                entities=[entity.pk, other.pk],
            )
            self._forget(other, entity)

    def _forget(self, gone: EntityRecord, keep: EntityRecord) -> None:
        """Let every name of an entity that was joined to another mean the other."""
        self._meant.clear()
        for key in self._names.pop(gone.pk, set()):
            bearers = [entity for entity in self._by_key[key] if entity.pk not in {gone.pk, keep.pk}]
            self._by_key[key] = [*bearers, keep]
            self._names[keep.pk].add(key)

    def _add_names(self, entity: EntityRecord, node: Node) -> None:
        for name in (node.label, *node.aliases):
            key = key_of(name)[:LABEL_LIMIT]
            if not key or key in self._names[entity.pk]:
                continue
            if name != node.label and any(other.pk != entity.pk for other in self._by_key[key]):
                continue
            if name != node.label and self._is_refused(entity.label, name):
                continue
            self._meant.clear()
            self._named_later.append(
                AliasRecord(
                    space_id=self._round.space_id,
                    entity_id=entity.pk,
                    text=name[:LABEL_LIMIT],
                    key=key,
                    source_round=self._round,
                )
            )
            self._names[entity.pk].add(key)
            self._by_key[key].append(entity)


def nodes_of(fragments: Iterable[GraphFragment]) -> list[Node]:
    ends = (node for fragment in fragments for fact in fragment.facts for node in (fact.subject, fact.object))
    return [node for node in ends if is_entity(node)]


def kinds_agree(first: str, second: str) -> bool:
    """Return whether one entity may be of both kinds; a living being is nothing else, and a person is not an animal."""
    if not first or not second or first == second:
        return True
    return first not in LIVING and second not in LIVING
